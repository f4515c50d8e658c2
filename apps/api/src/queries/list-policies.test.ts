import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads } from "./queries.testing.ts";

const noExports = { effect: "EFFECT_DENY", condition: "activity.action == 'EXPORT'" } as const;

test("policies are listed in the order of creation, each as the single query shows it", async () => {
  const { root } = await newOrganization();
  expect(await root.listPolicies()).toEqual({ policies: [] });
  const { policyId: first } = await root.createPolicy({ policyName: "z", ...noExports });
  const { policyIds } = await root.createPolicies({
    policies: [
      { policyName: "y", ...noExports },
      { policyName: "x", ...noExports },
    ],
  });
  await root.updatePolicy({ policyId: first, policyNotes: "changed last" });
  const { policies } = await root.listPolicies();
  expect(policies.map(({ policyId }) => policyId)).toEqual([first, ...policyIds]);
  for (const policy of policies) {
    expect((await root.getPolicy({ policyId: policy.policyId })).policy).toEqual(policy);
  }
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  await expect(
    root.request("/public/v1/query/list_policies", '{"organizationId":"x"}'),
  ).rejects.toMatchObject({
    code: "ORGANIZATION_ID_MALFORMED",
    field: "organizationId",
    httpStatus: 400,
  });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_policies", async ({ root }) => {
    await root.createPolicy({ policyName: "p", ...noExports });
    return {};
  });
});
