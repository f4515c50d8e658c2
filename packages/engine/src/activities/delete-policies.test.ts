import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal, startWaiting, submit } from "../organization.testing.ts";
import {
  expectNothingStored,
  expectPoliciesDecide,
  expectWaits,
  newName,
  unknownPolicyId,
} from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_POLICIES";

async function newPolicies(
  { root }: Pick<TestOrganization, "root">,
  count: number,
): Promise<string[]> {
  const policies = Array.from({ length: count }, () => ({
    policyName: newName(),
    effect: "EFFECT_ALLOW" as const,
    condition: "activity.action == 'SIGN'",
  }));
  return (await root.createPolicies({ policies })).policyIds;
}

function two(organization: Pick<TestOrganization, "root">) {
  return newPolicies(organization, 2);
}

test("policies are deleted and the others stay; a repeated id counts once", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const [one = "", second = "", three = ""] = await newPolicies(organization, 3);
  const { policyIds, activity } = await root.deletePolicies({ policyIds: [three, one, three] });
  expect(policyIds).toEqual([three, one]);
  expect(activity.intent).toEqual({ deletePoliciesIntent: { policyIds: [three, one, three] } });
  expect(activity.result).toEqual({ deletePoliciesResult: { policyIds } });
  const { policies } = await root.listPolicies();
  expect(policies.map(({ policyId }) => policyId)).toEqual([second]);
});

test("bad parameters are refused by field, and nothing is deleted", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const [policyId = ""] = await newPolicies(organization, 1);
  const cases: [object, string, string, string][] = [
    [
      { policyIds: [] },
      "FIELD_INVALID",
      "policyIds",
      "must name at least one policy: `parameters.policyIds` is a list of 0",
    ],
    [
      { policyIds: Array(101).fill(policyId) },
      "FIELD_INVALID",
      "policyIds",
      "must have at most 100 entries: `parameters.policyIds` is a list of 101",
    ],
    [
      { policyId },
      "FIELD_INVALID",
      "policyIds",
      "invalid request body: missing field `parameters.policyIds`; expected a list; invalid request body: unknown field `policyId` in `parameters`; accepted: policyIds",
    ],
  ];
  await expectNothingStored(organization, async () => {
    for (const [parameters, code, field, message] of cases) {
      const refused = await refusal(submit(root, "delete_policies", { type, parameters }));
      expect(refused).toEqual(badRequest(code, `parameters.${field}`, message));
    }
  });
});

test("if one policy is unknown or belongs to another organization, none is deleted", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  const own = await two(organization);
  const [theirs = ""] = await two(await newOrganization());
  await expectNothingStored(organization, async () => {
    for (const policyId of [unknownPolicyId, theirs]) {
      expect(await refusal(root.deletePolicies({ policyIds: [...own, policyId] }))).toEqual({
        httpStatus: 404,
        grpcCode: 5,
        code: "NOT_FOUND",
        field: "parameters.policyIds[2]",
        message: `policy not found: \`${policyId}\``,
      });
    }
  });
});

test("policies decide who can delete policies", async () => {
  await expectPoliciesDecide("DELETE", two, (client, policyIds) =>
    client.deletePolicies({ policyIds }),
  );
});

test("they wait for the root quorum and are deleted with the last approval", async () => {
  const { root } = await expectWaits(two, (client, policyIds) =>
    startWaiting(client, "delete_policies", { type, parameters: { policyIds } }),
  );
  expect((await root.listPolicies()).policies).toEqual([]);
});
