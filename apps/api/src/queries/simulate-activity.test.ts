import {
  addUser,
  badRequest,
  ethereumAccount,
  expectDenied,
  first,
  newQuorum,
  refusal,
} from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import {
  ask,
  expectBadParameters,
  expectNotFound,
  expectOnlyFamilyReads,
  newFamily,
  unknownId,
} from "./queries.testing.ts";

const signType = "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2";

async function newTreasury() {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  const parameters = {
    signWith: first(addresses),
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
  return { ...organization, walletId, parameters, sign: { type: signType, parameters } };
}

test("if the root quorum decides, the simulation evaluates no policy", async () => {
  const { root, sign } = await newTreasury();
  expect(await root.simulateActivity({ activity: sign })).toEqual({
    outcome: "OUTCOME_ALLOW",
    reason: "rootQuorum",
    neededApprovals: [],
    hasMoreApprovals: false,
    evaluations: [],
  });
});

test("the simulation answers what conditions read, if it is asked to", async () => {
  const { root, sign, walletId, parameters } = await newTreasury();
  const { context } = await root.simulateActivity({ activity: sign, includeContext: true });
  expect(context).toEqual({
    activity: {
      type: signType,
      kind: "SIGN_RAW_PAYLOAD",
      resource: expect.any(String),
      action: "SIGN",
      params: {
        sign_with: parameters.signWith,
        payload: "hello",
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hash_function: "HASH_FUNCTION_KECCAK256",
      },
    },
    wallet: { id: walletId, label: "treasury", imported: false, exported: false },
    wallet_account: { address: parameters.signWith },
  });
});

test("the simulation shows the outcome of each policy, and which parts decided", async () => {
  const organization = await newTreasury();
  const { root, sign, walletId } = organization;
  const { userId } = await addUser(organization);
  const condition = `activity.action == 'SIGN' && wallet.id == '${walletId}'`;
  const { policyId } = await root.createPolicy({
    policyName: "sign with the treasury",
    effect: "EFFECT_ALLOW",
    condition,
    notes: "",
  });
  const { policyId: denyId } = await root.createPolicy({
    policyName: "no private keys",
    effect: "EFFECT_DENY",
    condition: "private_key.id != ''",
    notes: "",
  });
  const answer = await root.simulateActivity({ activity: sign, userId });
  expect(answer).toEqual({
    outcome: "OUTCOME_ALLOW",
    reason: "policies",
    neededApprovals: [],
    hasMoreApprovals: false,
    evaluations: [
      { policyId, outcome: "OUTCOME_ALLOW", trace: [expect.anything()] },
      { policyId: denyId, outcome: "OUTCOME_ERROR", trace: [expect.anything()] },
    ],
  });
  const [allowed, erred] = answer.evaluations;
  const trace = first(allowed?.trace);
  expect(trace).toMatchObject({ clause: "condition", value: true, isCut: false });
  for (const { start, end, text } of trace.steps) expect(condition.slice(start, end)).toBe(text);
  expect(trace.steps[0]).toEqual({
    start: 0,
    end: condition.length,
    depth: 0,
    text: condition,
    value: "true",
  });
  expect(trace.steps).toContainEqual({
    start: condition.indexOf("wallet.id"),
    end: condition.indexOf("wallet.id") + "wallet.id".length,
    depth: 2,
    text: "wallet.id",
    value: `'${walletId}'`,
  });
  expect(first(erred?.trace)).toMatchObject({
    clause: "condition",
    error: expect.stringContaining("private_key"),
  });
});

test("a simulation predicts what happens", async () => {
  const organization = await newTreasury();
  const { root, sign, parameters, walletId } = organization;
  const { userId, client } = await addUser(organization);
  const simulated = () => client.simulateActivity({ activity: sign });
  expect(await simulated()).toMatchObject({ outcome: "OUTCOME_DENY_IMPLICIT", reason: "default" });
  await expectDenied(client.signRawPayload(parameters));
  await root.createPolicy({
    policyName: "sign",
    effect: "EFFECT_ALLOW",
    condition: `wallet.id == '${walletId}'`,
    consensus: `approvers.any(u, u.id == '${userId}')`,
    notes: "",
  });
  expect(await simulated()).toMatchObject({ outcome: "OUTCOME_ALLOW", reason: "policies" });
  await client.signRawPayload(parameters);
  await root.createPolicy({
    policyName: "stop",
    effect: "EFFECT_DENY",
    condition: "activity.action == 'SIGN'",
    notes: "",
  });
  expect(await simulated()).toMatchObject({ outcome: "OUTCOME_DENY_EXPLICIT" });
  const own = {
    type: "ACTIVITY_TYPE_CREATE_API_KEYS_V2",
    parameters: { userId, apiKeys: [] },
  };
  expect(await client.simulateActivity({ activity: own })).toMatchObject({
    outcome: "OUTCOME_ALLOW",
    reason: "ownCredentials",
  });
});

test("the simulation names the approvals that are still needed, the smallest sets first", async () => {
  const organization = await newTreasury();
  const { root, sign } = organization;
  const [ada, grace, joan] = [
    await addUser(organization, "Ada"),
    await addUser(organization, "Grace"),
    await addUser(organization, "Joan"),
  ];
  const voters = [ada.userId, grace.userId, joan.userId];
  await root.createPolicy({
    policyName: "two of three",
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
    consensus: `approvers.filter(u, u.id in [${voters.map((id) => `'${id}'`).join(", ")}]).count() >= 2`,
    notes: "",
  });
  const answer = await ada.client.simulateActivity({ activity: sign });
  expect(answer).toMatchObject({
    outcome: "OUTCOME_REQUIRES_CONSENSUS",
    reason: "policies",
    hasMoreApprovals: false,
  });
  expect(answer.neededApprovals.map((set) => set.join()).sort()).toEqual(
    [organization.userId, grace.userId, joan.userId].sort(),
  );
  const approved = await ada.client.simulateActivity({
    activity: sign,
    approverUserIds: [grace.userId],
  });
  expect(approved).toMatchObject({ outcome: "OUTCOME_ALLOW", neededApprovals: [] });
});

test("a quorum of two waits for any one of the other root users", async () => {
  const { root, second, third } = await newQuorum();
  const activity = {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "ops", userIds: [] },
  };
  const answer = await root.simulateActivity({ activity });
  expect(answer).toMatchObject({ outcome: "OUTCOME_REQUIRES_CONSENSUS", reason: "rootQuorum" });
  expect(answer.neededApprovals.flat().sort()).toEqual([second.userId, third.userId].sort());
});

