import { ownServer } from "@keyhearth/api/own-server.testing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  allow,
  badRequest,
  expectDenied,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_USER_TAG";
const unknownId = "00000000-0000-4000-8000-000000000000";

/** Three users, of whom the first two have a tag. */
async function newTag(organization: TestOrganization) {
  const users = [
    await addUser(organization, "one"),
    await addUser(organization, "two"),
    await addUser(organization, "three"),
  ];
  const [one = "", two = "", three = ""] = users.map(({ userId }) => userId);
  const { userTagId } = await organization.root.createUserTag({
    userTagName: "ops",
    userIds: [one, two],
  });
  return { one, two, three, userTagId };
}

test("a tag is renamed, added to users and removed from others at once", async () => {
  const organization = await newOrganization(await ownServer());
  const { root, server } = organization;
  const { one, two, three, userTagId } = await newTag(organization);
  const [before] = (await root.listUserTags()).userTags;
  server.clock.offsetMs += 2000;
  const request = {
    userTagId,
    newUserTagName: "operators",
    addUserIds: [two, three, three],
    removeUserIds: [one, one],
  };
  const { activity, ...result } = await root.updateUserTag(request);
  expect(result).toEqual({ userTagId });
  expect(activity.intent).toEqual({ updateUserTagIntent: request });
  expect(activity.result).toEqual({ updateUserTagResult: { userTagId } });
  const [tag] = (await root.listUserTags()).userTags;
  expect(tag).toEqual({ ...before, tagName: "operators", updatedAt: tag?.updatedAt });
  expect(tag?.updatedAt).not.toEqual(before?.updatedAt);
  const { users } = await root.listUsers();
  expect(users.slice(1).map(({ userTags }) => userTags)).toEqual([[], [userTagId], [userTagId]]);
});

test("the name of another tag is taken, its own is not", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { userTagId } = await newTag(organization);
  await root.createUserTag({ userTagName: "admins", userIds: [] });
  const rename = (newUserTagName: string) =>
    root.updateUserTag({ userTagId, newUserTagName, addUserIds: [], removeUserIds: [] });
  await rename("ops");
  expect(await refusal(rename("admins"))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.newUserTagName",
    message: "a user tag with the name `admins` already exists",
  });
});

test("bad parameters are refused by field, and nothing changes", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { one, userTagId } = await newTag(organization);
  const cases: [object, string, unknown][] = [
    [
      { userTagId },
      "parameters",
      `nothing to change: \`parameters\` names tag \`${userTagId}\`, no newUserTagName, and no users to add it to or remove it from`,
    ],
    [
      { userTagId, addUserIds: [one], removeUserIds: [one] },
      "parameters.removeUserIds[0]",
      `user \`${one}\` is in addUserIds and in removeUserIds`,
    ],
  ];
  const before = await root.listUserTags();
  for (const [parameters, field, message] of cases) {
    const refused = await refusal(submit(root, "update_user_tag", { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", field, message));
  }
  expect(await root.listUserTags()).toEqual(before);
});

test("tags and users that are unknown or of another organization are refused, all named at once", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { userTagId, one } = await newTag(organization);
  const theirs = await newTag(await newOrganization());
  const { privateKeyTagId } = await root.createPrivateKeyTag({
    privateKeyTagName: "hot",
    privateKeyIds: [],
  });
  const request = (tagId: string, added: string, removed: string) =>
    root.updateUserTag({ userTagId: tagId, addUserIds: [added], removeUserIds: [removed] });
  for (const tagId of [theirs.userTagId, privateKeyTagId]) {
    expect(await refusal(request(tagId, theirs.one, unknownId))).toMatchObject({
      httpStatus: 404,
      field: "parameters.userTagId",
      message: `user tag not found: \`${tagId}\`; user not found: \`${theirs.one}\`; user not found: \`${unknownId}\``,
    });
  }
  expect(await refusal(request(userTagId, one, theirs.one))).toMatchObject({
    httpStatus: 400,
    code: "NOT_FOUND",
    field: "parameters.removeUserIds[0]",
  });
});

test("users do not tag themselves without a permission", async () => {
  const organization = await newOrganization();
  const { userTagId } = await newTag(organization);
  const { client, userId } = await addUser(organization);
  const request = { userTagId, addUserIds: [userId], removeUserIds: [] };
  await expectDenied(client.updateUserTag(request));
  await allow(organization, userId, ["USER", "UPDATE"]);
  await client.updateUserTag(request);
});
