import { clientOf, newKey, newOrganization } from "@keyhearth/api/testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { KeyhearthClient } from "@keyhearth/sdk";
import { PortableApiKeyStamper } from "@keyhearth/sdk/stampers/api-key-portable";
import { expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  claimsOf,
  first,
  impatient,
  passkey,
  post,
  refusal,
  socialLogin,
  submit,
} from "../organization.testing.ts";
import {
  browserParams,
  newPasskey,
  passkeyClientOf,
  type TestPasskey,
} from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_USERS_V3";
const unknownId = "00000000-0000-4000-8000-000000000000";

function newUser(userName: string, key = newKey()) {
  return {
    userName,
    apiKeys: [
      {
        apiKeyName: "laptop",
        publicKey: key.publicKey,
        curveType: "API_KEY_CURVE_P256" as const,
      },
    ],
    authenticators: [],
    oauthProviders: [],
    userTags: [] as string[],
  };
}

test("a user is created with contact, tags and keys, and can log in", async () => {
  const { server, root, organizationId } = await newOrganization();
  const { userTagId } = await root.createUserTag({ userTagName: "bots", userIds: [] });
  const key = newKey();
  const { userIds, activity } = await root.createUsers({
    users: [
      {
        ...newUser("Ada", key),
        userEmail: "ada@example.com",
        userPhoneNumber: "+14155550100",
        userTags: [userTagId, userTagId],
      },
      newUser("Grace"),
    ],
  });
  expect(Object.keys(activity.intent)).toEqual(["createUsersIntentV3"]);
  expect(activity.result).toEqual({ createUsersResult: { userIds } });
  const [userId = ""] = userIds;
  const { user } = await root.getUser({ userId });
  expect(user).toMatchObject({
    userId,
    userName: "Ada",
    userEmail: "ada@example.com",
    userPhoneNumber: "+14155550100",
    userTags: [userTagId],
    apiKeys: [
      {
        apiKeyName: "laptop",
        credential: { publicKey: key.publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
      },
    ],
    authenticators: [],
    oauthProviders: [],
  });
  const client = clientOf(server, organizationId, key);
  expect(await client.whoami()).toMatchObject({ organizationId, userId, username: "Ada" });
});

test("each kind of API key authenticates", async () => {
  const { server, root, organizationId } = await newOrganization();
  const kinds = [
    ["CURVE_P256", "API_KEY_CURVE_P256", "SIGNATURE_SCHEME_TK_API_P256"],
    ["CURVE_SECP256K1", "API_KEY_CURVE_SECP256K1", "SIGNATURE_SCHEME_TK_API_SECP256K1"],
    ["CURVE_SECP256K1", "API_KEY_CURVE_SECP256K1", "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191"],
    ["CURVE_ED25519", "API_KEY_CURVE_ED25519", "SIGNATURE_SCHEME_TK_API_ED25519"],
  ] as const;
  for (const [curve, curveType, scheme] of kinds) {
    const privateKey = generatePrivateKey(curve);
    const publicKey = encodeHex(publicKeyOf(curve, privateKey));
    const apiKeys = [{ apiKeyName: scheme, publicKey: publicKey.toUpperCase(), curveType }];
    const { userIds } = await root.createUsers({ users: [{ ...newUser(scheme), apiKeys }] });
    const client = new KeyhearthClient({
      baseUrl: "http://keyhearth.test",
      organizationId,
      stamper: new PortableApiKeyStamper({
        apiPublicKey: publicKey,
        apiPrivateKey: encodeHex(privateKey),
        scheme,
      }),
      fetch: server.fetch,
    });
    expect(await client.whoami()).toMatchObject({ userId: first(userIds) });
  }
});

test("every version creates a user and returns its own intent", async () => {
  const { root } = await newOrganization();
  const p256Keys = () => [{ apiKeyName: "laptop", publicKey: newKey().publicKey }];
  const { oauthProviders: _, ...oldUser } = newUser("old");
  const access = { accessType: "ACCESS_TYPE_API" };
  const cases: [string, string, object][] = [
    [
      "ACTIVITY_TYPE_CREATE_USERS",
      "createUsersIntent",
      { ...oldUser, ...access, apiKeys: p256Keys() },
    ],
    ["ACTIVITY_TYPE_CREATE_USERS_V2", "createUsersIntentV2", { ...oldUser, apiKeys: p256Keys() }],
    ["ACTIVITY_TYPE_CREATE_USERS_V3", "createUsersIntentV3", newUser("V3")],
    ["ACTIVITY_TYPE_CREATE_USERS_V4", "createUsersIntentV4", newUser("V4")],
  ];
  for (const [version, intentKey, user] of cases) {
    const activity = await submit(root, "create_users", {
      type: version,
      parameters: { users: [user] },
    });
    expect(activity).toMatchObject({
      type: version,
      status: "ACTIVITY_STATUS_COMPLETED",
      intent: { [intentKey]: { users: [user] } },
      result: { createUsersResult: { userIds: [expect.any(String)] } },
    });
  }
  expect((await root.listUsers()).users).toHaveLength(5);
});

test("lists may be left out", async () => {
  const { root } = await newOrganization();
  const { userName, apiKeys } = newUser("Ada");
  const activity = await submit(root, "create_users", {
    type,
    parameters: { users: [{ userName, apiKeys, userEmail: null }] },
  });
  expect(activity.intent).toEqual({
    createUsersIntentV3: {
      users: [{ userName, apiKeys, authenticators: [], oauthProviders: [], userTags: [] }],
    },
  });
});

test("a user needs a credential that does not expire", async () => {
  const { root } = await newOrganization();
  const expiring = newUser("Ada").apiKeys.map((key) => ({ ...key, expirationSeconds: "900" }));
  for (const apiKeys of [[], expiring]) {
    const users = [newUser("Grace"), { ...newUser("Ada"), userEmail: "a@example.com", apiKeys }];
    const message = expect.stringMatching(/^user missing valid credential: /);
    const field = "parameters.users[1].apiKeys";
    expect(await refusal(root.createUsers({ users }))).toEqual(
      badRequest("USER_WITHOUT_CREDENTIAL", field, message),
    );
  }
  expect((await root.listUsers()).users).toHaveLength(1);
});

test("a user may have an expiring key besides a long-lived one", async () => {
  const { server, root, organizationId } = await newOrganization();
  const key = newKey();
  const user = newUser("Ada");
  const expiring = { ...first(newUser("", key).apiKeys), expirationSeconds: "900" };
  const { userIds } = await root.createUsers({
    users: [{ ...user, apiKeys: [...user.apiKeys, expiring] }],
  });
  const me = await clientOf(server, organizationId, key).whoami();
  expect(me.userId).toBe(first(userIds));
});

test("a public key can belong to only one user, also within one request", async () => {
  const { root, rootKey } = await newOrganization();
  const key = newKey();
  const cases: [object[], number, string][] = [
    [[newUser("Ada", rootKey)], 0, rootKey.publicKey],
    [[newUser("Ada", key), newUser("Grace", key)], 1, key.publicKey],
  ];
  for (const [users, index, publicKey] of cases) {
    const refused = await refusal(submit(root, "create_users", { type, parameters: { users } }));
    expect(refused).toEqual({
      httpStatus: 409,
      grpcCode: 6,
      code: "PUBLIC_KEY_TAKEN",
      field: `parameters.users[${index}].apiKeys[0].publicKey`,
      message: `an API key with public key \`${publicKey}\` already exists in this organization`,
    });
  }
});

test("a user is created with social logins by claims, which belong to no other user", async () => {
  const { root } = await newOrganization();
  const create = (...users: object[]) =>
    submit(root, "create_users", {
      type: "ACTIVITY_TYPE_CREATE_USERS_V4",
      parameters: { users },
    });
  const oauthProviders = [claimsOf("ada"), claimsOf("also ada")];
  const { intent } = await create({ ...newUser("Ada"), oauthProviders });
  expect(intent).toMatchObject({ createUsersIntentV4: { users: [{ oauthProviders }] } });
  const [, ada] = (await root.listUsers()).users;
  expect(ada?.oauthProviders).toMatchObject([{ subject: "ada" }, { subject: "also ada" }]);
  const taken = {
    httpStatus: 409,
    grpcCode: 6,
    code: "OAUTH_PROVIDER_TAKEN",
    message:
      "an OAuth provider with the same issuer, audience and subject already exists in this organization",
  };
  const cases: [object[], string][] = [
    [[{ ...newUser("Grace"), oauthProviders: [claimsOf("ada")] }], "users[0].oauthProviders[0]"],
    [
      [
        { ...newUser("Grace"), oauthProviders: [claimsOf("grace")] },
        { ...newUser("Alan"), oauthProviders: [claimsOf("alan"), claimsOf("grace")] },
      ],
      "users[1].oauthProviders[1]",
    ],
  ];
  for (const [users, at] of cases) {
    expect(await refusal(create(...users))).toEqual({
      ...taken,
      field: `parameters.${at}.oidcClaims`,
    });
  }
  // In a top-level organization, a social login is not enough.
  const bare = { ...newUser("Grace"), apiKeys: [], oauthProviders: [claimsOf("grace")] };
  expect(await refusal(create(bare))).toMatchObject({ code: "USER_WITHOUT_CREDENTIAL" });
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const user = newUser("Ada");
  const key = first(user.apiKeys);
  const at = "parameters.users[0]";
  const notOnCurve = `02${"f".repeat(64)}`;
  const cases: [object, string, string, unknown][] = [
    [
      { userEmail: "ada" },
      "FIELD_INVALID",
      `${at}.userEmail`,
      `invalid email address: \`${at}.userEmail\` is \`ada\`; expected for example \`ada@example.com\``,
    ],
    [
      { userPhoneNumber: "0123" },
      "FIELD_INVALID",
      `${at}.userPhoneNumber`,
      `not an E.164 phone number, such as +14155550100: \`${at}.userPhoneNumber\` is \`0123\``,
    ],
    [
      { userTags: [unknownId] },
      "NOT_FOUND",
      `${at}.userTags[0]`,
      `user tag not found: \`${unknownId}\``,
    ],
    [
      { apiKeys: [{ ...key, curveType: "API_KEY_CURVE_X" }] },
      "FIELD_INVALID",
      `${at}.apiKeys[0].curveType`,
      expect.stringMatching(/^invalid api key curve: .*; accepted: API_KEY_CURVE_P256, /),
    ],
    [
      { apiKeys: [{ ...key, publicKey: notOnCurve }] },
      "FIELD_INVALID",
      `${at}.apiKeys[0].publicKey`,
      `\`${at}.apiKeys[0].publicKey\` is not a compressed public key of API_KEY_CURVE_P256`,
    ],
    [
      { apiKeys: [{ ...key, curveType: "API_KEY_CURVE_ED25519" }] },
      "FIELD_INVALID",
      `${at}.apiKeys[0].publicKey`,
      `\`${at}.apiKeys[0].publicKey\` is not a compressed public key of API_KEY_CURVE_ED25519`,
    ],
    [
      { apiKeys: [{ ...key, expirationSeconds: "0" }] },
      "FIELD_INVALID",
      `${at}.apiKeys[0].expirationSeconds`,
      `invalid api key expiration: \`${at}.apiKeys[0].expirationSeconds\` is \`0\`; expected for example \`900\``,
    ],
    [
      { authenticators: [passkey] },
      "FIELD_INVALID",
      `${at}.authenticators[0].attestation.clientDataJson`,
      `invalid authenticator attestation: \`${at}.authenticators[0].attestation.clientDataJson\`: its \`type\` must be webauthn.create`,
    ],
    [
      { oauthProviders: [socialLogin] },
      "OIDC_TOKEN_INVALID",
      `${at}.oauthProviders[0].oidcToken`,
      `invalid OIDC token: \`${at}.oauthProviders[0].oidcToken\`: expected the compact form of a signed JWT: three parts in base64url with dots`,
    ],
  ];
  for (const [change, code, field, message] of cases) {
    const parameters = { users: [{ ...user, ...change }] };
    const refused = await refusal(submit(root, "create_users", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  expect((await root.listUsers()).users).toHaveLength(1);
});

test("the same bytes again are the same activity and create nothing new", async () => {
  const { root, organizationId } = await newOrganization();
  const body = bodyOf(organizationId, { type, parameters: { users: [newUser("Ada")] } });
  const one = await post(root, "create_users", body);
  expect(await post(root, "create_users", body)).toEqual(one);
  expect((await root.listUsers()).users).toHaveLength(2);
});

test("an organization has at most 100 users, and a user at most 10 long-lived keys", async () => {
  const root = impatient(await newOrganization());
  const apiKeys = Array.from({ length: 11 }, () => first(newUser("").apiKeys));
  expect(await refusal(root.createUsers({ users: [{ ...newUser("Ada"), apiKeys }] }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.users[0].apiKeys",
    message: "user has exceeded maximum long-lived api keys: a user may have 10",
  });
  await root.createUsers({ users: [{ ...newUser("Ada"), apiKeys: apiKeys.slice(1) }] });
  await root.createUsers({ users: Array.from({ length: 98 }, (_, i) => newUser(`user ${i}`)) });
  expect(await refusal(root.createUsers({ users: [newUser("one more")] }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.users",
    message: "an organization may have 100 users",
  });
});

test("users may have only passkeys, in every version", async () => {
  const { root, server, organizationId } = await newOrganization();
  const contact = { userName: "Grace", apiKeys: [], userTags: [] };
  const versions = [
    (passkey: TestPasskey) => ({
      type: "ACTIVITY_TYPE_CREATE_USERS",
      user: {
        ...contact,
        accessType: "ACCESS_TYPE_WEB",
        authenticators: [browserParams(passkey, "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e")],
      },
    }),
    (passkey: TestPasskey) => ({
      type: "ACTIVITY_TYPE_CREATE_USERS_V2",
      user: { ...contact, authenticators: [passkey.params] },
    }),
    (passkey: TestPasskey) => ({
      type: "ACTIVITY_TYPE_CREATE_USERS_V3",
      user: { ...contact, authenticators: [passkey.params], oauthProviders: [] },
    }),
    (passkey: TestPasskey) => ({
      type: "ACTIVITY_TYPE_CREATE_USERS_V4",
      user: { ...contact, authenticators: [passkey.params], oauthProviders: [] },
    }),
  ];
  for (const version of versions) {
    const passkey = newPasskey();
    const { type, user } = version(passkey);
    const activity = await submit(root, "create_users", { type, parameters: { users: [user] } });
    const [userId] = activity.result.createUsersResult?.userIds ?? [];
    const client = passkeyClientOf(server, organizationId, passkey);
    expect(await client.whoami()).toMatchObject({ userId });
    const again = submit(root, "create_users", { type, parameters: { users: [user] } });
    expect(await refusal(again)).toMatchObject({ code: "PUBLIC_KEY_TAKEN" });
  }
});
