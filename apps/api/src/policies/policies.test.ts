import {
  addUser,
  ethereumAccount,
  first,
  refusal,
  startWaiting,
  type TestUser,
} from "@keyhearth/engine/organization.testing";
import { denial, newName, noneAllows, rule } from "@keyhearth/engine/policies/policies.testing";
import { expect, test } from "vitest";
import { newChild } from "../queries/queries.testing.ts";
import {
  newKey,
  newOrganization,
  startTestServer,
  type TestClient,
  type TestOrganization,
  type TestServer,
} from "../testing.ts";

/** What policies decide, tested from outside: users of an organization send requests. */

const notAuthorized = { httpStatus: 403, grpcCode: 7, code: "REQUEST_NOT_AUTHORIZED" };
const hour = 60 * 60 * 1000;

type TestWallet = { walletId: string; address: string };

async function newWallet({ root }: Pick<TestOrganization, "root">): Promise<TestWallet> {
  const { walletId, addresses } = await root.createWallet({
    walletName: newName(),
    accounts: [ethereumAccount],
  });
  return { walletId, address: first(addresses) };
}

let payloads = 0;

/** A new payload each time, because the same bytes would be the same activity. */
function payloadFor({ address }: TestWallet) {
  payloads += 1;
  return {
    signWith: address,
    payload: `payload ${payloads}`,
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8" as const,
    hashFunction: "HASH_FUNCTION_KECCAK256" as const,
  };
}

function sign({ client }: Pick<TestUser, "client">, wallet: TestWallet) {
  return client.signRawPayload(payloadFor(wallet));
}

function startSigning(client: TestClient, wallet: TestWallet, timestampMs = Date.now()) {
  const type = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";
  const parameters = payloadFor(wallet);
  return startWaiting(client, "sign_raw_payload", { type, parameters, timestampMs });
}

type TestTeam = TestOrganization & {
  wallet: TestWallet;
  policyId: string;
  ada: TestUser;
  grace: TestUser;
  joan: TestUser;
  outsider: TestUser;
};

/** Three users have a tag, and two of them must agree about signatures. An outsider has no tag. */
async function newTeam(server?: TestServer): Promise<TestTeam> {
  const organization = await newOrganization(server);
  const { root } = organization;
  const wallet = await newWallet(organization);
  const ada = await addUser(organization, "Ada");
  const grace = await addUser(organization, "Grace");
  const joan = await addUser(organization, "Joan");
  const outsider = await addUser(organization, "Outsider");
  const { userTagId } = await root.createUserTag({
    userTagName: "signers",
    userIds: [ada.userId, grace.userId, joan.userId],
  });
  const { policyId } = await root.createPolicy({
    policyName: "two signers",
    effect: "EFFECT_ALLOW",
    condition: `activity.action == 'SIGN' && wallet.id == '${wallet.walletId}'`,
    consensus: `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 2`,
  });
  return { ...organization, wallet, policyId, ada, grace, joan, outsider };
}

test("a user whom no policy allows is denied, and the error has the outcome of each policy", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const joan = await addUser(organization, "Joan");
  const wallet = await newWallet(organization);
  expect(await denial(sign(grace, wallet))).toEqual({ message: noneAllows, outcomes: [] });

  const others = await rule(organization, "EFFECT_ALLOW", joan, "activity.action == 'SIGN'");
  const elsewhere = await rule(organization, "EFFECT_ALLOW", grace, "wallet.id == 'other'");
  const errs = await rule(organization, "EFFECT_ALLOW", grace, "private_key.id == 'other'");
  const { policyId: closed } = await root.createPolicy({
    policyName: "long ago",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    time: "time.now < Timestamp('2020-01-01T00:00:00Z')",
  });
  expect(await denial(sign(grace, wallet))).toEqual({
    message: noneAllows,
    outcomes: [
      [others, "OUTCOME_DENY_IMPLICIT"],
      [elsewhere, "OUTCOME_DENY_IMPLICIT"],
      [errs, "OUTCOME_ERROR"],
      [closed, "OUTCOME_TIME_INACTIVE"],
    ],
  });
});

