import { expect, test } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { expectNotFound, expectOnlyFamilyReads, someTimes, unknownId } from "./queries.testing.ts";

const policy = {
  policyName: "signing",
  effect: "EFFECT_ALLOW",
  condition: "activity.action == 'SIGN'",
  consensus: "approvers.count() >= 2",
  time: "time.now < Timestamp('2030-01-01T00:00:00Z')",
  notes: "two of us",
} as const;

async function newPolicy({ root }: TestOrganization) {
  const { policyId } = await root.createPolicy(policy);
  return { policyId };
}

test("a policy is shown with its clauses", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { policyId } = await newPolicy(organization);
  expect(await root.getPolicy({ policyId })).toEqual({
    policy: { policyId, ...policy, ...someTimes },
  });
  await root.updatePolicy({ policyId, policyCondition: "", policyConsensus: "", time: "" });
  const { condition: _c, consensus: _s, time: _t, ...bare } = policy;
  expect(await root.getPolicy({ policyId })).toEqual({
    policy: { policyId, ...bare, condition: "", consensus: "", ...someTimes },
  });
});

test("a policy that is unknown, deleted, or another organization's, is not found", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const { policyId: deleted } = await newPolicy(organization);
  await root.deletePolicy({ policyId: deleted });
  const theirs = await newPolicy(await newOrganization());
  for (const policyId of [unknownId, deleted, theirs.policyId]) {
    await expectNotFound(root.getPolicy({ policyId }), {
      field: "policyId",
      message: `policy not found: \`${policyId}\``,
    });
  }
});

test("the organization and its parent may read it, nobody else", async () => {
  await expectOnlyFamilyReads("get_policy", newPolicy);
});
