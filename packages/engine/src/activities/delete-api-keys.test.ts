import type { sessions } from "@keyhearth/api/store/sessions";
import type { TableOf } from "@keyhearth/api/store/table";
import { clientOf, newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  expectDenied,
  first,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_API_KEYS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function addKey(
  { server, organizationId, root, userId }: TestOrganization,
  expirationSeconds?: string,
) {
  const key = newKey();
  const { apiKeyIds, activity } = await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: key.publicKey,
        curveType: "API_KEY_CURVE_P256",
        ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
      },
    ],
  });
  const client = clientOf(server, organizationId, key);
  expect(await client.whoami()).toMatchObject({ userId });
  return { key, apiKeyId: first(apiKeyIds), client, activity };
}

const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };

test("a deleted key does not authenticate and is not shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { apiKeyId, client } = await addKey(organization);
  const { apiKeyIds, activity } = await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
  expect(apiKeyIds).toEqual([apiKeyId]);
  expect(activity.intent).toEqual({ deleteApiKeysIntent: { userId, apiKeyIds } });
  expect(activity.result).toEqual({ deleteApiKeysResult: { apiKeyIds } });
  expect(await refusal(client.whoami())).toMatchObject(gone);
  expect(await refusal(client.createWallet({ walletName: "w", accounts: [] }))).toMatchObject(gone);
  expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(1);
  expect(await refusal(root.getApiKey({ apiKeyId }))).toMatchObject({ httpStatus: 404 });
});

test("deleting one expiring key does not affect the others", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const one = await addKey(organization, "900");
  const two = await addKey(organization, "900");
  await root.deleteApiKeys({ userId, apiKeyIds: [one.apiKeyId] });
  expect(await refusal(one.client.whoami())).toMatchObject(gone);
  expect(await two.client.whoami()).toMatchObject({ userId });
  await two.client.createWallet({ walletName: "w", accounts: [] });
  const third = await addKey(organization, "900");
  expect(await third.client.whoami()).toMatchObject({ userId });
  expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(3);
});

test("an old sessions record in the database does not revive a key", async () => {
  const organization = await newOrganization();
  const { server, root, organizationId, userId } = organization;
  type Sessions = TableOf<typeof sessions> & { sessions: { version: number } };
  const db = server.store.db.withTables<Sessions>();
  const { apiKeyId, client } = await addKey(organization, "900");
  const old = await db
    .selectFrom("sessions")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  const lookups = await db
    .selectFrom("lookups")
    .selectAll()
    .where("organization_id", "=", organizationId)
    .execute();
  await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });

  const { version, digest, record } = old;
  await db
    .updateTable("sessions")
    .set({ version, digest, record })
    .where("organization_id", "=", organizationId)
    .execute();
  await db
    .insertInto("lookups")
    .values(lookups)
    .onConflict((on) => on.doNothing())
    .execute();

  expect(await refusal(client.whoami())).toMatchObject(gone);
  expect(await refusal(client.createWallet({ walletName: "w", accounts: [] }))).toMatchObject(gone);
});

test("a hidden activity does not bring a deleted expiring key back", async () => {
  const organization = await newOrganization();
  const { server, root, organizationId, userId } = organization;
  const { apiKeyId, client, activity } = await addKey(organization, "900");
  await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
  await server.store.db
    .deleteFrom("activities")
    .where("organization_id", "=", organizationId)
    .where("activity_id", "=", activity.id)
    .execute();
  const replayed = post(root, "create_api_keys", first(activity.votes).message);
  expect(await refusal(replayed)).toMatchObject({
    httpStatus: 409,
    code: "ACTIVITY_ALREADY_EXECUTED",
  });
  expect(await refusal(client.whoami())).toMatchObject(gone);
});

test("a long-lived credential must remain", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  await addKey(organization, "900");
  const { apiKeys } = await root.getApiKeys({ userId });
  const { apiKeyId } = first(apiKeys);
  expect(await refusal(root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] }))).toEqual(
    badRequest(
      "USER_WITHOUT_CREDENTIAL",
      "parameters.apiKeyIds",
      `user missing valid credential: ${userId}: \`parameters.apiKeyIds\` needs an API key without expirationSeconds, or an authenticator`,
    ),
  );
  const other = await addKey(organization);
  await root.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
  await other.client.createWallet({ walletName: "w", accounts: [] });
});

test("a sub-organization's user needs no key while an email address allows login", async () => {
  const { server, root } = await newOrganization();
  const attempt = async (disabled: boolean, userEmail: string | undefined) => {
    const key = newKey();
    const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
      subOrganizationName: "sub",
      rootUsers: [
        {
          userName: "Ada",
          ...(userEmail === undefined ? {} : { userEmail }),
          apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
      rootQuorumThreshold: 1,
      disableEmailAuth: disabled,
      disableOtpEmailAuth: disabled,
      disableEmailRecovery: disabled,
    });
    const sub = clientOf(server, subOrganizationId, key);
    const userId = first(rootUserIds);
    const { apiKeyId } = first((await sub.getApiKeys({ userId })).apiKeys);
    await sub.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] });
    expect(await refusal(sub.whoami())).toMatchObject(gone);
  };
  await attempt(false, "ada@example.com");
  const locked = { httpStatus: 400, code: "USER_WITHOUT_CREDENTIAL" };
  expect(await refusal(attempt(true, "ada@example.com"))).toMatchObject(locked);
  expect(await refusal(attempt(false, undefined))).toMatchObject(locked);
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const { apiKeyId } = await addKey(organization);
  const cases: [object, string, string, string][] = [
    [
      { userId, apiKeyIds: [] },
      "FIELD_INVALID",
      "parameters.apiKeyIds",
      "must name at least one API key: `parameters.apiKeyIds` is a list of 0",
    ],
    [
      { userId, apiKeyIds: [apiKeyId, unknownId] },
      "NOT_FOUND",
      "parameters.apiKeyIds[1]",
      `API key not found: \`${unknownId}\` is not a key of the user`,
    ],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(root, "delete_api_keys", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect(
    await refusal(root.deleteApiKeys({ userId: unknownId, apiKeyIds: [apiKeyId] })),
  ).toMatchObject({
    httpStatus: 404,
    message: `user not found: unable to find user ${unknownId} in organization ${organizationId}`,
  });
});

test("the same bytes again are the same activity", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const { apiKeyId } = await addKey(organization, "900");
  const parameters = { userId, apiKeyIds: [apiKeyId] };
  const body = bodyOf(organizationId, { type, parameters });
  const one = await post(root, "delete_api_keys", body);
  expect(await post(root, "delete_api_keys", body)).toMatchObject({ id: one.id });
});

test("users can delete their own keys, but not those of others", async () => {
  const organization = await newOrganization();
  const { userId, root } = organization;
  const grace = await addUser(organization);
  const key = newKey();
  const { apiKeyIds } = await grace.client.createApiKeys({
    userId: grace.userId,
    apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
  });
  await grace.client.deleteApiKeys({ userId: grace.userId, apiKeyIds });
  const { apiKeyId } = await addKey(organization);
  await expectDenied(grace.client.deleteApiKeys({ userId, apiKeyIds: [apiKeyId] }));
  expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(2);
});
