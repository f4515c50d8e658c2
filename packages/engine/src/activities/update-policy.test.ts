import { newOrganization, startTestServer, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { addUser, badRequest, refusal, startWaiting, submit } from "../organization.testing.ts";
import {
  expectNothingStored,
  expectPoliciesDecide,
  expectWaits,
  newName,
  unknownPolicyId,
} from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_POLICY_V2";

const whole = {
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.count() >= 2",
  notes: "two of us",
  time: "time.now < Timestamp('2030-01-01T00:00:00Z')",
} as const;

async function newPolicy({ root }: Pick<TestOrganization, "root">): Promise<string> {
  return (await root.createPolicy({ ...whole, policyName: newName() })).policyId;
}

test("only the given fields change, and the time of the change is shown", async () => {
  const server = await startTestServer();
  try {
    const organization = await newOrganization(server);
    const { root } = organization;
    const policyId = await newPolicy(organization);
    const changes = [
      [{ policyName: "renamed" }, { policyName: "renamed" }],
      [{ policyEffect: "EFFECT_DENY" }, { effect: "EFFECT_DENY" }],
      [
        { policyCondition: "activity.action == 'EXPORT'" },
        { condition: "activity.action == 'EXPORT'" },
      ],
      [{ policyConsensus: "approvers.count() >= 3" }, { consensus: "approvers.count() >= 3" }],
      [{ policyNotes: "three" }, { notes: "three" }],
      [{ policyNotes: "" }, { notes: "" }],
      [
        { time: "time.now > Timestamp('2020-01-01T00:00:00Z')" },
        { time: "time.now > Timestamp('2020-01-01T00:00:00Z')" },
      ],
      [
        { policyName: "again", policyEffect: "EFFECT_ALLOW", policyNotes: "both" },
        { policyName: "again", effect: "EFFECT_ALLOW", notes: "both" },
      ],
    ] as const;
    let expected = (await root.getPolicy({ policyId })).policy;
    const { createdAt } = expected;
    for (const [given, changed] of changes) {
      server.clock.offsetMs += 60_000;
      const made = await root.updatePolicy(
        { policyId, ...given },
        { timestampMs: String(server.host.now()) },
      );
      expect(made.policyId).toBe(policyId);
      const { policy } = await root.getPolicy({ policyId });
      expect(Number(policy.updatedAt.seconds)).toBeGreaterThan(Number(expected.updatedAt.seconds));
      expected = { ...expected, ...changed, createdAt, updatedAt: policy.updatedAt };
      expect(policy).toEqual(expected);
    }
  } finally {
    await server.stop();
  }
});

test("each version returns its own keys, and the older one has no time", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const policyId = await newPolicy(organization);
  const old = await root.updatePolicy(
    { policyId, policyNotes: "old" },
    { type: "ACTIVITY_TYPE_UPDATE_POLICY" },
  );
  expect(old.activity.intent).toEqual({ updatePolicyIntent: { policyId, policyNotes: "old" } });
  expect(old.activity.result).toEqual({ updatePolicyResult: { policyId } });
  const { activity } = await root.updatePolicy({ policyId, policyNotes: "new" });
  expect(activity.intent).toEqual({ updatePolicyIntentV2: { policyId, policyNotes: "new" } });
  expect(activity.result).toEqual({ updatePolicyResultV2: { policyId } });
  const withTime = submit(root, "update_policy", {
    type: "ACTIVITY_TYPE_UPDATE_POLICY",
    parameters: { policyId, time: "" },
  });
  expect(await refusal(withTime)).toEqual(
    badRequest(
      "FIELD_UNKNOWN",
      "parameters.time",
      "invalid request body: unknown field `time` in `parameters`; accepted: policyId, policyName, policyEffect, policyCondition, policyConsensus, policyNotes",
    ),
  );
});

test("an empty clause is removed, and null leaves it unchanged", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const policyId = await newPolicy(organization);
  const { policy: before } = await root.getPolicy({ policyId });
  const parameters = {
    policyId,
    policyNotes: "n",
    policyCondition: null,
    policyConsensus: null,
    time: null,
  };
  await submit(root, "update_policy", { type, parameters });
  const { policy: kept } = await root.getPolicy({ policyId });
  expect(kept).toEqual({ ...before, notes: "n", updatedAt: kept.updatedAt });

  await root.updatePolicy({ policyId, policyCondition: "", policyConsensus: "", time: "" });
  const { condition: _c, consensus: _s, time: _t, ...rest } = kept;
  const { policy: bare } = await root.getPolicy({ policyId });
  expect(bare).toEqual({ ...rest, condition: "", consensus: "", updatedAt: bare.updatedAt });
});

