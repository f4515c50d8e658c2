import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestKey,
} from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  bodyOf,
  expectDenied,
  impatient,
  post,
  refusal,
  submit,
} from "../organization.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_API_KEYS_V2";
const unknownId = "00000000-0000-4000-8000-000000000000";

function params({ publicKey }: TestKey, expirationSeconds?: string) {
  return {
    apiKeyName: "phone",
    publicKey,
    curveType: "API_KEY_CURVE_P256" as const,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
}

test("long-lived and expiring keys authenticate and are shown", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const [lasting, expiring] = [newKey(), newKey()];
  const { apiKeyIds, activity } = await root.createApiKeys({
    userId,
    apiKeys: [params(lasting), params(expiring, "900")],
  });
  expect(Object.keys(activity.intent)).toEqual(["createApiKeysIntentV2"]);
  expect(activity.result).toEqual({ createApiKeysResult: { apiKeyIds } });

  const { apiKeys } = await root.getApiKeys({ userId });
  expect(apiKeys.slice(1)).toEqual([
    expect.objectContaining({ apiKeyId: apiKeyIds[0], apiKeyName: "phone" }),
    expect.objectContaining({ apiKeyId: apiKeyIds[1], expirationSeconds: "900" }),
  ]);
  expect(apiKeys[1]).not.toHaveProperty("expirationSeconds");
  const [apiKeyId = ""] = apiKeyIds;
  expect((await root.getApiKey({ apiKeyId })).apiKey.credential).toEqual({
    publicKey: lasting.publicKey,
    type: "CREDENTIAL_TYPE_API_KEY_P256",
  });
  for (const key of [lasting, expiring]) {
    const client = clientOf(server, organizationId, key);
    expect(await client.whoami()).toMatchObject({ organizationId, userId });
    await client.createWallet({ walletName: key.publicKey, accounts: [] });
  }
});

test("the first version registers P-256 keys", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const key = newKey();
  const asked = { userId, apiKeys: [{ apiKeyName: "old", publicKey: key.publicKey }] };
  const { apiKeyIds, activity } = await root.createApiKeys(asked, {
    type: "ACTIVITY_TYPE_CREATE_API_KEYS",
  });
  expect(activity.intent).toEqual({ createApiKeysIntent: asked });
  expect(activity.result).toEqual({ createApiKeysResult: { apiKeyIds } });
  expect(await clientOf(server, organizationId, key).whoami()).toMatchObject({ userId });
});

test("the lifetime of an expiring key may be a number", async () => {
  const { root, userId } = await newOrganization();
  const apiKeys = [{ ...params(newKey()), expirationSeconds: 900 }];
  const activity = await submit(root, "create_api_keys", { type, parameters: { userId, apiKeys } });
  expect(activity.intent).toMatchObject({
    createApiKeysIntentV2: { apiKeys: [{ expirationSeconds: "900" }] },
  });
  expect((await root.getApiKeys({ userId })).apiKeys.at(-1)?.expirationSeconds).toBe("900");
});

test("an expired key is refused with the message that clients know", async () => {
  const server = await startTestServer();
  try {
    const { root, organizationId, userId } = await newOrganization(server);
    const key = newKey();
    await root.createApiKeys({ userId, apiKeys: [params(key, "60")] });
    const client = clientOf(server, organizationId, key);
    server.clock.offsetMs = 58_000;
    expect(await client.whoami()).toMatchObject({ userId });
    server.clock.offsetMs = 61_000;
    const expired = {
      httpStatus: 401,
      grpcCode: 16,
      code: "CREDENTIAL_EXPIRED",
      field: undefined,
      message: `could not authenticate: rpc error: code = Unauthenticated desc = expired api key publicKey=${key.publicKey}`,
    };
    expect(await refusal(client.whoami())).toEqual(expired);
    const wallet = client.createWallet({ walletName: "w", accounts: [] });
    expect(await refusal(wallet)).toEqual(expired);
    expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(1);
  } finally {
    await server.stop();
  }
});

test("a user has at most ten live expiring keys, and the oldest is dropped", async () => {
  const { server, root, organizationId, userId } = await newOrganization();
  const keys = Array.from({ length: 12 }, () => newKey());
  for (const key of keys) await root.createApiKeys({ userId, apiKeys: [params(key, "900")] });
  const live = (await root.getApiKeys({ userId })).apiKeys
    .filter(({ expirationSeconds }) => expirationSeconds !== undefined)
    .map(({ credential }) => credential.publicKey);
  expect(live).toEqual(keys.slice(2).map(({ publicKey }) => publicKey));
  const [oldest = newKey()] = keys;
  expect(await refusal(clientOf(server, organizationId, oldest).whoami())).toMatchObject({
    httpStatus: 401,
    code: "CREDENTIAL_NOT_FOUND",
  });
  const newest = keys.at(-1) ?? newKey();
  expect(await clientOf(server, organizationId, newest).whoami()).toMatchObject({ userId });
});

