import { createSignup, type Signup } from "@keyhearth/api/host/signup";
import {
  clientOf,
  fetchOf,
  newKey,
  newOrganization,
  rootOrganizationIdOf,
  startTestServer,
  type TestKey,
  type TestOrganization,
} from "@keyhearth/api/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  errorOf,
  passkey,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";
import { newPasskey, passkeyClientOf } from "../passkey.testing.ts";

const endpoint = "create_organization";
const type = "ACTIVITY_TYPE_CREATE_ORGANIZATION_V2";

let organization: TestOrganization;
let rootId: string;

// A server of its own, because a test moves the clock, which other tests share.
beforeAll(async () => {
  organization = await newOrganization(await startTestServer());
  rootId = await rootOrganizationIdOf(organization.server);
});

afterAll(() => organization?.server.stop());

function keyParams({ publicKey }: TestKey) {
  return { apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" as const };
}

/** A client as a stranger has it: a new key, and the id in the well-known file. */
function stranger(key = newKey(), signup?: Signup) {
  const { server } = organization;
  const fetch = signup ? fetchOf(server.host, signup) : server.fetch;
  return { key, client: clientOf({ ...server, fetch }, rootId, key) };
}

test("a stranger creates an organization, and its key works there at once", async () => {
  const { key, client } = stranger();
  const body = bodyOf(rootId, {
    type,
    parameters: {
      organizationName: "Acme",
      rootEmail: "ada@example.com",
      rootUserName: "Ada",
      rootApiKey: keyParams(key),
    },
  });
  const activity = await post(client, endpoint, body);
  const { createOrganizationResult: result } = activity.result;
  if (!result) throw new Error("no result");
  const { organizationId, userId } = result;
  expect(activity).toMatchObject({
    organizationId,
    type,
    status: "ACTIVITY_STATUS_COMPLETED",
    intent: { createOrganizationIntentV2: { organizationName: "Acme" } },
    votes: [{ userId, message: body, publicKey: key.publicKey }],
  });
  expect(organizationId).not.toBe(rootId);

  const own = clientOf(organization.server, organizationId, key);
  expect(await own.whoami()).toEqual({
    organizationId,
    organizationName: "Acme",
    userId,
    username: "Ada",
  });
  const { activity: polled } = await own.getActivity({ activityId: activity.id });
  expect(polled).toMatchObject({ id: activity.id, status: "ACTIVITY_STATUS_COMPLETED" });
  await own.createWallet({ walletName: "first", accounts: [] });
  const { users } = await own.listUsers();
  expect(users).toMatchObject([{ userId, userEmail: "ada@example.com" }]);
  const { configs } = await own.getOrganizationConfigs();
  expect(configs).toEqual({ features: [], quorum: { threshold: 1, userIds: [userId] } });
});

test("a user without a name is called by the email address", async () => {
  for (const [given, username] of [
    [{ rootEmail: "ada@example.com" }, "ada@example.com"],
    [{}, "Root user"],
  ] as const) {
    const { key, client } = stranger();
    const { organizationId } = await client.createOrganization({
      organizationName: "Acme",
      ...given,
      rootApiKey: keyParams(key),
    });
    const own = clientOf(organization.server, organizationId, key);
    expect(await own.whoami()).toMatchObject({ username });
  }
});

test("the request must be stamped with the key that it registers", async () => {
  const [registered, other] = [newKey(), newKey()];
  const { client } = stranger(other);
  const rootApiKey = keyParams(registered);
  const parameters = { organizationName: "Acme", rootApiKey };
  expect(await refusal(submit(client, endpoint, { type, parameters }))).toEqual({
    httpStatus: 401,
    grpcCode: 16,
    code: "STAMP_INVALID",
    field: undefined,
    message:
      "the request must be stamped with the credential that it registers, over exactly the bytes that are sent",
  });
  // The same point under another curve is another credential.
  const curveType = "API_KEY_CURVE_SECP256K1";
  const onBoth = { ...keyParams(other), curveType, publicKey: other.publicKey };
  const refused = await refusal(
    submit(client, endpoint, { type, parameters: { ...parameters, rootApiKey: onBoth } }),
  );
  expect(["STAMP_INVALID", "FIELD_INVALID"]).toContain(refused.code);
});

test("refuses bad parameters, each with its field", async () => {
  const { key, client } = stranger();
  const good = { organizationName: "Acme", rootApiKey: keyParams(key) };
  const cases: [object, string, string, unknown][] = [
    [{ ...good, rootEmail: "ada" }, "FIELD_INVALID", "parameters.rootEmail", /invalid email/],
    [{ organizationName: "Acme" }, "FIELD_INVALID", "parameters.rootApiKey", /missing field/],
    [
      { ...good, rootApiKey: { ...good.rootApiKey, expirationSeconds: "60" } },
      "FIELD_INVALID",
      "parameters.rootApiKey.expirationSeconds",
      /must not expire/,
    ],
    [
      { ...good, rootApiKey: { ...good.rootApiKey, publicKey: `02${"ff".repeat(32)}` } },
      "FIELD_INVALID",
      "parameters.rootApiKey.publicKey",
      /not a compressed public key/,
    ],
    [
      { ...good, rootAuthenticator: passkey },
      "FIELD_INVALID",
      "parameters.rootAuthenticator.attestation.clientDataJson",
      /invalid authenticator attestation/,
    ],
    [{ ...good, rootUserId: "x" }, "FIELD_UNKNOWN", "parameters.rootUserId", expect.any(String)],
  ];
  for (const [parameters, code, field, message] of cases) {
    const refused = await refusal(submit(client, endpoint, { type, parameters }));
    const text = message instanceof RegExp ? expect.stringMatching(message) : message;
    expect(refused).toEqual(badRequest(code, field, text));
  }
});

test("refuses another organization's id, with the one that it expects", async () => {
  const { key } = stranger();
  const client = clientOf(organization.server, organization.organizationId, key);
  const parameters = { organizationName: "Acme", rootApiKey: keyParams(key) };
  expect(await refusal(submit(client, endpoint, { type, parameters }))).toEqual(
    badRequest(
      "ORGANIZATION_MISMATCH",
      "organizationId",
      `\`organizationId\` must be the \`rootOrganizationId\` of /.well-known/keyhearth.json, ${rootId}`,
    ),
  );
});

test("refuses a request that is more than an hour old", async () => {
  const { key, client } = stranger();
  const parameters = { organizationName: "Acme", rootApiKey: keyParams(key) };
  const timestampMs = Date.now() - 3600_000;
  expect(await refusal(submit(client, endpoint, { type, parameters, timestampMs }))).toMatchObject({
    httpStatus: 400,
    code: "TIMESTAMP_OUT_OF_RANGE",
  });
});

test("a closed service refuses everybody, even its root user", async () => {
  const closed = createSignup({ isOpen: false, isLimited: false });
  for (const key of [newKey(), organization.rootKey]) {
    const { client } = stranger(key, closed);
    const rootApiKey = keyParams(key);
    const created = client.createOrganization({ organizationName: "Acme", rootApiKey });
    expect(await refusal(created)).toEqual({
      httpStatus: 403,
      grpcCode: 7,
      code: "REQUEST_NOT_AUTHORIZED",
      field: undefined,
      message:
        "request not authorized: this service is closed for signup; its operator opens it with KEYHEARTH_SIGNUP=open",
    });
  }
});

test("simulation says that no policy decides about it", async () => {
  const { root, organizationId } = organization;
  const parameters = { organizationName: "Acme", rootApiKey: keyParams(newKey()) };
  const asked = root.simulateActivity({ activity: { type, parameters } }, { organizationId });
  expect(await errorOf(asked)).toMatchObject({ field: "activity.type", code: "FIELD_INVALID" });
});

test("a passkey that the request registers may stamp it", async () => {
  const passkey = newPasskey();
  const client = passkeyClientOf(organization.server, rootId, passkey);
  const parameters = { organizationName: "Acme", rootAuthenticator: passkey.params };
  const { result } = await submit(client, endpoint, { type, parameters });
  const { organizationId = "", userId } = result.createOrganizationResult ?? {};
  const own = passkeyClientOf(organization.server, organizationId, passkey);
  expect(await own.whoami()).toMatchObject({ organizationId, userId });
  await own.createWallet({ walletName: "w", accounts: [] });

  const other = newPasskey();
  const stolen = submit(passkeyClientOf(organization.server, rootId, other), endpoint, {
    type,
    parameters: { organizationName: "Acme", rootAuthenticator: newPasskey().params },
  });
  expect(await refusal(stolen)).toMatchObject({ httpStatus: 401, code: "STAMP_INVALID" });
});

test("the same bytes sent again create nothing and get the same activity, even a day later", async () => {
  // A server of its own, because the signer's clock does not run backwards.
  const server = await startTestServer();
  try {
    const ownRootId = await rootOrganizationIdOf(server);
    const key = newKey();
    const client = clientOf(server, ownRootId, key);
    const parameters = { organizationName: "Acme", rootApiKey: keyParams(key) };
    const body = bodyOf(ownRootId, { type, parameters });
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => post(client, endpoint, body)));
    for (const other of others) expect(other.id).toBe(first?.id);
    server.clock.offsetMs += 24 * 3600_000;
    expect(await post(client, endpoint, body)).toEqual(first);
  } finally {
    await server.stop();
  }
});
