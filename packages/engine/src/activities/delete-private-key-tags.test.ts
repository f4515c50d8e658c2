import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { expectIdsChecked, first, refusal } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_PRIVATE_KEY_TAGS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function newTags({ root }: Pick<TestOrganization, "root">) {
  const { privateKeys } = await root.createPrivateKeys({
    privateKeys: [
      { privateKeyName: "k", curve: "CURVE_ED25519", privateKeyTags: [], addressFormats: [] },
    ],
  });
  const privateKeyId = first(privateKeys).privateKeyId ?? "";
  const tagIds: string[] = [];
  for (const [privateKeyTagName, privateKeyIds] of [
    ["hot", [privateKeyId]],
    ["cold", []],
    ["kept", [privateKeyId]],
  ] as const) {
    const made = await root.createPrivateKeyTag({
      privateKeyTagName,
      privateKeyIds: [...privateKeyIds],
    });
    tagIds.push(made.privateKeyTagId);
  }
  const [hot = "", cold = "", kept = ""] = tagIds;
  return { privateKeyId, hot, cold, kept };
}

test("tags are deleted and removed from keys, and the others stay", async () => {
  const { root } = await newOrganization();
  const { privateKeyId, hot, cold, kept } = await newTags({ root });
  const request = { privateKeyTagIds: [cold, hot, cold] };
  const { privateKeyTagIds, privateKeyIds, activity } = await root.deletePrivateKeyTags(request);
  expect({ privateKeyTagIds, privateKeyIds }).toEqual({
    privateKeyTagIds: [cold, hot],
    privateKeyIds: [privateKeyId],
  });
  expect(activity.intent).toEqual({ deletePrivateKeyTagsIntent: request });
  expect(activity.result).toEqual({
    deletePrivateKeyTagsResult: { privateKeyTagIds, privateKeyIds },
  });
  const { privateKeyTags } = await root.listPrivateKeyTags();
  expect(privateKeyTags.map(({ tagId }) => tagId)).toEqual([kept]);
  expect((await root.getPrivateKey({ privateKeyId })).privateKey.privateKeyTags).toEqual([kept]);
  await root.createPrivateKeyTag({ privateKeyTagName: "hot", privateKeyIds: [] });
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const ids = { type, member: "privateKeyTagIds", noun: "private key tag" };
  await expectIdsChecked(root, "delete_private_key_tags", ids);
});

test("if one tag is unknown, of another organization or of users, none is deleted", async () => {
  const { root } = await newOrganization();
  const { hot } = await newTags({ root });
  const theirs = await newTags(await newOrganization());
  const { userTagId } = await root.createUserTag({ userTagName: "admins", userIds: [] });
  for (const tagId of [unknownId, theirs.hot, userTagId]) {
    const privateKeyTagIds = [hot, tagId];
    expect(await refusal(root.deletePrivateKeyTags({ privateKeyTagIds }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.privateKeyTagIds[1]",
      message: `private key tag not found: \`${tagId}\``,
    });
  }
  expect((await root.listPrivateKeyTags()).privateKeyTags).toHaveLength(3);
});
