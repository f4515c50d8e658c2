import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { refusal, startWaiting } from "../organization.testing.ts";
import {
  expectPoliciesDecide,
  expectWaits,
  newName,
  unknownPolicyId,
} from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_POLICY";

async function newPolicy({ root }: Pick<TestOrganization, "root">): Promise<string> {
  const { policyId } = await root.createPolicy({
    policyName: newName(),
    effect: "EFFECT_ALLOW",
    condition: "activity.action == 'SIGN'",
  });
  return policyId;
}

test("a policy is deleted, and the others stay in order", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const [one, two, three] = [
    await newPolicy(organization),
    await newPolicy(organization),
    await newPolicy(organization),
  ];
  const { policyId, activity } = await root.deletePolicy({ policyId: two });
  expect(policyId).toBe(two);
  expect(activity.intent).toEqual({ deletePolicyIntent: { policyId: two } });
  expect(activity.result).toEqual({ deletePolicyResult: { policyId: two } });
  const { policies } = await root.listPolicies();
  expect(policies.map((policy) => policy.policyId)).toEqual([one, three]);
});

test("the name of a deleted policy is free again", async () => {
  const { root } = await newOrganization();
  const policy = { policyName: "p", effect: "EFFECT_ALLOW", condition: "true" } as const;
  const { policyId } = await root.createPolicy(policy);
  await root.deletePolicy({ policyId });
  const again = await root.createPolicy(policy);
  expect(again.policyId).not.toBe(policyId);
});

test("a policy that is unknown, deleted or of another organization is not found", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const deleted = await newPolicy(organization);
  await root.deletePolicy({ policyId: deleted });
  const theirs = await newPolicy(await newOrganization());
  for (const policyId of [unknownPolicyId, deleted, theirs]) {
    expect(await refusal(root.deletePolicy({ policyId }))).toEqual({
      httpStatus: 404,
      grpcCode: 5,
      code: "NOT_FOUND",
      field: "parameters.policyId",
      message: `policy not found: \`${policyId}\``,
    });
  }
});

test("policies decide who can delete policies", async () => {
  await expectPoliciesDecide("DELETE", newPolicy, (client, policyId) =>
    client.deletePolicy({ policyId }),
  );
});

test("it waits for the root quorum and is deleted with the last approval", async () => {
  const { root } = await expectWaits(newPolicy, (client, policyId) =>
    startWaiting(client, "delete_policy", { type, parameters: { policyId } }),
  );
  expect((await root.listPolicies()).policies).toEqual([]);
});