test("a right for one wallet is a right for that wallet only, and ends with its policy", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const [wallet, other] = [await newWallet(organization), await newWallet(organization)];
  const policyId = await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    `activity.action == 'SIGN' && wallet.id == '${wallet.walletId}'`,
  );
  const { r, activity } = await sign(grace, wallet);
  expect(r).toMatch(/^[0-9a-f]{64}$/);
  expect(activity.votes.map(({ userId }) => userId)).toEqual([grace.userId]);
  expect((await denial(sign(grace, other))).outcomes).toEqual([
    [policyId, "OUTCOME_DENY_IMPLICIT"],
  ]);
  expect((await denial(grace.client.createWallet({ walletName: "w", accounts: [] }))).outcomes)
    // There is no `wallet` yet when one is created, so the condition errs, and an error allows
    // nothing.
    .toEqual([[policyId, "OUTCOME_ERROR"]]);

  await root.deletePolicy({ policyId });
  expect(await denial(sign(grace, wallet))).toEqual({ message: noneAllows, outcomes: [] });
});

test("a DENY wins over every ALLOW, and deleting it gives the right back", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const grace = await addUser(organization);
  const wallet = await newWallet(organization);
  const { policyId: allow } = await root.createPolicy({
    policyName: "all of it",
    effect: "EFFECT_ALLOW",
  });
  await sign(grace, wallet);
  const deny = await rule(organization, "EFFECT_DENY", grace, "activity.action == 'SIGN'");
  expect(await denial(sign(grace, wallet))).toEqual({
    message: `The following policies denied this action: ${deny}`,
    outcomes: [
      [allow, "OUTCOME_ALLOW"],
      [deny, "OUTCOME_DENY_EXPLICIT"],
    ],
  });
  // A root quorum of one decides first, and no policy binds it.
  await root.signRawPayload(payloadFor(wallet));
  await root.updatePolicy({ policyId: deny, policyEffect: "EFFECT_ALLOW" });
  await sign(grace, wallet);
});

test("a right lasts as long as its time clause says", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const { root } = organization;
    const grace = await addUser(organization);
    const wallet = await newWallet(organization);
    const end = new Date(server.host.now() + hour).toISOString();
    const { policyId } = await root.createPolicy({
      policyName: "for an hour",
      effect: "EFFECT_ALLOW",
      condition: "activity.action == 'SIGN'",
      time: `time.now < Timestamp('${end}')`,
    });
    const at = () => ({ timestampMs: String(server.host.now()) });
    await grace.client.signRawPayload(payloadFor(wallet), at());
    server.clock.offsetMs = hour;
    expect((await denial(grace.client.signRawPayload(payloadFor(wallet), at()))).outcomes).toEqual([
      [policyId, "OUTCOME_TIME_INACTIVE"],
    ]);
    await root.updatePolicy({ policyId, time: "" }, at());
    await grace.client.signRawPayload(payloadFor(wallet), at());
  } finally {
    await server.stop();
  }
});

test("two of a tag agree: the second one's approval signs, others have no say", async () => {
  const team = await newTeam();
  const { ada, grace, joan, outsider, wallet, policyId } = team;
  // The outsider's vote cannot count for the consensus, so the request does not even start to wait.
  expect((await denial(sign(outsider, wallet))).outcomes).toEqual([
    [policyId, "OUTCOME_DENY_IMPLICIT"],
  ]);
  const { id, fingerprint } = await startSigning(ada.client, wallet);
  const seenBy = async ({ client }: TestUser) => {
    const { canApprove, canReject } = (await client.getActivity({ activityId: id })).activity;
    return { canApprove, canReject };
  };
  expect(await seenBy(grace)).toEqual({ canApprove: true, canReject: true });
  expect(await seenBy(outsider)).toEqual({ canApprove: false, canReject: false });
  for (const vote of [
    () => outsider.client.approveActivity({ fingerprint }),
    () => outsider.client.rejectActivity({ fingerprint }),
  ]) {
    expect(await refusal(vote())).toMatchObject(notAuthorized);
  }
  const { activity } = await grace.client.approveActivity({ fingerprint });
  expect(activity).toMatchObject({ id, status: "ACTIVITY_STATUS_COMPLETED" });
  expect(activity.votes.map(({ userId }) => userId)).toEqual([ada.userId, grace.userId]);
  expect(activity.result.signRawPayloadResult?.r).toMatch(/^[0-9a-f]{64}$/);

  const rejected = await startSigning(grace.client, wallet);
  const refused = await joan.client.rejectActivity({ fingerprint: rejected.fingerprint });
  expect(refused.activity.status).toBe("ACTIVITY_STATUS_REJECTED");
});

