import { clientOf, newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { beforeAll, expect, test } from "vitest";
import {
  addUser,
  badRequest,
  expectDenied,
  newQuorum,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import { LIMITS } from "../records/limits.ts";

const type = "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE";
const endpoint = "set_organization_feature";
const name = "FEATURE_NAME_AUTH_PROXY";

const basics = {
  appName: "Example",
  origins: ["https://app.example.com"],
  methods: ["email", "passkey"],
};

let organization: TestOrganization;

beforeAll(async () => {
  organization = await newOrganization();
});

function switchOn({ root }: TestOrganization, settings: object) {
  return root.setOrganizationFeature({ name, value: JSON.stringify(settings) });
}

async function madeBy({ root }: TestOrganization) {
  const { users } = await root.listUsers();
  const { policies } = await root.listPolicies();
  return {
    users: users.filter(({ userName }) => userName === "Login proxy"),
    policies: policies.filter(({ policyName }) => policyName.startsWith("login proxy")),
  };
}

test("one submission makes the user of the proxy, its key and its policies", async () => {
  const { publicKey } = newKey();
  const value = JSON.stringify({ ...basics, publicKey });
  const { features } = await organization.root.setOrganizationFeature({ name, value });
  expect(features).toContainEqual({ name, value });
  const { users, policies } = await madeBy(organization);
  expect(users).toHaveLength(1);
  expect(users[0]?.apiKeys.map(({ credential }) => credential)).toEqual([
    { publicKey, type: "CREDENTIAL_TYPE_API_KEY_P256" },
  ]);
  expect(policies).toHaveLength(2);
  for (const policy of policies) {
    expect(policy).toMatchObject({
      effect: "EFFECT_ALLOW",
      consensus: `approvers.any(user, user.id == '${users[0]?.userId}')`,
    });
  }
  // Other settings with the same key change the policies of the same user.
  await switchOn(organization, {
    ...basics,
    publicKey,
    methods: ["passkey"],
    signUp: false,
    oauthClientIds: { google: "client" },
  });
  const after = await madeBy(organization);
  expect(after.users).toEqual(users);
  expect(after.policies).toHaveLength(1);
  expect(after.policies[0]?.condition).toBe(
    "activity.type == 'ACTIVITY_TYPE_OAUTH_LOGIN' || activity.type == 'ACTIVITY_TYPE_OAUTH2_AUTHENTICATE'",
  );
  // Another key makes another user, and the one before ends.
  const next = newKey();
  await switchOn(organization, { ...basics, publicKey: next.publicKey });
  const changed = await madeBy(organization);
  expect(changed.users).toHaveLength(1);
  expect(changed.users[0]?.userId).not.toBe(users[0]?.userId);
  expect(changed.policies).toHaveLength(2);
  const removed = await organization.root.removeOrganizationFeature({ name });
  expect(removed.features).not.toContainEqual(expect.objectContaining({ name }));
  expect(await madeBy(organization)).toEqual({ users: [], policies: [] });
});

test("the key of the proxy may do what the proxy does, and nothing else", async () => {
  const family = await newOrganization();
  const key = newKey();
  await switchOn(family, { ...basics, publicKey: key.publicKey });
  await family.root.setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  const proxy = clientOf(family.server, family.organizationId, key);
  const code = {
    otpType: "OTP_TYPE_EMAIL",
    contact: "ada@example.com",
    appName: "Example",
  } as const;
  const sent = await submit(proxy, "init_otp", {
    type: "ACTIVITY_TYPE_INIT_OTP_V3",
    parameters: code,
  });
  expect(sent.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const rootUser = (user: string) => ({
    userName: user,
    apiKeys: [
      { apiKeyName: "key", publicKey: newKey().publicKey, curveType: "API_KEY_CURVE_P256" },
    ],
    authenticators: [],
    oauthProviders: [],
  });
  const found = (users: string[]) =>
    submit(proxy, "create_sub_organization", {
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      parameters: {
        subOrganizationName: "ada",
        rootUsers: users.map(rootUser),
        rootQuorumThreshold: 1,
      },
    });
  expect((await found(["ada"])).status).toBe("ACTIVITY_STATUS_COMPLETED");
  await expectDenied(found(["ada", "mallory"]));
  await expectDenied(proxy.createWallet({ walletName: "w", accounts: [] }));
  await expectDenied(proxy.createUserTag({ userTagName: "t", userIds: [] }));
  await expectDenied(proxy.setOrganizationFeature({ name: "FEATURE_NAME_SMS_AUTH" }));
  await expectDenied(proxy.removeOrganizationFeature({ name }));
  // The code in the clear, and logins by OpenID Connect, are not switched on.
  await expectDenied(
    submit(proxy, "verify_otp", {
      type: "ACTIVITY_TYPE_VERIFY_OTP",
      parameters: {
        otpId: sent.result.initOtpResultV2?.otpId,
        otpCode: "000000",
        publicKey: newKey().publicKey,
      },
    }),
  );
});

const publicKey = newKey().publicKey;

test.each<[unknown, string, RegExp]>([
  [undefined, "parameters.value", /is missing: for FEATURE_NAME_AUTH_PROXY it must be the JSON/],
  ["on", "parameters.value", /is `on`, which is not JSON/],
  ["[]", "parameters.value", /is not an object/],
  [{ ...basics }, "parameters.value.publicKey", /missing field/],
  [{ ...basics, publicKey: "04" }, "parameters.value.publicKey", /compressed P-256/],
  [{ ...basics, publicKey, origins: [] }, "parameters.value.origins", /at least one origin/],
  [{ ...basics, publicKey, origins: ["*"] }, "parameters.value.origins[0]", /https origin/],
  [{ ...basics, publicKey, origins: ["null"] }, "parameters.value.origins[0]", /https origin/],
  [
    { ...basics, publicKey, origins: ["http://app.example.com"] },
    "parameters.value.origins[0]",
    /https origin/,
  ],
  [
    { ...basics, publicKey, origins: ["https://app.example.com/"] },
    "parameters.value.origins[0]",
    /https origin/,
  ],
  [
    { ...basics, publicKey, origins: ["https://a.example", "https://a.example"] },
    "parameters.value.origins",
    /once/,
  ],
  [{ ...basics, publicKey, methods: [] }, "parameters.value.methods", /is empty/],
  [{ ...basics, publicKey, methods: ["magic"] }, "parameters.value.methods[0]", /invalid method/],
  [{ ...basics, publicKey, otpLength: 4 }, "parameters.value.otpLength", /from 6 to 9/],
  [
    { ...basics, publicKey, otpExpirationSeconds: 3600 },
    "parameters.value.otpExpirationSeconds",
    /from 30 to 600/,
  ],
  [
    { ...basics, publicKey, oauthRedirectUrl: "javascript:alert(1)" },
    "parameters.value.oauthRedirectUrl",
    /https URL/,
  ],
  [
    { ...basics, publicKey, emailTemplates: ["a", "a"] },
    "parameters.value.emailTemplates",
    /each template once/,
  ],
])("the value %j is refused", async (value, field, message) => {
  const text = typeof value === "object" ? JSON.stringify(value) : value;
  const asked = submit(organization.root, endpoint, { type, parameters: { name, value: text } });
  expect(await refusal(asked)).toEqual(
    badRequest("FIELD_INVALID", field, expect.stringMatching(message)),
  );
});

test("a member that nobody knows is refused", async () => {
  const value = JSON.stringify({ ...basics, publicKey, secret: "x" });
  const asked = submit(organization.root, endpoint, { type, parameters: { name, value } });
  expect(await refusal(asked)).toEqual(
    badRequest("FIELD_UNKNOWN", "parameters.value.secret", expect.stringContaining("accepted: pu")),
  );
});

test("all that is wrong is named at once", async () => {
  const value = JSON.stringify({ ...basics, publicKey: "x", otpLength: 1, origins: ["*"] });
  const asked = submit(organization.root, endpoint, { type, parameters: { name, value } });
  const { message } = await refusal(asked);
  for (const field of ["publicKey", "otpLength", "origins[0]"]) {
    expect(message).toContain(`parameters.value.${field}`);
  }
});

test("a key that a user has is refused, and so is a sub-organization", async () => {
  const user = await addUser(organization);
  const value = JSON.stringify({ ...basics, publicKey: user.key.publicKey });
  const asked = submit(organization.root, endpoint, { type, parameters: { name, value } });
  expect((await refusal(asked)).message).toContain("belongs to a user already");
  const key = newKey();
  const { subOrganizationId } = await organization.root.createSubOrganization({
    subOrganizationName: "ada",
    rootUsers: [
      {
        userName: "ada",
        apiKeys: [{ apiKeyName: "key", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
    rootQuorumThreshold: 1,
  });
  const ada = clientOf(organization.server, subOrganizationId, key);
  const own = submit(ada, endpoint, {
    type,
    parameters: { name, value: JSON.stringify({ ...basics, publicKey: newKey().publicKey }) },
  });
  expect((await refusal(own)).message).toContain("only a top-level organization");
});

test("the root quorum decides, and a user of the proxy who joins it is not deleted", async () => {
  const quorum = await newQuorum();
  const { root, second } = quorum;
  const value = JSON.stringify({ ...basics, publicKey: newKey().publicKey });
  const { fingerprint } = await startWaiting(root, endpoint, { type, parameters: { name, value } });
  expect((await madeBy(quorum)).users).toEqual([]);
  await second.client.approveActivity({ fingerprint });
  const [user] = (await madeBy(quorum)).users;
  const { configs } = await root.getOrganizationConfigs();
  const userIds = [...(configs.quorum?.userIds ?? []), user?.userId ?? ""];
  const changed = await startWaiting(root, "update_root_quorum", {
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold: 2, userIds },
  });
  await second.client.approveActivity({ fingerprint: changed.fingerprint });
  const asked = submit(root, "remove_organization_feature", {
    type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
    parameters: { name },
  });
  expect((await refusal(asked)).message).toContain("change the quorum first");
});

test("a user who registers the proxy's key after its user was deleted gets none of its policies", async () => {
  const family = await newOrganization();
  const settings = { ...basics, publicKey: newKey().publicKey };
  await switchOn(family, settings);
  const [proxy] = (await madeBy(family)).users;
  await family.root.deleteUsers({ userIds: [proxy?.userId ?? ""] });
  const mallory = await addUser(family, "Mallory");
  await mallory.client.createApiKeys({
    userId: mallory.userId,
    apiKeys: [{ apiKeyName: "k", publicKey: settings.publicKey, curveType: "API_KEY_CURVE_P256" }],
  });
  const value = JSON.stringify({ ...settings, appName: "Example 2" });
  const again = submit(family.root, endpoint, { type, parameters: { name, value } });
  const { message } = await refusal(again);
  expect(message).toContain(`belongs to user \`${mallory.userId}\``);
  expect(message).toContain("delete_users");
  await expectDenied(
    submit(mallory.client, "create_sub_organization", {
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      parameters: {
        subOrganizationName: "x",
        rootUsers: [
          {
            userName: "x",
            apiKeys: [
              {
                apiKeyName: "k",
                publicKey: newKey().publicKey,
                curveType: "API_KEY_CURVE_P256",
              },
            ],
            authenticators: [],
            oauthProviders: [],
          },
        ],
        rootQuorumThreshold: 1,
      },
    }),
  );
  await family.root.deleteUsers({ userIds: [mallory.userId] });
  await switchOn(family, settings);
  expect((await madeBy(family)).users).toHaveLength(1);
});

test("other settings of the same key take no policy beyond the limit", async () => {
  const family = await newOrganization();
  const settings = { ...basics, publicKey: newKey().publicKey, methods: ["passkey"] };
  await switchOn(family, settings);
  for (let count = 1; count < LIMITS.policies; count++) {
    await family.root.createPolicy({
      policyName: `p ${count}`,
      effect: "EFFECT_ALLOW",
      condition: "false",
      notes: "",
    });
  }
  const value = JSON.stringify({ ...settings, methods: ["email", "passkey"] });
  const asked = submit(family.root, endpoint, { type, parameters: { name, value } });
  expect((await refusal(asked)).message).toContain("an organization may have 100 policies");
  // As many as before, and fewer, have room.
  await switchOn(family, { ...settings, appName: "Example 2" });
  await switchOn(family, { ...settings, signUp: false });
});

test("a waiting removal deletes no user who has joined the root quorum meanwhile", async () => {
  const quorum = await newQuorum();
  const { root, second } = quorum;
  const value = JSON.stringify({ ...basics, publicKey: newKey().publicKey });
  const on = await startWaiting(root, endpoint, { type, parameters: { name, value } });
  await second.client.approveActivity({ fingerprint: on.fingerprint });
  const [user] = (await madeBy(quorum)).users;
  const removal = await startWaiting(root, "remove_organization_feature", {
    type: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
    parameters: { name },
  });
  const { configs } = await root.getOrganizationConfigs();
  const userIds = [...(configs.quorum?.userIds ?? []), user?.userId ?? ""];
  const changed = await startWaiting(root, "update_root_quorum", {
    type: "ACTIVITY_TYPE_UPDATE_ROOT_QUORUM",
    parameters: { threshold: 2, userIds },
  });
  await second.client.approveActivity({ fingerprint: changed.fingerprint });
  await second.client.approveActivity({ fingerprint: removal.fingerprint }).catch(() => {});
  expect((await madeBy(quorum)).users).toEqual([user]);
});

test("the user of the proxy is one of those whom a policy without consensus allows", async () => {
  const family = await newOrganization();
  const key = newKey();
  await switchOn(family, { ...basics, publicKey: key.publicKey });
  const proxy = clientOf(family.server, family.organizationId, key);
  const create = () => proxy.createWallet({ walletName: `w ${Math.random()}`, accounts: [] });
  await expectDenied(create());
  await family.root.createPolicy({
    policyName: "wallets",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'WALLET'",
    notes: "",
  });
  expect((await create()).walletId).toBeTruthy();
  const [user] = (await madeBy(family)).users;
  await family.root.createPolicy({
    policyName: "not the proxy",
    effect: "EFFECT_DENY",
    consensus: `approvers.any(user, user.id == '${user?.userId}')`,
    condition: "activity.resource == 'WALLET'",
    notes: "",
  });
  await expect(create()).rejects.toThrow(/sufficient permission/);
});
