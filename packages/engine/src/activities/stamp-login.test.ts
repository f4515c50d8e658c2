import { createHash } from "node:crypto";
import { newChild, newFamily } from "@keyhearth/api/queries/queries.testing";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestKey,
  type TestOrganization,
} from "@keyhearth/api/testing";
import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Activity } from "@keyhearth/sdk";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { describe, expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  first,
  post,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { newPasskey, passkeyClientOf } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_STAMP_LOGIN";
const gone = { httpStatus: 401, code: "CREDENTIAL_NOT_FOUND" };

/** The digest of the stamp that started the login, as its vote shows it. */
function proofDigestOf({ votes }: Activity): string {
  const { publicKey, scheme, signature } = first(votes);
  return createHash("sha256").update(`${publicKey} ${scheme} ${signature}`).digest("hex");
}

function claimsOf(session: string): Record<string, unknown> {
  return JSON.parse(decodeUtf8(decodeBase64Url(session.split(".")[1] ?? "")));
}

/** Logs in with a new key. */
async function logIn(
  { server, organizationId, root }: TestOrganization,
  parameters: { expirationSeconds?: string; invalidateExisting?: boolean } = {},
  client = root,
) {
  const key = newKey();
  const { session, activity } = await client.stampLogin({
    publicKey: key.publicKey,
    ...parameters,
  });
  return { key, session, activity, client: clientOf(server, organizationId, key) };
}

test("the session's key stamps requests as the user, and the JWT says whose it is", async () => {
  const organization = await newOrganization();
  const { organizationId, userId } = organization;
  const { key, session, activity, client } = await logIn(organization);
  const claims = claimsOf(session);
  expect(claims).toEqual({
    exp: expect.any(Number),
    public_key: key.publicKey,
    session_type: "SESSION_TYPE_READ_WRITE",
    user_id: userId,
    organization_id: organizationId,
    proof_digest: proofDigestOf(activity),
  });
  expect(Math.abs(Number(claims.exp) - Date.now() / 1000 - 900)).toBeLessThan(5);
  expect(activity.intent).toEqual({ stampLoginIntent: { publicKey: key.publicKey } });
  expect(activity.result).toEqual({ stampLoginResult: { session } });
  expect(await client.whoami()).toMatchObject({ userId });
  await client.createWallet({ walletName: "by the session", accounts: [] });
  const { apiKeys } = await client.getApiKeys({ userId });
  expect(apiKeys[1]).toMatchObject({
    apiKeyName: expect.stringMatching(/^Login - \d{4}-/),
    credential: { publicKey: key.publicKey, type: "CREDENTIAL_TYPE_LOGIN" },
    expirationSeconds: "900",
  });
});

test("a session ends after its time, by the signer's clock", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const { client, session } = await logIn(organization, { expirationSeconds: "60" });
    expect(Number(claimsOf(session).exp)).toBeLessThanOrEqual(Date.now() / 1000 + 60);
    server.clock.offsetMs += 60_000;
    for (const request of [
      () => client.whoami(),
      () => client.stampLogin({ publicKey: newKey().publicKey }),
    ]) {
      expect(await refusal(request())).toMatchObject({
        httpStatus: 401,
        code: "CREDENTIAL_EXPIRED",
        message: expect.stringContaining("Unauthenticated desc = expired api key publicKey"),
      });
    }
  } finally {
    await server.stop();
  }
});

test("a login writes no document, and a user without permissions may log in", async () => {
  const organization = await newOrganization();
  const { server, organizationId } = organization;
  const grace = await addUser(organization);
  const version = async () => {
    const text = "SELECT version FROM organizations WHERE organization_id = $1::uuid";
    return (await server.store.run("", text, [organizationId]))[0]?.version;
  };
  const before = await version();
  const { client } = await logIn(organization, {}, grace.client);
  expect(await client.whoami()).toMatchObject({ userId: grace.userId });
  expect(await version()).toBe(before);
  await logIn(organization, { invalidateExisting: true }, grace.client);
  expect(Number(await version())).toBe(Number(before) + 1);
  expect(await refusal(client.whoami())).toMatchObject(gone);
});

test("invalidateExisting ends the user's other logins, and nothing else", async () => {
  const organization = await newOrganization();
  const { server, organizationId, root, userId } = organization;
  const [one, two] = [await logIn(organization), await logIn(organization)];
  const expiring = newKey();
  const curveType = "API_KEY_CURVE_P256" as const;
  await root.createApiKeys({
    userId,
    apiKeys: [
      { apiKeyName: "k", publicKey: expiring.publicKey, curveType, expirationSeconds: "900" },
    ],
  });
  const three = await logIn(organization, { invalidateExisting: true }, one.client);
  for (const { client } of [one, two]) expect(await refusal(client.whoami())).toMatchObject(gone);
  expect(await three.client.whoami()).toMatchObject({ userId });
  expect(await clientOf(server, organizationId, expiring).whoami()).toMatchObject({ userId });
});

