import { clientOf, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { openCredentialBundle } from "@keyhearth/crypto/sealing/open-bundle";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION_V2";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };
const { targetPublicKey, targetPrivateKey } = createTargetKey();

/** The client of a session whose key is in the bundle. */
function clientWith({ server, organizationId }: TestOrganization, credentialBundle: string) {
  const bytes = openCredentialBundle(credentialBundle, decodeHex(targetPrivateKey));
  const publicKey = encodeHex(publicKeyOf("CURVE_P256", bytes));
  return clientOf(server, organizationId, { publicKey, privateKey: encodeHex(bytes) });
}

test("the key in the bundle stamps requests as the user", async () => {
  const organization = await newOrganization();
  const { root, organizationId, userId } = organization;
  const { activity, ...result } = await root.createReadWriteSession({ targetPublicKey });
  expect(result).toEqual({
    organizationId,
    organizationName: "Test organization",
    userId,
    username: "Root user",
    apiKeyId: expect.any(String),
    credentialBundle: expect.any(String),
  });
  expect(activity.result).toEqual({ createReadWriteSessionResultV2: result });
  const client = clientWith(organization, result.credentialBundle);
  expect(await client.whoami()).toMatchObject({ userId });
  await client.createWallet({ walletName: "by the session", accounts: [] });
  const { apiKey } = await root.getApiKey({ apiKeyId: result.apiKeyId });
  expect(apiKey).toMatchObject({
    apiKeyName: expect.stringMatching(/^Read Write Session - \d{4}-/),
    credential: { type: "CREDENTIAL_TYPE_READ_WRITE_SESSION_KEY_P256" },
    expirationSeconds: "900",
  });
  await root.logOutEverywhere({ userId });
  expect(await refusal(client.whoami())).toMatchObject(gone);
});

test("name, lifetime and the end of other sessions are as asked", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const login = await root.createReadWriteSession({ targetPublicKey });
  const { apiKeyId } = await root.createReadWriteSession({
    targetPublicKey,
    apiKeyName: "phone",
    expirationSeconds: "60",
    invalidateExisting: true,
  });
  const { apiKeys } = await root.getApiKeys({ userId });
  expect(apiKeys[1]).toMatchObject({ apiKeyId, apiKeyName: "phone", expirationSeconds: "60" });
  expect(apiKeys).toHaveLength(2);
  const first = clientWith(organization, login.credentialBundle);
  expect(await refusal(first.whoami())).toMatchObject(gone);
});

test("for another user it needs a permission, and a DENY about the user cannot be avoided", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const forRoot = () => grace.client.createReadWriteSession({ targetPublicKey, userId });
  await expectDenied(forRoot());
  const { policyId } = await root.createPolicy({
    policyName: "sessions for the root user",
    effect: "EFFECT_ALLOW",
    condition: `activity.kind == 'CREATE_READ_WRITE_SESSION' && activity.params.user_id == '${userId}'`,
    consensus: `approvers.any(user, user.id == '${grace.userId}')`,
    notes: "",
  });
  const { credentialBundle } = await forRoot();
  const client = clientWith(organization, credentialBundle);
  expect(await client.whoami()).toMatchObject({ userId });
  await root.deletePolicy({ policyId });
  await root.createPolicy({
    policyName: "none for Grace",
    effect: "EFFECT_DENY",
    condition: `activity.kind == 'CREATE_READ_WRITE_SESSION' && activity.params.user_id == '${grace.userId}'`,
    notes: "",
  });
  const denied = { httpStatus: 403, code: "POLICY_DENIED" };
  // Without `userId`, the session would be Grace's own.
  expect(await refusal(grace.client.createReadWriteSession({ targetPublicKey }))).toMatchObject(
    denied,
  );
});

test("the first version names the user by email", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const email = "Grace@bank.example";
  const user = {
    userName: "Grace",
    userEmail: email,
    apiKeys: [],
    authenticators: [],
    oauthProviders: [],
    userTags: [],
  };
  const grace = await addUser(organization, "Another");
  const v1 = "ACTIVITY_TYPE_CREATE_READ_WRITE_SESSION";
  const ask = (client = root, parameters: object = {}) =>
    submit(client, "create_read_write_session", {
      type: v1,
      parameters: { targetPublicKey, email: "grace@BANK.example", ...parameters },
    });
  expect(await refusal(ask())).toMatchObject({ httpStatus: 404, field: "parameters.email" });
  const key = () => ({
    apiKeyName: "k",
    publicKey: createTargetKey().targetPublicKey,
    curveType: "API_KEY_CURVE_P256" as const,
  });
  const compressed = () => {
    const { publicKey, ...rest } = key();
    const sign = Number.parseInt(publicKey.slice(-1), 16) % 2 === 0 ? "02" : "03";
    return { ...rest, publicKey: `${sign}${publicKey.slice(2, 66)}` };
  };
  const { userIds } = await root.createUsers({ users: [{ ...user, apiKeys: [compressed()] }] });
  const activity = await ask();
  expect(activity.result).toEqual({
    createReadWriteSessionResult: expect.objectContaining({
      userId: userIds[0],
      username: "Grace",
    }),
  });
  expect(await refusal(ask(grace.client))).toMatchObject({ httpStatus: 403 });
  // The lower case of the sign for kelvin is an ASCII letter, and this is another address.
  const lookalike = ask(root, { email: "grace@ban\u212a.example" });
  expect(await refusal(lookalike)).toMatchObject({ httpStatus: 404, field: "parameters.email" });
  await root.createUsers({ users: [{ ...user, userName: "Grace II", apiKeys: [compressed()] }] });
  expect(await refusal(ask())).toEqual(
    badRequest("FIELD_INVALID", "parameters.email", expect.stringContaining("more than one user")),
  );
});

test("a session that waits for approvals starts once, when it has them", async () => {
  const organization = await newQuorum();
  const { root, second, third, server, organizationId } = organization;
  const waiting = await startWaiting(root, "create_read_write_session", {
    type,
    parameters: { targetPublicKey, userId: third.userId },
  });
  await second.client.approveActivity({ fingerprint: waiting.fingerprint });
  const { activity } = await root.getActivity({ activityId: waiting.id });
  const result = activity.result.createReadWriteSessionResultV2;
  const client = clientWith(organization, result?.credentialBundle ?? "");
  expect(await client.whoami()).toMatchObject({ userId: third.userId });
  const text = "SELECT version FROM organizations WHERE organization_id = $1::uuid";
  const [row] = await server.store.run("", text, [organizationId]);
  // The document lists what waits and remembers the decision: two users, the quorum, and these two.
  expect(Number(row?.version)).toBe(6);
});

test("refuses bad parameters, each with its field", async () => {
  const { root, organizationId } = await newOrganization();
  const unknown = "00000000-0000-4000-8000-000000000000";
  const cases: [object, string, string][] = [
    [{ targetPublicKey: "04" }, "targetPublicKey", "expected a P-256 public key"],
    [
      { targetPublicKey, expirationSeconds: "-1" },
      "expirationSeconds",
      "invalid api key expiration",
    ],
  ];
  for (const [parameters, member, text] of cases) {
    const refused = await refusal(submit(root, "create_read_write_session", { type, parameters }));
    const message = expect.stringContaining(text);
    expect(refused).toEqual(badRequest("FIELD_INVALID", `parameters.${member}`, message));
  }
  const refused = await refusal(root.createReadWriteSession({ targetPublicKey, userId: unknown }));
  expect(refused).toMatchObject({
    httpStatus: 404,
    field: "parameters.userId",
    message: `user not found: unable to find user ${unknown} in organization ${organizationId}`,
  });
});
