import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, expectIdsChecked, refusal } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_USER_TAGS";
const unknownId = "00000000-0000-4000-8000-000000000000";

/** One user has two tags, and a third tag has no users. */
async function newTags({ root, userId }: TestOrganization) {
  const create = async (userTagName: string, userIds: string[]) =>
    (await root.createUserTag({ userTagName, userIds })).userTagId;
  return {
    ops: await create("ops", [userId]),
    empty: await create("empty", []),
    kept: await create("kept", [userId]),
  };
}

test("tags are deleted and removed from users, and the others stay", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  await addUser(organization);
  const { ops, empty, kept } = await newTags(organization);
  const request = { userTagIds: [empty, ops, empty] };
  const { userTagIds, userIds, activity } = await root.deleteUserTags(request);
  expect({ userTagIds, userIds }).toEqual({ userTagIds: [empty, ops], userIds: [userId] });
  expect(activity.intent).toEqual({ deleteUserTagsIntent: request });
  expect(activity.result).toEqual({ deleteUserTagsResult: { userTagIds, userIds } });
  const { userTags } = await root.listUserTags();
  expect(userTags.map(({ tagId }) => tagId)).toEqual([kept]);
  expect((await root.getUser({ userId })).user.userTags).toEqual([kept]);
  await root.createUserTag({ userTagName: "ops", userIds: [] });
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const ids = { type, member: "userTagIds", noun: "user tag" };
  await expectIdsChecked(root, "delete_user_tags", ids);
});

test("if one tag is unknown, of another organization or of private keys, none is deleted", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { ops } = await newTags(organization);
  const theirs = await newTags(await newOrganization());
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "hot",
    privateKeyIds: [],
  });
  for (const tagId of [unknownId, theirs.ops, privateKeyTagId]) {
    expect(await refusal(root.deleteUserTags({ userTagIds: [ops, tagId] }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.userTagIds[1]",
      message: `user tag not found: \`${tagId}\``,
    });
  }
  expect((await root.listUserTags()).userTags).toHaveLength(3);
});