test("a user keeps ten sessions, and those of others stay", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  const hers = await logIn(organization, {}, grace.client);
  const mine = [];
  for (let i = 0; i < 11; i++) mine.push(await logIn(organization));
  const [oldest, ...others] = mine;
  expect(await refusal(oldest?.client.whoami() ?? Promise.reject())).toMatchObject(gone);
  for (const { client } of [hers, ...others]) {
    expect(await client.whoami()).toMatchObject({ organizationId: organization.organizationId });
  }
});

test("a key belongs to one user, who may log in with it again", async () => {
  const organization = await newOrganization();
  const { root, rootKey } = organization;
  const grace = await addUser(organization);
  const { key, client } = await logIn(organization);
  const { publicKey } = key;
  await root.stampLogin({ publicKey, expirationSeconds: "60" });
  expect((await client.getApiKeys()).apiKeys.map((each) => each.expirationSeconds)).toEqual([
    undefined,
    "60",
    undefined,
  ]);
  const taken = { httpStatus: 409, code: "PUBLIC_KEY_TAKEN", field: "parameters.publicKey" };
  expect(await refusal(grace.client.stampLogin({ publicKey }))).toMatchObject(taken);
  expect(await refusal(root.stampLogin({ publicKey: grace.key.publicKey }))).toMatchObject(taken);
  const itself = badRequest(
    "FIELD_INVALID",
    "parameters.publicKey",
    expect.stringContaining("make a new key pair for each session, also to prolong one"),
  );
  expect(await refusal(root.stampLogin({ publicKey: rootKey.publicKey }))).toEqual(itself);
  expect(await refusal(client.stampLogin({ publicKey }))).toEqual(itself);
});

test("the same bytes start one session and get the same answer", async () => {
  const organization = await newOrganization();
  const { root, organizationId } = organization;
  const body = bodyOf(organizationId, { type, parameters: { publicKey: newKey().publicKey } });
  const one = await post(root, "stamp_login", body);
  expect(await post(root, "stamp_login", body)).toEqual(one);
  expect((await root.getApiKeys()).apiKeys).toHaveLength(2);
});

test("refuses bad parameters, each with its field", async () => {
  const { root } = await newOrganization();
  const { publicKey } = newKey();
  const cases: [object, string, string, string][] = [
    [{ publicKey: `04${publicKey.slice(2)}` }, "FIELD_INVALID", "publicKey", "compressed P-256"],
    [
      { publicKey: `02${"f".repeat(64)}` },
      "FIELD_INVALID",
      "publicKey",
      "not a point on the curve",
    ],
    [
      { publicKey, expirationSeconds: "0" },
      "FIELD_INVALID",
      "expirationSeconds",
      "invalid api key expiration",
    ],
    [
      { publicKey, sessionProfileId: "x" },
      "FIELD_UNSUPPORTED",
      "sessionProfileId",
      "a session profile is not supported",
    ],
    [{ publicKey, userId: "x" }, "FIELD_UNKNOWN", "userId", "userId"],
  ];
  for (const [parameters, code, member, text] of cases) {
    const refused = await refusal(submit(root, "stamp_login", { type, parameters }));
    const message = expect.stringContaining(text);
    expect(refused).toEqual(badRequest(code, `parameters.${member}`, message));
  }
});

test("a policy can refuse a login", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await organization.root.createPolicy({
    policyName: "short sessions only",
    effect: "EFFECT_DENY",
    condition: "activity.kind == 'STAMP_LOGIN' && activity.params.expiration_seconds != '900'",
    notes: "",
  });
  await logIn(organization, {}, grace.client);
  const long = grace.client.stampLogin({
    publicKey: newKey().publicKey,
    expirationSeconds: "86400",
  });
  expect(await refusal(long)).toMatchObject({ httpStatus: 403, code: "POLICY_DENIED" });
});

test("a login that waited for approvals names the stamp that started it", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  await root.createPolicy({
    policyName: "two for logins",
    effect: "EFFECT_ALLOW",
    condition: "activity.kind == 'STAMP_LOGIN'",
    consensus: "approvers.count() >= 2",
    notes: "",
  });
  const { publicKey } = newKey();
  const { fingerprint } = await startWaiting(grace.client, "stamp_login", {
    type,
    parameters: { publicKey },
  });
  const { activity } = await root.approveActivity({ fingerprint });
  expect(activity.votes.map((vote) => vote.publicKey)).toEqual([
    grace.key.publicKey,
    organization.rootKey.publicKey,
  ]);
  const { session = "" } = activity.result.stampLoginResult ?? {};
  expect(claimsOf(session)).toMatchObject({
    user_id: grace.userId,
    proof_digest: proofDigestOf(activity),
  });
});

