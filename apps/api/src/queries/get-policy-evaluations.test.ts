import {
  addUser,
  errorOf,
  ethereumAccount,
  first,
  newQuorum,
  startWaiting,
} from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import {
  anyTime,
  expectNotFound,
  expectOnlyFamilyReads,
  newPrivateKey,
  unknownId,
} from "./queries.testing.ts";

async function newVoters() {
  const organization = await newOrganization();
  const { root } = organization;
  const { walletId, addresses } = await root.createWallet({
    walletName: "treasury",
    accounts: [ethereumAccount],
  });
  const ada = await addUser(organization, "Ada");
  const grace = await addUser(organization, "Grace");
  const condition = `wallet.id == '${walletId}'`;
  const consensus = "approvers.count() >= 2";
  const { policyId } = await root.createPolicy({
    policyName: "two of us",
    effect: "EFFECT_ALLOW",
    condition,
    consensus,
    notes: "",
  });
  const { policyId: otherId } = await root.createPolicy({
    policyName: "stop at noon",
    effect: "EFFECT_DENY",
    condition: "activity.action == 'EXPORT'",
    notes: "",
  });
  const parameters = {
    signWith: first(addresses),
    payload: "hello",
    encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
    hashFunction: "HASH_FUNCTION_KECCAK256",
  } as const;
  const sign = { type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2", parameters };
  return { ...organization, ada, grace, policyId, otherId, condition, consensus, sign };
}

test("no policy was evaluated for a founding", async () => {
  const { root } = await newOrganization();
  const { activities } = await root.listActivities({});
  const { id: activityId } = first(activities);
  const evaluation = { activityId, policyEvaluations: [] };
  for (const includeTrace of [false, true]) {
    const { policyEvaluations } = await root.getPolicyEvaluations({ activityId, includeTrace });
    expect(policyEvaluations).toMatchObject([evaluation]);
  }
});

test("of a key that was deleted since, the outcome of policies is shown without a trace", async () => {
  const { root, ada, grace, sign, otherId } = await newVoters();
  const { privateKeyId } = await newPrivateKey({ root });
  const { policyId } = await root.createPolicy({
    policyName: "two of us, with this key",
    effect: "EFFECT_ALLOW",
    condition: `private_key.id == '${privateKeyId}'`,
    consensus: "approvers.count() >= 2",
    notes: "",
  });
  const parameters = { ...sign.parameters, signWith: privateKeyId };
  const request = { ...sign, parameters };
  const { id, fingerprint } = await startWaiting(ada.client, "sign_raw_payload", request);
  await grace.client.approveActivity({ fingerprint });
  await root.deletePrivateKeys({ privateKeyIds: [privateKeyId], deleteWithoutExport: true });
  const traced = await root.getPolicyEvaluations({ activityId: id, includeTrace: true });
  const untraced = await root.getPolicyEvaluations({ activityId: id });
  expect(traced).toEqual(untraced);
  expect(first(traced.policyEvaluations).policyEvaluations).toEqual(
    expect.arrayContaining([
      { policyId, outcome: "OUTCOME_REQUIRES_CONSENSUS" },
      { policyId: otherId, outcome: "OUTCOME_DENY_IMPLICIT" },
    ]),
  );
});

test("each vote shows the outcome of the policies", async () => {
  const { root, organizationId, ada, grace, sign, policyId, otherId } = await newVoters();
  const { id, fingerprint } = await startWaiting(ada.client, "sign_raw_payload", sign);
  const { activity } = await grace.client.approveActivity({ fingerprint });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  const { policyEvaluations } = await root.getPolicyEvaluations({ activityId: id });
  const [firstVote, secondVote] = activity.votes;
  const shared = { activityId: id, organizationId, createdAt: anyTime };
  expect(policyEvaluations).toEqual([
    {
      ...shared,
      id: firstVote?.id,
      voteId: firstVote?.id,
      policyEvaluations: [
        { policyId, outcome: "OUTCOME_REQUIRES_CONSENSUS" },
        { policyId: otherId, outcome: "OUTCOME_DENY_IMPLICIT" },
      ],
    },
    {
      ...shared,
      id: secondVote?.id,
      voteId: secondVote?.id,
      policyEvaluations: [
        { policyId, outcome: "OUTCOME_ALLOW" },
        { policyId: otherId, outcome: "OUTCOME_DENY_IMPLICIT" },
      ],
    },
  ]);
});

test("the trace is computed from the policies and votes of that time", async () => {
  const { root, ada, grace, sign, policyId, condition, consensus } = await newVoters();
  const { id, fingerprint } = await startWaiting(ada.client, "sign_raw_payload", sign);
  await grace.client.approveActivity({ fingerprint });
  const traced = async () => {
    const request = { activityId: id, includeTrace: true };
    const { policyEvaluations } = await root.getPolicyEvaluations(request);
    return policyEvaluations.map((each) => first(each.policyEvaluations).trace);
  };
  const before = await traced();
  expect(before.map((trace) => trace?.map(({ clause, value }) => [clause, value]))).toEqual([
    [
      ["condition", true],
      ["consensus", false],
    ],
    [
      ["condition", true],
      ["consensus", true],
    ],
  ]);
  const texts = [condition, consensus];
  for (const trace of before) {
    expect(trace?.map(({ steps }) => first(steps).text)).toEqual(texts);
  }
  const counts = before.map((trace) => trace?.[1]?.steps.find(({ text }) => text.endsWith("()")));
  expect(counts.map((step) => step?.value)).toEqual(["1", "2"]);

  await root.updatePolicy({ policyId, policyCondition: "true", policyConsensus: "true" });
  expect(await traced()).toEqual(before);
  await root.deletePolicy({ policyId });
  expect(await traced()).toEqual(before);
});

test("a rejection shows which policies were waiting", async () => {
  const { root, ada, grace, sign, policyId, otherId } = await newVoters();
  const { id, fingerprint } = await startWaiting(ada.client, "sign_raw_payload", sign);
  await grace.client.rejectActivity({ fingerprint });
  const request = { activityId: id, includeTrace: true };
  const { policyEvaluations } = await root.getPolicyEvaluations(request);
  expect(policyEvaluations.map((each) => each.policyEvaluations.map(outcome))).toEqual([
    [`${policyId} OUTCOME_REQUIRES_CONSENSUS`, `${otherId} OUTCOME_DENY_IMPLICIT`],
    [`${policyId} OUTCOME_REJECTED`, `${otherId} OUTCOME_DENY_IMPLICIT`],
  ]);
  expect(policyEvaluations[1]?.policyEvaluations[0]?.trace).toHaveLength(2);
});

function outcome({ policyId, outcome }: { policyId?: string; outcome?: string }) {
  return `${policyId} ${outcome}`;
}

test("a denied request is explained by the trace id of its error", async () => {
  const organization = await newVoters();
  const { root, organizationId, policyId, otherId } = organization;
  const { client } = organization.ada;
  const error = await errorOf(client.createWallet({ walletName: "mine", accounts: [] }));
  const evaluations = [
    { policyId, outcome: "OUTCOME_ERROR" },
    { policyId: otherId, outcome: "OUTCOME_DENY_IMPLICIT" },
  ];
  expect(error.details.slice(1)).toEqual([
    {
      "@type": "type.googleapis.com/errors.v1.PolicyEnginePermissionError",
      message: "No policies evaluated to outcome: Allow",
      policyEvaluations: evaluations,
    },
    { "@type": "keyhearth.dev/PolicyTrace", traceId: expect.any(String) },
  ]);
  const activityId = String(error.details[2]?.traceId);
  const plain = await root.getPolicyEvaluations({ activityId });
  expect(plain.policyEvaluations).toEqual([
    {
      id: activityId,
      activityId,
      organizationId,
      voteId: "",
      policyEvaluations: evaluations,
      createdAt: anyTime,
    },
  ]);
  await root.deletePolicy({ policyId });
  const traced = await root.getPolicyEvaluations({ activityId, includeTrace: true });
  expect(first(traced.policyEvaluations).policyEvaluations).toEqual([
    { ...evaluations[0], trace: expect.any(Array) },
    { ...evaluations[1], trace: expect.any(Array) },
  ]);
  const [condition] = first(first(traced.policyEvaluations).policyEvaluations).trace ?? [];
  expect(condition).toMatchObject({
    clause: "condition",
    error: expect.stringContaining("wallet"),
  });
  expect(
    (await root.listActivities({ filterByType: ["ACTIVITY_TYPE_CREATE_WALLET"] })).activities,
  ).toHaveLength(1);
});

test("the field of a trace id is named, and so is one that is spelled differently", async () => {
  const { root, organizationId } = await newOrganization();
  const ask = (request: object) =>
    root.request(
      "/public/v1/query/get_policy_evaluations",
      JSON.stringify({ organizationId, ...request }),
    );
  const missing = "invalid request body: missing field `activityId`; expected a string";
  const traceId = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";
  const told = async (request: object) => (await errorOf(ask(request))).serviceMessage;
  expect(await told({ traceId })).toBe(`${missing}; did you send it as \`traceId\`?`);
  expect(await told({ activity_id: traceId })).toBe(
    `${missing}; did you send it as \`activity_id\`?`,
  );
  expect(await told({ includeTrace: true, policyId: traceId })).toBe(missing);
  expect(await told({ ["activityId".padEnd(100, "x")]: traceId })).toBe(missing);
});

test("if the root quorum decides, no policy is evaluated", async () => {
  const { root, second } = await newQuorum();
  const { id, fingerprint } = await startWaiting(root, "create_wallet", {
    type: "ACTIVITY_TYPE_CREATE_WALLET",
    parameters: { walletName: "treasury", accounts: [] },
  });
  await second.client.approveActivity({ fingerprint });
  const request = { activityId: id, includeTrace: true };
  const { policyEvaluations } = await root.getPolicyEvaluations(request);
  expect(policyEvaluations.map((each) => each.policyEvaluations)).toEqual([[], []]);
});

test("an id that is neither an activity's nor a denial's is not found", async () => {
  const { root } = await newOrganization();
  await expectNotFound(root.getPolicyEvaluations({ activityId: unknownId }), {
    field: "activityId",
    message: `activity not found: \`${unknownId}\``,
  });
});

test("only users of the organization and of its parent may read them", async () => {
  await expectOnlyFamilyReads("get_policy_evaluations", async ({ root }) => {
    const { activity } = await root.createUserTag({ userTagName: "ops", userIds: [] });
    return { activityId: activity.id };
  });
});