test("adding a user can need two admins", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const [ada, grace] = [await addUser(organization, "Ada"), await addUser(organization, "Grace")];
  const { userTagId } = await root.createUserTag({
    userTagName: "admins",
    userIds: [ada.userId, grace.userId],
  });
  await root.createPolicy({
    policyName: "two admins add users",
    notes: "",
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'USER' && activity.action == 'CREATE'",
    consensus: `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 2`,
  });
  const { publicKey } = newKey();
  const { fingerprint } = await startWaiting(ada.client, "create_users", {
    type: "ACTIVITY_TYPE_CREATE_USERS_V3",
    parameters: {
      users: [
        {
          userName: "Joan",
          apiKeys: [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [],
          userTags: [],
        },
      ],
    },
  });
  const names = async () => (await root.listUsers()).users.map(({ userName }) => userName);
  expect(await names()).not.toContain("Joan");
  const { activity } = await grace.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await names()).toContain("Joan");
});

test("a user whom a changed policy no longer names has no say, and their approval no longer counts", async () => {
  const team = await newTeam();
  const { root, ada, grace, joan, wallet, policyId } = team;
  const { fingerprint } = await startSigning(ada.client, wallet);
  const { userTagId } = await root.createUserTag({
    userTagName: "new signers",
    userIds: [grace.userId, joan.userId],
  });
  await root.updatePolicy({
    policyId,
    policyConsensus: `approvers.filter(user, user.tags.contains('${userTagId}')).count() >= 2`,
  });
  expect(await refusal(ada.client.rejectActivity({ fingerprint }))).toMatchObject(notAuthorized);
  const one = await grace.client.approveActivity({ fingerprint });
  expect(one.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  const two = await joan.client.approveActivity({ fingerprint });
  expect(two.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("every vote is decided by the policies at the time of the vote", async () => {
  const team = await newTeam();
  const { root, ada, grace, wallet, policyId } = team;
  const signing = await startSigning(ada.client, wallet);
  const denied = await rule(team, "EFFECT_DENY", ada, "activity.action == 'SIGN'");
  const held = await grace.client.approveActivity({ fingerprint: signing.fingerprint });
  expect(held.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  await root.deletePolicy({ policyId: denied });

  const gone = await startSigning(ada.client, wallet);
  await root.deletePolicy({ policyId });
  const late = grace.client.approveActivity({ fingerprint: gone.fingerprint });
  expect(await refusal(late)).toMatchObject(notAuthorized);
  // The root quorum can still decide activities that wait.
  const { activity } = await root.approveActivity({ fingerprint: gone.fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
});

test("approvals lapse after 24 hours and must be given again", async () => {
  const server = await startTestServer();
  try {
    const { ada, grace, joan, wallet } = await newTeam(server);
    const { fingerprint } = await startSigning(ada.client, wallet, server.host.now());
    server.clock.offsetMs = 24 * hour;
    const at = () => ({ timestampMs: String(server.host.now()) });
    const one = await grace.client.approveActivity({ fingerprint }, at());
    expect(one.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    server.clock.offsetMs += 23 * hour;
    const two = await joan.client.approveActivity({ fingerprint }, at());
    expect(two.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(two.activity.votes.map(({ userId }) => userId)).toEqual([
      ada.userId,
      grace.userId,
      joan.userId,
    ]);
  } finally {
    await server.stop();
  }
});

test("users may create keys for themselves until a policy denies it", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const grace = await addUser(organization);
  const newKeyFor = (owner: string) => ({
    userId: owner,
    apiKeys: [
      {
        apiKeyName: "phone",
        publicKey: newKey().publicKey,
        curveType: "API_KEY_CURVE_P256" as const,
      },
    ],
  });
  const { apiKeyIds } = await grace.client.createApiKeys(newKeyFor(grace.userId));
  expect(apiKeyIds).toHaveLength(1);
  expect(await denial(grace.client.createApiKeys(newKeyFor(userId)))).toEqual({
    message: noneAllows,
    outcomes: [],
  });

  const { policyId } = await root.createPolicy({
    policyName: "no new keys for yourself",
    effect: "EFFECT_DENY",
    condition: "activity.resource == 'CREDENTIAL'",
  });
  const explicit = {
    message: `The following policies denied this action: ${policyId}`,
    outcomes: [[policyId, "OUTCOME_DENY_EXPLICIT"]],
  };
  expect(await denial(grace.client.createApiKeys(newKeyFor(grace.userId)))).toEqual(explicit);
  expect(await denial(grace.client.deleteApiKeys({ userId: grace.userId, apiKeyIds }))).toEqual(
    explicit,
  );
});

test("policies of parent and sub-organization have nothing to do with each other", async () => {
  const parent = await newOrganization();
  const child = await newChild(parent);
  const [grace, joan] = [await addUser(parent), await addUser(child, "Joan")];
  const wallet = { walletName: "w", accounts: [] };
  await parent.root.createPolicy({ policyName: "same name", effect: "EFFECT_ALLOW" });
  await grace.client.createWallet(wallet);
  expect(await denial(joan.client.createWallet(wallet))).toEqual({
    message: noneAllows,
    outcomes: [],
  });

  const { policyId } = await child.root.createPolicy({
    policyName: "same name",
    effect: "EFFECT_DENY",
  });
  expect((await denial(joan.client.createWallet(wallet))).outcomes).toEqual([
    [policyId, "OUTCOME_DENY_EXPLICIT"],
  ]);
  await grace.client.createWallet({ ...wallet, walletName: "x" });
  // A parent can read its sub-organizations but cannot change them.
  const read = await grace.client.listPolicies({}, { organizationId: child.organizationId });
  expect(read.policies.map((policy) => policy.policyId)).toEqual([policyId]);
  const deletion = parent.root.deletePolicy({ policyId }, { organizationId: child.organizationId });
  expect(await refusal(deletion)).toEqual({
    httpStatus: 403,
    grpcCode: 7,
    code: "REQUEST_NOT_AUTHORIZED",
    field: "organizationId",
    message: expect.stringMatching(/^request not authorized: /),
  });
});

test("a denied request by one of two root users waits, and the quorum completes it", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const second = await addUser(organization, "Second");
  const grace = await addUser(organization);
  const { policyId } = await root.createPolicy({
    policyName: "nobody does anything",
    effect: "EFFECT_DENY",
  });
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  expect(
    (await denial(grace.client.createWallet({ walletName: "w", accounts: [] }))).outcomes,
  ).toEqual([[policyId, "OUTCOME_DENY_EXPLICIT"]]);

  const type = "ACTIVITY_TYPE_DELETE_POLICY";
  const waiting = await startWaiting(root, "delete_policy", { type, parameters: { policyId } });
  const { fingerprint } = waiting;
  expect(await refusal(grace.client.approveActivity({ fingerprint }))).toMatchObject(notAuthorized);
  const { activity } = await second.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(await root.listPolicies()).toEqual({ policies: [] });
});

test("a policy can let one root user do alone what otherwise takes two", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  const second = await addUser(organization, "Second");
  await rule(organization, "EFFECT_ALLOW", { userId }, "activity.resource == 'WALLET'");
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, second.userId] });
  await root.createWallet({ walletName: "alone", accounts: [] });
  const type = "ACTIVITY_TYPE_CREATE_WALLET";
  const parameters = { walletName: "together", accounts: [] };
  await startWaiting(second.client, "create_wallet", { type, parameters });
});

test("no policy can allow activities that only the root quorum may do", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await organization.root.createPolicy({ policyName: "all of it", effect: "EFFECT_ALLOW" });
  const change = grace.client.updateRootQuorum({ threshold: 1, userIds: [grace.userId] });
  expect(await denial(change)).toEqual({ message: noneAllows, outcomes: [] });
});

test("conditions read the parameters of a policy: a user who may add only a DENY adds nothing else", async () => {
  const organization = await newOrganization();
  const grace = await addUser(organization);
  await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    "activity.kind == 'CREATE_POLICY' && activity.params.effect == 'EFFECT_DENY'",
  );
  const many = await rule(
    organization,
    "EFFECT_ALLOW",
    grace,
    "activity.kind == 'CREATE_POLICIES' && activity.params.policies.all(p, p.effect == 'EFFECT_DENY')",
  );
  const policy = (effect: "EFFECT_ALLOW" | "EFFECT_DENY") => ({
    policyName: newName(),
    effect,
    condition: "activity.action == 'EXPORT'",
  });
  await grace.client.createPolicy(policy("EFFECT_DENY"));
  await grace.client.createPolicies({ policies: [policy("EFFECT_DENY"), policy("EFFECT_DENY")] });
  expect((await denial(grace.client.createPolicy(policy("EFFECT_ALLOW")))).message).toBe(
    noneAllows,
  );
  const mixed = [policy("EFFECT_DENY"), policy("EFFECT_ALLOW")];
  const denied = await denial(grace.client.createPolicies({ policies: mixed }));
  expect(new Map(denied.outcomes).get(many)).toBe("OUTCOME_DENY_IMPLICIT");
  // The old form is decided by the expressions that it is turned into.
  const old = grace.client.createPolicy(
    {
      policyName: newName(),
      effect: "EFFECT_ALLOW",
      selectors: [{ subject: "user.id", operator: "OPERATOR_EQUAL", target: grace.userId }],
    },
    { type: "ACTIVITY_TYPE_CREATE_POLICY" },
  );
  expect((await denial(old)).message).toBe(noneAllows);
});