describe("with the id of the parent", () => {
  test("a login is for the one sub-organization that the credential belongs to", async () => {
    const { parent, child } = await newFamily();
    const { organizationId } = parent;
    const publicKey = newKey().publicKey;
    const { session, activity } = await child.root.stampLogin({ publicKey }, { organizationId });
    expect(activity.organizationId).toBe(child.organizationId);
    expect(claimsOf(session)).toMatchObject({
      organization_id: child.organizationId,
      user_id: child.userId,
    });
    const { targetPublicKey } = createTargetKey();
    const made = await child.root.createReadWriteSession({ targetPublicKey }, { organizationId });
    expect(made).toMatchObject({ organizationId: child.organizationId, userId: child.userId });
    const read = await child.root.createReadOnlySession({}, { organizationId });
    expect(read).toMatchObject({ organizationId: child.organizationId, username: "Ada" });
  });

  test("a session of the sub-organization may log in again", async () => {
    const { parent, child } = await newFamily();
    const one = await logIn(child);
    const client = clientOf(parent.server, parent.organizationId, one.key);
    const { session } = await client.stampLogin({ publicKey: newKey().publicKey });
    expect(claimsOf(session)).toMatchObject({ organization_id: child.organizationId });
  });

  test("a passkey of the sub-organization logs in, and one of two is refused", async () => {
    const { parent, child } = await newFamily();
    const { server, organizationId } = parent;
    const passkey = newPasskey();
    const authenticators = [passkey.params];
    await child.root.createAuthenticators({ userId: child.userId, authenticators });
    const client = passkeyClientOf(server, organizationId, passkey);
    const { session } = await client.stampLogin({ publicKey: newKey().publicKey });
    expect(claimsOf(session)).toMatchObject({
      organization_id: child.organizationId,
      user_id: child.userId,
    });
    const sibling = await newChild(parent, { name: "same passkey" });
    await sibling.root.createAuthenticators({ userId: sibling.userId, authenticators });
    expect(await refusal(client.stampLogin({ publicKey: newKey().publicKey }))).toMatchObject({
      httpStatus: 401,
      code: "CREDENTIAL_AMBIGUOUS",
      message: expect.stringContaining("more than one suborg associated with a credential ID"),
    });
  });

  test("a credential that a user of the parent registered alone yields to that of a sub-organization", async () => {
    const { parent } = await newFamily();
    const grace = await addUser(parent);
    const [own, given] = [newKey(), newKey()];
    const curveType = "API_KEY_CURVE_P256" as const;
    const paramsOf = (apiKeyName: string, { publicKey }: TestKey) => ({
      userId: grace.userId,
      apiKeys: [{ apiKeyName, publicKey, curveType }],
    });
    await grace.client.createApiKeys(paramsOf("own", own));
    await parent.root.createApiKeys(paramsOf("given", given));
    const { server, organizationId } = parent;
    const homeOf = async (key: TestKey) => {
      const login = { publicKey: newKey().publicKey };
      const { activity } = await clientOf(server, organizationId, key).stampLogin(login);
      return activity.organizationId;
    };
    for (const key of [own, given]) expect(await homeOf(key)).toBe(organizationId);
    const child = await newChild(parent, { name: "one", key: own });
    await newChild(parent, { name: "other", key: given });
    expect(await homeOf(own)).toBe(child.organizationId);
    expect(await homeOf(given)).toBe(organizationId);
  });

  test("the parent's own user logs in to the parent", async () => {
    const { parent } = await newFamily();
    await newChild(parent, { name: "same key", key: parent.rootKey });
    const { activity } = await logIn(parent);
    expect(activity.organizationId).toBe(parent.organizationId);
  });

  test("a credential of two sub-organizations is refused", async () => {
    const { parent, child } = await newFamily();
    const { organizationId } = parent;
    await newChild(parent, { name: "same key", key: child.rootKey });
    const { publicKey } = newKey();
    expect(await refusal(child.root.stampLogin({ publicKey }, { organizationId }))).toMatchObject({
      httpStatus: 401,
      code: "CREDENTIAL_AMBIGUOUS",
      message: expect.stringContaining("more than one suborg associated with a public key"),
    });
    await child.root.stampLogin({ publicKey });
  });

  test("nothing else is for the sub-organization, and the parent does not log in there", async () => {
    const { parent, child } = await newFamily();
    const { organizationId } = parent;
    const wallet = child.root.createWallet({ walletName: "w", accounts: [] }, { organizationId });
    expect(await refusal(wallet)).toMatchObject(gone);
    const { publicKey } = newKey();
    const login = parent.root.stampLogin({ publicKey }, { organizationId: child.organizationId });
    expect(await refusal(login)).toMatchObject({
      httpStatus: 403,
      code: "REQUEST_NOT_AUTHORIZED",
      message: expect.stringContaining("request not authorized"),
    });
  });
});
