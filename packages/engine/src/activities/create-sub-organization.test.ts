import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestKey,
} from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  badRequest,
  bodyOf,
  claimsOf,
  ethereumAccount,
  first,
  impatient,
  newQuorum,
  passkey,
  post,
  refusal,
  socialLogin,
  solanaAccount,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { newPasskey, passkeyClientOf } from "../passkey.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V7";

function apiKey({ publicKey }: TestKey, expirationSeconds?: string) {
  return {
    apiKeyName: "laptop",
    publicKey,
    curveType: "API_KEY_CURVE_P256" as const,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
  };
}

function rootUser(userName: string, key = newKey()) {
  return { userName, apiKeys: [apiKey(key)], authenticators: [], oauthProviders: [] };
}

const allFeatures = [
  "FEATURE_NAME_EMAIL_AUTH",
  "FEATURE_NAME_EMAIL_RECOVERY",
  "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY",
  "FEATURE_NAME_SMS_AUTH",
  "FEATURE_NAME_OTP_EMAIL_AUTH",
];

test("a sub-organization has its own users, quorum, features and wallet", async () => {
  const { server, root, organizationId } = await newOrganization();
  const [ada, grace] = [newKey(), newKey()];
  const { subOrganizationId, rootUserIds, wallet, activity } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootUsers: [
      { ...rootUser("Ada", ada), userEmail: "ada@example.com", userPhoneNumber: "+14155550100" },
      rootUser("Grace", grace),
    ],
    rootQuorumThreshold: 2,
    wallet: { walletName: "default", accounts: [ethereumAccount, solanaAccount] },
  });
  expect(activity).toMatchObject({ organizationId, type, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(Object.keys(activity.intent)).toEqual(["createSubOrganizationIntentV7"]);
  expect(activity.result).toEqual({
    createSubOrganizationResultV7: { subOrganizationId, wallet, rootUserIds },
  });

  const sub = clientOf(server, subOrganizationId, ada);
  expect(await sub.whoami()).toEqual({
    organizationId: subOrganizationId,
    organizationName: "sub",
    userId: rootUserIds?.[0],
    username: "Ada",
  });
  const { configs } = await sub.getOrganizationConfigs();
  expect(configs.quorum).toEqual({ threshold: 2, userIds: rootUserIds });
  expect(configs.features).toEqual(allFeatures.map((name) => ({ name })));
  const { accounts } = await sub.listWalletAccounts({ walletId: wallet?.walletId ?? "" });
  expect(accounts.map(({ address }) => address).sort()).toEqual(
    [...(wallet?.addresses ?? [])].sort(),
  );
  expect((await sub.listUsers()).users).toMatchObject([
    { userName: "Ada", userEmail: "ada@example.com", userPhoneNumber: "+14155550100" },
    { userName: "Grace" },
  ]);
  expect((await root.listSuborgs()).organizationIds).toEqual([subOrganizationId]);

  const parameters = { walletName: "second", accounts: [] };
  const waiting = await startWaiting(sub, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters,
  });
  const { activity: done } = await clientOf(server, subOrganizationId, grace).approveActivity({
    fingerprint: waiting.fingerprint,
  });
  expect(done.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("its users sign with its wallet, and its parent can read it but not change it", async () => {
  const organization = await newOrganization();
  const { server, root } = organization;
  const key = newKey();
  const { subOrganizationId, wallet } = await root.createSubOrganization({
    subOrganizationName: "sub",
    rootUsers: [rootUser("Ada", key)],
    rootQuorumThreshold: 1,
    wallet: { walletName: "default", accounts: [ethereumAccount] },
  });
  const sign = {
    signWith: first(wallet?.addresses),
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
  await clientOf(server, subOrganizationId, key).signRawPayload(sign);

  const inside = { organizationId: subOrganizationId };
  expect((await root.listWallets({}, inside)).wallets).toHaveLength(1);
  const asParent = {
    httpStatus: 403,
    grpcCode: 7,
    code: "REQUEST_NOT_AUTHORIZED",
    field: "organizationId",
    message: `request not authorized: the key belongs to the parent organization ${organization.organizationId}, which may read but not change ${subOrganizationId}; stamp with a key of the sub-organization`,
  };
  expect(await refusal(root.signRawPayload(sign, inside))).toEqual(asParent);
  expect(await refusal(root.createWallet({ walletName: "w", accounts: [] }, inside))).toEqual(
    asParent,
  );
  expect(await refusal(root.signRawPayload(sign))).toMatchObject({ httpStatus: 404 });
});

test("every version creates one and returns its own intent and result", async () => {
  const { root } = await newOrganization();
  const p256User = () => ({
    userName: "Ada",
    apiKeys: [{ apiKeyName: "laptop", publicKey: newKey().publicKey }],
    authenticators: [],
  });
  const p256UserV2 = () => ({ ...p256User(), oauthProviders: [] });
  const privateKey = {
    privateKeyName: "hot",
    curve: "CURVE_SECP256K1",
    privateKeyTags: [],
    addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
  };
  const wallet = { walletName: "default", accounts: [ethereumAccount] };
  const withWallet = { wallet: { walletId: expect.any(String), addresses: [expect.any(String)] } };
  const privateKeys = [
    {
      privateKeyId: expect.any(String),
      addresses: [{ format: "ADDRESS_FORMAT_ETHEREUM", address: expect.any(String) }],
    },
  ];
  const cases: [string, string, object, object, object][] = [
    ["V2", "", p256User(), {}, {}],
    ["V3", "V3", p256User(), { privateKeys: [privateKey] }, { privateKeys }],
    ["V3", "V3", p256User(), { privateKeys: [] }, { privateKeys: [] }],
    ["V4", "V4", p256User(), { wallet, disableEmailAuth: true }, withWallet],
    ["V5", "V5", p256UserV2(), { wallet }, withWallet],
    ["V6", "V6", rootUser("Ada"), { wallet, disableEmailRecovery: true }, withWallet],
    ["V7", "V7", rootUser("Ada"), { wallet, disableSmsAuth: true }, withWallet],
    ["V8", "V8", rootUser("Ada"), { wallet, disableOtpEmailAuth: false }, withWallet],
    ["V8", "V8", rootUser("Ada"), {}, {}],
  ];
  for (const [version, resultVersion, user, more, made] of cases) {
    const parameters = {
      subOrganizationName: version,
      rootUsers: [user],
      rootQuorumThreshold: 1,
      ...more,
    };
    const activity = await submit(root, "create_sub_organization", {
      type: `ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_${version}`,
      parameters,
    });
    expect(activity).toMatchObject({ status: "ACTIVITY_STATUS_COMPLETED", failure: null });
    expect(activity.intent).toEqual({ [`createSubOrganizationIntent${version}`]: parameters });
    expect(activity.result).toEqual({
      [`createSubOrganizationResult${resultVersion}`]: {
        subOrganizationId: expect.any(String),
        rootUserIds: [expect.any(String)],
        ...made,
      },
    });
  }
});

test("the first version has one root user with a passkey", async () => {
  const { root, server } = await newOrganization();
  const rootPasskey = newPasskey();
  const type = "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION";
  const ask = (rootAuthenticator: object) => {
    const parameters = { name: "sub", rootAuthenticator };
    return submit(root, "create_sub_organization", { type, parameters });
  };
  const activity = await ask(rootPasskey.params);
  expect(activity.intent).toEqual({
    createSubOrganizationIntent: { name: "sub", rootAuthenticator: rootPasskey.params },
  });
  const { subOrganizationId = "" } = activity.result.createSubOrganizationResult ?? {};
  const client = passkeyClientOf(server, subOrganizationId, rootPasskey);
  expect(await client.whoami()).toMatchObject({ organizationName: "sub", username: "phone" });
  expect(await refusal(ask(passkey))).toMatchObject({ httpStatus: 400, code: "FIELD_INVALID" });
});

test("private keys of the third version can be read back, and their names must differ", async () => {
  const { server, root } = await newOrganization();
  const key = newKey();
  const privateKey = (privateKeyName: string) => ({
    privateKeyName,
    curve: "CURVE_ED25519" as const,
    privateKeyTags: [] as string[],
    addressFormats: ["ADDRESS_FORMAT_SOLANA" as const],
  });
  const asked = (privateKeys: ReturnType<typeof privateKey>[]) => ({
    subOrganizationName: "sub",
    rootUsers: [
      {
        userName: "Ada",
        apiKeys: [{ apiKeyName: "laptop", publicKey: key.publicKey }],
        authenticators: [],
      },
    ],
    rootQuorumThreshold: 1,
    privateKeys,
  });
  const options = { type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V3" } as const;
  const twice = asked([privateKey("one"), privateKey("one")]);
  expect(await refusal(root.createSubOrganization(twice, options))).toEqual({
    httpStatus: 409,
    grpcCode: 6,
    code: "NAME_TAKEN",
    field: "parameters.privateKeys[1].privateKeyName",
    message: "a private key with the name `one` already exists",
  });
  const tag = "00000000-0000-4000-8000-000000000000";
  const tagged = asked([{ ...privateKey("one"), privateKeyTags: [tag] }]);
  expect(await refusal(root.createSubOrganization(tagged, options))).toEqual(
    badRequest(
      "NOT_FOUND",
      "parameters.privateKeys[0].privateKeyTags[0]",
      `private key tag not found: \`${tag}\``,
    ),
  );
  const made = await root.createSubOrganization(
    asked([privateKey("one"), privateKey("two")]),
    options,
  );
  const sub = clientOf(server, made.subOrganizationId, key);
  for (const [index, { privateKeyId = "", addresses }] of made.privateKeys.entries()) {
    const { privateKey: shown } = await sub.getPrivateKey({ privateKeyId });
    expect(shown.privateKeyName).toBe(["one", "two"][index]);
    expect(shown.addresses[0]?.address).toBe(addresses?.[0]?.address);
  }
});

test("each disable flag disables its feature", async () => {
  const { server, root } = await newOrganization();
  const flags = {
    disableEmailAuth: ["FEATURE_NAME_EMAIL_AUTH"],
    disableEmailRecovery: ["FEATURE_NAME_EMAIL_RECOVERY", "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY"],
    disableSmsAuth: ["FEATURE_NAME_SMS_AUTH"],
    disableOtpEmailAuth: ["FEATURE_NAME_OTP_EMAIL_AUTH"],
  };
  for (const [flag, disabled] of Object.entries(flags)) {
    const key = newKey();
    const { subOrganizationId } = await root.createSubOrganization({
      subOrganizationName: flag,
      rootUsers: [rootUser("Ada", key)],
      rootQuorumThreshold: 1,
      [flag]: true,
    });
    const { configs } = await clientOf(server, subOrganizationId, key).getOrganizationConfigs();
    const expected = allFeatures.filter((name) => !disabled.includes(name));
    expect(configs.features).toEqual(expected.map((name) => ({ name })));
  }
});

test("a root user may have only a social login, which belongs to no other root user", async () => {
  const { root } = await newOrganization();
  const bare = (userName: string, sub: string) => {
    return { userName, apiKeys: [], authenticators: [], oauthProviders: [claimsOf(sub)] };
  };
  const create = (...rootUsers: object[]) =>
    submit(root, "create_sub_organization", {
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      parameters: { subOrganizationName: "social", rootUsers, rootQuorumThreshold: 1 },
    });
  const { intent, result } = await create(bare("Ada", "ada"));
  const oauthProviders = [claimsOf("ada")];
  expect(intent).toMatchObject({
    createSubOrganizationIntentV8: { rootUsers: [{ oauthProviders }] },
  });
  const organizationId = result.createSubOrganizationResultV8?.subOrganizationId ?? "";
  expect(await root.getOauthProviders({}, { organizationId })).toMatchObject({
    oauthProviders: [{ providerName: "Example", subject: "ada" }],
  });
  expect(await refusal(create(bare("Ada", "ada"), bare("Grace", "ada")))).toMatchObject({
    httpStatus: 409,
    code: "OAUTH_PROVIDER_TAKEN",
    field: "parameters.rootUsers[1].oauthProviders[0].oidcClaims",
  });
  const eleven = Array.from({ length: 11 }, (_, index) => claimsOf(`ada ${index}`));
  const many = { ...bare("Ada", "ada"), oauthProviders: eleven };
  expect(await refusal(create(many))).toMatchObject({
    httpStatus: 429,
    field: "parameters.rootUsers[0].oauthProviders",
  });
});

test("a root user without a key needs an email address or phone number that allows login", async () => {
  const { root } = await newOrganization();
  const bare = { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [] };
  for (const contact of [{ userEmail: "ada@example.com" }, { userPhoneNumber: "+14155550100" }]) {
    const { subOrganizationId } = await root.createSubOrganization({
      subOrganizationName: "pre-generated",
      rootUsers: [{ ...bare, ...contact }],
      rootQuorumThreshold: 1,
      wallet: { walletName: "default", accounts: [ethereumAccount] },
    });
    const { users } = await root.listUsers({}, { organizationId: subOrganizationId });
    expect(users).toMatchObject([contact]);
  }
  const byEmail = { disableEmailAuth: true, disableOtpEmailAuth: true, disableEmailRecovery: true };
  const cases = [
    { rootUsers: [bare] },
    { rootUsers: [{ ...bare, userEmail: "ada@example.com" }], ...byEmail },
    { rootUsers: [{ ...bare, userPhoneNumber: "+14155550100" }], disableSmsAuth: true },
  ];
  for (const change of cases) {
    const parameters = { subOrganizationName: "sub", rootQuorumThreshold: 1, ...change };
    const refused = await refusal(submit(root, "create_sub_organization", { type, parameters }));
    const message = expect.stringMatching(/^user missing valid credential: /);
    const field = "parameters.rootUsers[0].apiKeys";
    expect(refused).toEqual(badRequest("USER_WITHOUT_CREDENTIAL", field, message));
  }
});

test("an expiring key of a root user works until it expires", async () => {
  const server = await startTestServer();
  try {
    const { root } = await newOrganization(server);
    const [lasting, expiring] = [newKey(), newKey()];
    const user = rootUser("Ada", lasting);
    const { subOrganizationId, rootUserIds } = await root.createSubOrganization({
      subOrganizationName: "sub",
      rootUsers: [{ ...user, apiKeys: [...user.apiKeys, apiKey(expiring, "60")] }],
      rootQuorumThreshold: 1,
    });
    const client = clientOf(server, subOrganizationId, expiring);
    expect(await client.whoami()).toMatchObject({ userId: first(rootUserIds) });
    await client.createWallet({ walletName: "w", accounts: [] });
    server.clock.offsetMs = 61_000;
    const expired = {
      httpStatus: 401,
      code: "CREDENTIAL_EXPIRED",
      message: expect.stringContaining(
        `Unauthenticated desc = expired api key publicKey=${expiring.publicKey}`,
      ),
    };
    expect(await refusal(client.whoami())).toMatchObject(expired);
    expect(await refusal(client.createWallet({ walletName: "v", accounts: [] }))).toMatchObject(
      expired,
    );
    expect(await clientOf(server, subOrganizationId, lasting).whoami()).toMatchObject({
      organizationId: subOrganizationId,
    });
  } finally {
    await server.stop();
  }
});

test("a sub-organization cannot have sub-organizations", async () => {
  const { server, root } = await newOrganization();
  const key = newKey();
  const request = () => ({
    subOrganizationName: "sub",
    rootUsers: [rootUser("Ada", key)],
    rootQuorumThreshold: 1,
  });
  const { subOrganizationId } = await root.createSubOrganization(request());
  const sub = clientOf(server, subOrganizationId, key);
  expect(await refusal(sub.createSubOrganization(request()))).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "REQUEST_NOT_AUTHORIZED",
    field: undefined,
    message: "request not authorized: a sub-organization cannot have sub-organizations",
  });
});

test("bad parameters are refused by field", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const valid = {
    subOrganizationName: "sub",
    rootUsers: [rootUser("Ada")],
    rootQuorumThreshold: 1,
  };
  const user = (change: object) => ({ rootUsers: [{ ...rootUser("Ada"), ...change }] });
  const wallet = (change: object) => ({
    wallet: { walletName: "w", accounts: [{ ...ethereumAccount, ...change }] },
  });
  const at = "parameters.rootUsers[0]";
  const cases: [object, string, string, unknown][] = [
    [
      { rootUsers: [] },
      "QUORUM_INVALID",
      "parameters.rootUsers",
      "invalid request body: `parameters.rootUsers` needs at least one root user",
    ],
    [
      { rootQuorumThreshold: 0 },
      "QUORUM_INVALID",
      "parameters.rootQuorumThreshold",
      "quorum threshold must be non-zero integer",
    ],
    [
      { rootQuorumThreshold: 2 },
      "QUORUM_INVALID",
      "parameters.rootQuorumThreshold",
      "`parameters.rootQuorumThreshold` is 2, but there are only 1 root users",
    ],
    [
      user({ authenticators: [passkey] }),
      "FIELD_INVALID",
      `${at}.authenticators[0].attestation.clientDataJson`,
      expect.stringContaining("invalid authenticator attestation"),
    ],
    [
      user({ oauthProviders: [socialLogin] }),
      "OIDC_TOKEN_INVALID",
      `${at}.oauthProviders[0].oidcToken`,
      expect.stringContaining("expected the compact form of a signed JWT"),
    ],
    [
      user({ userPhoneNumber: "555" }),
      "FIELD_INVALID",
      `${at}.userPhoneNumber`,
      expect.stringContaining("not an E.164 phone number"),
    ],
    [
      { verificationToken: "token" },
      "VERIFICATION_TOKEN_INVALID",
      "parameters.verificationToken",
      "invalid verification token: `parameters.verificationToken` is not a verification token of this service",
    ],
    [
      {
        clientSignature: {
          publicKey: `02${"00".repeat(32)}`,
          scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
          message: "{}",
          signature: "00".repeat(64),
        },
      },
      "FIELD_INVALID",
      "parameters.clientSignature",
      "`parameters.clientSignature` must come with `parameters.verificationToken`",
    ],
    [
      wallet({ addressFormat: "ADDRESS_FORMAT_SPARK_MAINNET" }),
      "FIELD_INVALID",
      "parameters.wallet.accounts[0].addressFormat",
      expect.stringMatching(/^invalid address format: Spark addresses are not supported: /),
    ],
    [
      wallet({ path: "x" }),
      "FIELD_INVALID",
      "parameters.wallet.accounts[0].path",
      expect.stringContaining("invalid path"),
    ],
  ];
  for (const [change, code, field, message] of cases) {
    const parameters = { ...valid, ...change };
    const refused = await refusal(submit(root, "create_sub_organization", { type, parameters }));
    expect(refused).toEqual(badRequest(code, field, message));
  }
  const shared = newKey();
  const parameters = { ...valid, rootUsers: [rootUser("Ada", shared), rootUser("Grace", shared)] };
  expect(
    await refusal(submit(root, "create_sub_organization", { type, parameters })),
  ).toMatchObject({
    httpStatus: 409,
    code: "PUBLIC_KEY_TAKEN",
    field: "parameters.rootUsers[1].apiKeys[0].publicKey",
  });
  const apiKeys = Array.from({ length: 11 }, () => apiKey(newKey()));
  const tooMany = { ...valid, rootUsers: [{ ...rootUser("Ada"), apiKeys }] };
  expect(await refusal(impatient(organization).createSubOrganization(tooMany))).toMatchObject({
    httpStatus: 429,
    code: "LIMIT_EXCEEDED",
    field: `${at}.apiKeys`,
  });
  expect((await root.listSuborgs()).organizationIds).toEqual([]);
});

test("the same bytes again, also concurrently, are the same sub-organization", async () => {
  const { root, organizationId } = await newOrganization();
  const parameters = {
    subOrganizationName: "sub",
    rootUsers: [rootUser("Ada")],
    rootQuorumThreshold: 1,
    wallet: { walletName: "default", accounts: [ethereumAccount] },
  };
  const body = bodyOf(organizationId, { type, parameters });
  const answers = await Promise.all(
    [1, 2, 3].map(() => post(root, "create_sub_organization", body)),
  );
  answers.push(await post(root, "create_sub_organization", body));
  const [one, ...others] = answers;
  for (const activity of others) expect(activity).toEqual(one);
  expect((await root.listSuborgs()).organizationIds).toHaveLength(1);
});

test("the parent's quorum must agree, and nothing exists before", async () => {
  const { root, second } = await newQuorum();
  const parameters = {
    subOrganizationName: "sub",
    rootUsers: [rootUser("Ada")],
    rootQuorumThreshold: 1,
  };
  const { fingerprint } = await startWaiting(root, "create_sub_organization", { type, parameters });
  expect((await root.listSuborgs()).organizationIds).toEqual([]);
  const { result } = await second.client.approveActivity({ fingerprint });
  expect((await root.listSuborgs()).organizationIds).toEqual([result?.subOrganizationId]);
});
