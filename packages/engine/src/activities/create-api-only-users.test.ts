import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, first, impatient, refusal, submit } from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_API_ONLY_USERS";
const unknownId = "00000000-0000-4000-8000-000000000000";

function newUser(userName: string, { publicKey } = newKey()) {
  return { userName, apiKeys: [{ apiKeyName: "bot key", publicKey }], userTags: [] as string[] };
}

test("users are created with P-256 keys, tags and email, and can stamp", async () => {
  const { server, root, organizationId } = await newOrganization();
  const { userTagId } = await root.createUserTag({ userTagName: "bots", userIds: [] });
  const key = newKey();
  const request = {
    apiOnlyUsers: [
      { ...newUser("bot", key), userEmail: "bot@example.com", userTags: [userTagId] },
      newUser("other bot"),
    ],
  };
  const { userIds, activity } = await root.createApiOnlyUsers(request);
  expect(userIds).toHaveLength(2);
  expect(activity.intent).toEqual({ createApiOnlyUsersIntent: request });
  expect(activity.result).toEqual({ createApiOnlyUsersResult: { userIds } });
  const client = clientOf(server, organizationId, key);
  const userId = first(userIds);
  expect(await client.whoami()).toMatchObject({ userId, username: "bot" });
  expect((await root.getUser({ userId })).user).toMatchObject({
    userEmail: "bot@example.com",
    userTags: [userTagId],
    apiKeys: [{ apiKeyName: "bot key", credential: { type: "CREDENTIAL_TYPE_API_KEY_P256" } }],
  });
});

test("lists may be left out, but a user needs a key that lasts", async () => {
  const { root } = await newOrganization();
  const { userName, apiKeys } = newUser("bot");
  const activity = await submit(root, "create_api_only_users", {
    type,
    parameters: { apiOnlyUsers: [{ userName, apiKeys }] },
  });
  expect(activity.intent).toEqual({
    createApiOnlyUsersIntent: { apiOnlyUsers: [{ userName, apiKeys, userTags: [] }] },
  });
  const refused = await refusal(
    submit(root, "create_api_only_users", { type, parameters: { apiOnlyUsers: [{ userName }] } }),
  );
  expect(refused).toEqual(
    badRequest(
      "USER_WITHOUT_CREDENTIAL",
      "parameters.apiOnlyUsers[0].apiKeys",
      expect.stringMatching(/^user missing valid credential: /),
    ),
  );
});

test("everything that is wrong is refused by field at once", async () => {
  const { root, rootKey } = await newOrganization();
  const at = "parameters.apiOnlyUsers[0]";
  const taken = { ...newUser("bot", rootKey), userTags: [unknownId] };
  expect(await refusal(root.createApiOnlyUsers({ apiOnlyUsers: [taken] }))).toMatchObject({
    httpStatus: 409,
    code: "PUBLIC_KEY_TAKEN",
    field: `${at}.apiKeys[0].publicKey`,
    message: expect.stringContaining(`; user tag not found: \`${unknownId}\``),
  });
  const extra = { ...newUser("bot"), authenticators: [] };
  expect(
    await refusal(
      submit(root, "create_api_only_users", { type, parameters: { apiOnlyUsers: [extra] } }),
    ),
  ).toMatchObject({ code: "FIELD_UNKNOWN", field: `${at}.authenticators` });
  expect((await root.listUsers()).users).toHaveLength(1);
});

test("an organization has at most 100 users", async () => {
  const root = impatient(await newOrganization());
  const users = (count: number) => Array.from({ length: count }, (_, i) => newUser(`bot ${i}`));
  expect(await refusal(root.createApiOnlyUsers({ apiOnlyUsers: users(100) }))).toMatchObject({
    httpStatus: 429,
    code: "LIMIT_EXCEEDED",
    field: "parameters.apiOnlyUsers",
    message: "an organization may have 100 users",
  });
  await root.createApiOnlyUsers({ apiOnlyUsers: users(99) });
});
