import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  impatient,
  post,
  refusal,
  submit,
  withoutRetries,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_USER_TAG";
const unknownId = "00000000-0000-4000-8000-000000000000";

test("a tag is created and added to users", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const { userTagId, userIds, activity } = await root.createUserTag({
    userTagName: "admins",
    userIds: [userId],
  });
  expect(userIds).toEqual([userId]);
  expect(activity.intent).toEqual({
    createUserTagIntent: { userTagName: "admins", userIds: [userId] },
  });
  expect(activity.result).toEqual({ createUserTagResult: { userTagId, userIds } });
  expect((await root.getUser({ userId })).user.userTags).toEqual([userTagId]);
  expect((await root.getUser({ userId: grace.userId })).user.userTags).toEqual([]);
});

test("a user who is named twice has the tag once", async () => {
  const { root, userId } = await newOrganization();
  const made = await root.createUserTag({ userTagName: "admins", userIds: [userId, userId] });
  expect(made.userIds).toEqual([userId]);
  expect((await root.getUser({ userId })).user.userTags).toEqual([made.userTagId]);
});

test("a name can be used only once", async () => {
  const { root } = await newOrganization();
  await root.createUserTag({ userTagName: "admins", userIds: [] });
  expect(await refusal(root.createUserTag({ userTagName: "admins", userIds: [] }))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.userTagName",
    message: "a user tag with the name `admins` already exists",
  });
});

test("bad parameters are refused by field", async () => {
  const { root, userId } = await newOrganization();
  const cases: [object, string, string, unknown][] = [
    [
      { userTagName: "x".repeat(256) },
      "FIELD_INVALID",
      "parameters.userTagName",
      expect.stringMatching(
        /^must have at most 255 characters: `parameters.userTagName` is `x+…`$/,
      ),
    ],
    [
      { userTagName: "t", userIds: [userId, unknownId] },
      "NOT_FOUND",
      "parameters.userIds[1]",
      `user not found: \`${unknownId}\``,
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "create_user_tag", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
});

test("the same bytes again are the same activity", async () => {
  const { root, organizationId } = await newOrganization();
  const body = bodyOf(organizationId, { type, parameters: { userTagName: "t", userIds: [] } });
  const one = await post(root, "create_user_tag", body);
  expect(await post(root, "create_user_tag", body)).toEqual(one);
});

test("an organization has at most 100 tags, and a sub-organization 10", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const server = { ...organization.server, fetch: withoutRetries(organization.server.fetch) };
  const key = newKey();
  const { subOrganizationId } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const sub = clientOf(server, subOrganizationId, key);
  for (const [client, limit] of [
    [root, 100],
    [sub, 10],
  ] as const) {
    for (let i = 0; i < limit; i++)
      await client.createUserTag({ userTagName: `t${i}`, userIds: [] });
    const more = client.createUserTag({ userTagName: "one more", userIds: [] });
    expect(await refusal(more)).toEqual({
      httpStatus: 429,
      grpcCode: 8,
      code: "LIMIT_EXCEEDED",
      field: "parameters.userTagName",
      message: `an organization may have ${limit} tags`,
    });
  }
});