test("a policy may keep its name, but may not take that of another", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const one = await root.createPolicy({ ...whole, policyName: "one" });
  const two = await root.createPolicy({ ...whole, policyName: "two" });
  await root.updatePolicy({ policyId: two.policyId, policyName: "two", policyNotes: "n" });
  const taken = root.updatePolicy({ policyId: two.policyId, policyName: "one" });
  expect(await refusal(taken)).toEqual(
    badRequest(
      "NAME_TAKEN",
      "parameters.policyName",
      "policy label must be unique: there is another policy named `one`",
    ),
  );
  await root.updatePolicy({ policyId: one.policyId, policyName: "three" });
  await root.updatePolicy({ policyId: two.policyId, policyName: "one" });
  const { policies } = await root.listPolicies();
  expect(policies.map(({ policyName }) => policyName)).toEqual(["three", "one"]);
});

test("bad parameters are refused by field, and nothing is stored", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const policyId = await newPolicy(organization);
  const cases: [object, string, string | undefined, unknown][] = [
    [
      { policyId },
      "FIELD_INVALID",
      "",
      `nothing to change: \`parameters\` names policy \`${policyId}\` and none of policyName, policyEffect, policyCondition, policyConsensus, policyNotes, time`,
    ],
    [
      { policyId, policyCondition: null },
      "FIELD_INVALID",
      "",
      expect.stringMatching(/^nothing to change: /),
    ],
    [
      { policyId, policyEffect: "EFFECT_MAYBE" },
      "FIELD_INVALID",
      ".policyEffect",
      "invalid effect: `parameters.policyEffect` is `EFFECT_MAYBE`; accepted: EFFECT_ALLOW, EFFECT_DENY",
    ],
    [
      { policyId, policyCondition: "walet.id == 'w1'" },
      "POLICY_INVALID",
      ".policyCondition",
      expect.stringMatching(
        /^invalid policy condition: Expression cannot be evaluated: field does not exist: walet\.id; did you mean `wallet\.id`\?/,
      ),
    ],
    [
      { policyId, policyConsensus: "approvers.count() >" },
      "POLICY_INVALID",
      ".policyConsensus",
      expect.stringMatching(/^invalid policy consensus: .*expected a value, found the end/),
    ],
    [
      { policyId, time: "wallet.id == 'w1'" },
      "POLICY_INVALID",
      ".time",
      expect.stringMatching(/^invalid policy time: .*`wallet` exists only in a policy's condition/),
    ],
  ];
  await expectNothingStored(organization, async () => {
    for (const [parameters, code, field, message] of cases) {
      const refused = await refusal(submit(root, "update_policy", { type, parameters }));
      expect(refused).toEqual(badRequest(code, `parameters${field}`, message));
    }
  });
});

test("a policy that is unknown or of another organization is not found", async () => {
  const { root } = await newOrganization();
  const theirs = await newPolicy(await newOrganization());
  for (const policyId of [unknownPolicyId, theirs]) {
    expect(await refusal(root.updatePolicy({ policyId, policyNotes: "n" }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.policyId",
      message: `policy not found: \`${policyId}\``,
    });
  }
});

test("hazards of the changed policy are shown", async () => {
  const organization = await newOrganization();
  const { root, userId } = organization;
  await addUser(organization);
  const { policyId: other } = await root.createPolicy({
    policyName: newName(),
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
  });
  const { policyId } = await root.createPolicy({
    policyName: newName(),
    effect: "EFFECT_ALLOW",
    condition: "activity.resource == 'WALLET' && activity.action == 'UPDATE'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
  });
  const { activity } = await root.updatePolicy({ policyId, policyConsensus: "" });
  expect(activity.warnings).toEqual([
    {
      code: "consensus-any",
      message: expect.stringContaining("any single user of the organization"),
      policyId,
      clause: "consensus",
      start: 0,
      end: 0,
    },
  ]);
  const mended = await root.updatePolicy({
    policyId: other,
    policyCondition: "activity.action == 'SIGN' && wallet.id == 'w1'",
    policyConsensus: `approvers.any(user, user.id == '${userId}')`,
  });
  expect(mended.activity.warnings?.map(({ code }) => code)).toEqual(["unknown-wallet"]);
});

test("policies decide who can change policies", async () => {
  await expectPoliciesDecide("UPDATE", newPolicy, (client, policyId) =>
    client.updatePolicy({ policyId, policyNotes: newName() }),
  );
});

test("it waits for the root quorum and is changed with the last approval", async () => {
  const { root } = await expectWaits(newPolicy, (client, policyId) =>
    startWaiting(client, "update_policy", {
      type,
      parameters: { policyId, policyEffect: "EFFECT_DENY" },
    }),
  );
  const { policies } = await root.listPolicies();
  expect(policies).toMatchObject([{ ...whole, effect: "EFFECT_DENY" }]);
});
