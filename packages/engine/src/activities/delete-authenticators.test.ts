import { clientOf, newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  first,
  refusal,
  submit,
} from "../organization.testing.ts";
import { newPasskey, passkeyClientOf } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_AUTHENTICATORS";
const unknownId = "00000000-0000-4000-8000-000000000000";

async function addPasskey({ server, organizationId, root, userId }: TestOrganization) {
  const passkey = newPasskey();
  const authenticators = [passkey.params];
  const { authenticatorIds } = await root.createAuthenticators({ userId, authenticators });
  const client = passkeyClientOf(server, organizationId, passkey);
  return { passkey, authenticatorId: first(authenticatorIds), client };
}

test("a deleted passkey does not authenticate and is not shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { authenticatorId, client, passkey } = await addPasskey(organization);
  const other = await addPasskey(organization);
  await client.createWallet({ walletName: "before", accounts: [] });
  const { authenticatorIds, activity } = await root.deleteAuthenticators({
    userId,
    authenticatorIds: [authenticatorId],
  });
  expect(authenticatorIds).toEqual([authenticatorId]);
  expect(activity.intent).toEqual({ deleteAuthenticatorsIntent: { userId, authenticatorIds } });
  expect(activity.result).toEqual({ deleteAuthenticatorsResult: { authenticatorIds } });
  const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };
  expect(await refusal(client.whoami())).toMatchObject(gone);
  expect(await refusal(client.createWallet({ walletName: "w", accounts: [] }))).toMatchObject(gone);
  expect((await root.getAuthenticators({ userId })).authenticators).toHaveLength(1);
  expect(await refusal(root.getAuthenticator({ authenticatorId }))).toMatchObject({
    httpStatus: 404,
  });
  await other.client.createWallet({ walletName: "other", accounts: [] });
  // What was deleted can be registered again, by a new request.
  await root.createAuthenticators({ userId, authenticators: [passkey.params] });
  expect(await client.whoami()).toMatchObject({ userId });
});

test("a repeated id counts once", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { authenticatorId } = await addPasskey(organization);
  const repeated = [authenticatorId, authenticatorId];
  const { authenticatorIds } = await root.deleteAuthenticators({
    userId,
    authenticatorIds: repeated,
  });
  expect(authenticatorIds).toEqual([authenticatorId]);
});

test("expiring keys of the user stay valid", async () => {
  const organization = await newOrganization();
  const { server, organizationId, root, userId } = organization;
  const key = newKey();
  await root.createApiKeys({
    userId,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: key.publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "900",
      },
    ],
  });
  const { authenticatorId } = await addPasskey(organization);
  await root.deleteAuthenticators({ userId, authenticatorIds: [authenticatorId] });
  expect(await clientOf(server, organizationId, key).whoami()).toMatchObject({ userId });
});

test("a lasting credential must remain, of either kind", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const { authenticatorId, client } = await addPasskey(organization);
  const { apiKeys } = await root.getApiKeys({ userId });
  await client.deleteApiKeys({ userId, apiKeyIds: [first(apiKeys).apiKeyId] });
  const last = client.deleteAuthenticators({ userId, authenticatorIds: [authenticatorId] });
  expect(await refusal(last)).toEqual(
    badRequest(
      "USER_WITHOUT_CREDENTIAL",
      "parameters.authenticatorIds",
      `user missing valid credential: ${userId}: \`parameters.authenticatorIds\` needs an API key without expirationSeconds, or an authenticator`,
    ),
  );
});

test("the authenticator must be one of the user", async () => {
  const organization = await newOrganization();
  const { root, userId, server } = organization;
  const { authenticatorId } = await addPasskey(organization);
  const other = await addUser(organization);
  const stranger = await newOrganization(server);
  for (const id of [unknownId, (await addPasskey(stranger)).authenticatorId]) {
    const refused = root.deleteAuthenticators({ userId, authenticatorIds: [authenticatorId, id] });
    expect(await refusal(refused)).toMatchObject({
      httpStatus: 400,
      field: "parameters.authenticatorIds[1]",
      message: `authenticator not found: \`${id}\` is not an authenticator of the user`,
    });
  }
  const ofAnother = root.deleteAuthenticators({
    userId: other.userId,
    authenticatorIds: [authenticatorId],
  });
  expect(await refusal(ofAnother)).toMatchObject({ field: "parameters.authenticatorIds[0]" });
  const nothing = { type, parameters: { userId, authenticatorIds: [] } };
  expect(await refusal(submit(root, "delete_authenticators", nothing))).toMatchObject({
    field: "parameters.authenticatorIds",
    message: expect.stringContaining("must name at least one authenticator"),
  });
});

test("users delete their own passkeys, and nobody else's", async () => {
  const organization = await newOrganization();
  const { userId } = organization;
  const { authenticatorId } = await addPasskey(organization);
  const { client } = await addUser(organization);
  const authenticatorIds = [authenticatorId];
  await expectDenied(client.deleteAuthenticators({ userId, authenticatorIds }));
});