test("nothing is written", async () => {
  const { root, sign } = await newTreasury();
  const before = await root.listActivities();
  await root.simulateActivity({ activity: sign });
  const wallet = { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: { walletName: "new" } };
  await root.simulateActivity({ activity: wallet });
  expect(await root.listActivities()).toEqual(before);
  expect((await root.listWallets()).wallets).toHaveLength(1);
});

test("a user of the parent must say which user is meant", async () => {
  const { parent, child } = await newFamily();
  const activity = { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: { walletName: "new" } };
  const { organizationId } = child;
  await expectBadParameters({ ...child, root: parent.root }, "simulate_activity", [
    [
      { activity },
      "userId",
      "missing field `userId`: your user belongs to the parent, so say which user of this organization would submit the activity",
    ],
  ]);
  const { userId } = child;
  const answer = await ask(parent.root, "simulate_activity", organizationId, { activity, userId });
  expect(answer).toMatchObject({ outcome: "OUTCOME_ALLOW" });
});

test("bad parameters are refused by field", async () => {
  const { sign, ...organization } = await newTreasury();
  const { root, organizationId } = organization;
  await expectBadParameters(organization, "simulate_activity", [
    [
      { activity: { type: signType, parameters: { ...sign.parameters, payload: 1 } } },
      "activity.parameters.payload",
      expect.stringContaining("`activity.parameters.payload`"),
    ],
    [
      {
        activity: {
          type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
          parameters: { fingerprint: "sha256:" },
        },
      },
      "activity.type",
      "votes are not decided by policies: simulate the activity that is voted on, with `approverUserIds`",
    ],
  ]);
  const dance = { type: "ACTIVITY_TYPE_DANCE", parameters: {} };
  expect(await refusal(root.simulateActivity({ activity: dance }))).toEqual(
    badRequest(
      "ACTIVITY_TYPE_INVALID",
      "activity.type",
      "`activity.type` is `ACTIVITY_TYPE_DANCE`, which this version of the service does not know",
    ),
  );
  const approverUserIds = [unknownId];
  expect(await refusal(root.simulateActivity({ activity: sign, approverUserIds }))).toEqual(
    badRequest("NOT_FOUND", "approverUserIds[0]", `user not found: \`${unknownId}\``),
  );
  const userId = unknownId;
  await expectNotFound(root.simulateActivity({ activity: sign, userId }), {
    field: "userId",
    message: `user not found: unable to find user ${userId} in organization ${organizationId}`,
  });
  const stranger = { ...sign.parameters, signWith: unknownId };
  const activity = { type: signType, parameters: stranger };
  expect(await refusal(root.simulateActivity({ activity }))).toMatchObject({ httpStatus: 404 });
});

test("only users of the organization and of its parent may simulate", async () => {
  await expectOnlyFamilyReads("simulate_activity", ({ userId }) => ({
    userId,
    activity: { type: "ACTIVITY_TYPE_CREATE_WALLET", parameters: { walletName: "new" } },
  }));
});