test("a user has at most ten long-lived keys", async () => {
  const organization = await newOrganization();
  const { userId } = organization;
  const root = impatient(organization);
  const apiKeys = (count: number) => Array.from({ length: count }, () => params(newKey()));
  expect(await refusal(root.createApiKeys({ userId, apiKeys: apiKeys(10) }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.apiKeys",
    message: "user has exceeded maximum long-lived api keys: a user may have 10",
  });
  await root.createApiKeys({ userId, apiKeys: apiKeys(9) });
  await root.createApiKeys({ userId, apiKeys: [params(newKey(), "900")] });
});

test("a public key can be registered only once", async () => {
  const { root, rootKey, userId } = await newOrganization();
  const expiring = newKey();
  await root.createApiKeys({ userId, apiKeys: [params(expiring, "900")] });
  const twice = newKey();
  const cases: [object[], number, string][] = [
    [[params(rootKey)], 0, rootKey.publicKey],
    [[params(rootKey, "900")], 0, rootKey.publicKey],
    [[params(expiring)], 0, expiring.publicKey],
    [[params(expiring, "900")], 0, expiring.publicKey],
    [[params(twice), params(twice, "900")], 1, twice.publicKey],
  ];
  for (const [apiKeys, index, publicKey] of cases) {
    const parameters = { userId, apiKeys };
    expect(await refusal(submit(root, "create_api_keys", { type, parameters }))).toEqual({
      httpStatus: 409,
      grpcCode: 6,
      code: "PUBLIC_KEY_TAKEN",
      field: `parameters.apiKeys[${index}].publicKey`,
      message: `an API key with public key \`${publicKey}\` already exists in this organization`,
    });
  }
});

test("the same bytes again are the same activity and create nothing new", async () => {
  const { root, organizationId, userId } = await newOrganization();
  for (const expirationSeconds of [undefined, "900"]) {
    const parameters = { userId, apiKeys: [params(newKey(), expirationSeconds)] };
    const body = bodyOf(organizationId, { type, parameters });
    const one = await post(root, "create_api_keys", body);
    const count = (await root.getApiKeys({ userId })).apiKeys.length;
    const again = [1, 2, 3].map(() => post(root, "create_api_keys", body));
    for (const activity of await Promise.all(again)) expect(activity).toEqual(one);
    expect((await root.getApiKeys({ userId })).apiKeys).toHaveLength(count);
  }
});

test("bad parameters are refused by field", async () => {
  const { root, organizationId, userId } = await newOrganization();
  const key = params(newKey());
  const at = "parameters.apiKeys[0]";
  const invalidExpiration = (value: unknown) =>
    `invalid api key expiration: \`${at}.expirationSeconds\` is \`${value}\`; expected for example \`900\``;
  const cases: [object, string, string][] = [
    [
      { publicKey: "02ab" },
      `${at}.publicKey`,
      `expected 66 hex characters (64 for Ed25519): \`${at}.publicKey\` is \`02ab\``,
    ],
    [
      { publicKey: `02${"f".repeat(64)}` },
      `${at}.publicKey`,
      `\`${at}.publicKey\` is not a compressed public key of API_KEY_CURVE_P256`,
    ],
    ...["0", "-1", "1.5", "soon", "", 0, 1.5, "10000000000"].map(
      (value): [object, string, string] => [
        { expirationSeconds: value },
        `${at}.expirationSeconds`,
        invalidExpiration(value),
      ],
    ),
  ];
  for (const [change, field, message] of cases) {
    const parameters = { userId, apiKeys: [{ ...key, ...change }] };
    const refused = await refusal(submit(root, "create_api_keys", { type, parameters }));
    expect(refused).toEqual(badRequest("FIELD_INVALID", field, message));
  }
  expect(await refusal(root.createApiKeys({ userId: unknownId, apiKeys: [key] }))).toEqual({
    httpStatus: 404,
    grpcCode: 5,
    code: "NOT_FOUND",
    field: "parameters.userId",
    message: `user not found: unable to find user ${unknownId} in organization ${organizationId}`,
  });
});

test("users can register keys for themselves, but not for others", async () => {
  const organization = await newOrganization();
  const { server, organizationId, userId } = organization;
  const grace = await addUser(organization);
  const key = newKey();
  await grace.client.createApiKeys({ userId: grace.userId, apiKeys: [params(key)] });
  const me = await clientOf(server, organizationId, key).whoami();
  expect(me.userId).toBe(grace.userId);
  await expectDenied(grace.client.createApiKeys({ userId, apiKeys: [params(newKey())] }));
});
