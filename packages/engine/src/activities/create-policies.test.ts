import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import {
  addUser,
  badRequest,
  impatient,
  refusal,
  startWaiting,
  submit,
} from "../organization.testing.ts";
import {
  expectNothingStored,
  expectPoliciesDecide,
  expectWaits,
  newName,
} from "../policies/policies.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_POLICIES";

function policyNamed(policyName: string) {
  return { policyName, effect: "EFFECT_DENY" as const, condition: "activity.action == 'EXPORT'" };
}

test("policies are created in the order of the list", async () => {
  const { root } = await newOrganization();
  const policies = [
    { ...policyNamed("b"), notes: "first", time: "time.now < Timestamp('2030-01-01T00:00:00Z')" },
    policyNamed("a"),
  ];
  const { policyIds, activity } = await root.createPolicies({ policies });
  expect(activity.intent).toEqual({
    createPoliciesIntent: { policies: policies.map((policy) => ({ notes: "", ...policy })) },
  });
  expect(activity.result).toEqual({ createPoliciesResult: { policyIds } });
  const listed = (await root.listPolicies()).policies;
  expect(listed.map(({ policyId }) => policyId)).toEqual(policyIds);
  expect(listed).toMatchObject(policies);
});

test("one bad policy makes the request fail, with its place", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  await root.createPolicies({ policies: [policyNamed("taken")] });
  const cases: [object, string, string, unknown][] = [
    [
      { policies: [] },
      "FIELD_INVALID",
      "policies",
      "must hold at least one policy: `parameters.policies` is a list of 0",
    ],
    [
      { policies: Array.from({ length: 101 }, (_, i) => policyNamed(`p${i}`)) },
      "FIELD_INVALID",
      "policies",
      "must have at most 100 entries: `parameters.policies` is a list of 101",
    ],
    [
      { policies: [policyNamed("p"), { ...policyNamed("q"), effect: "ALLOW" }] },
      "FIELD_INVALID",
      "policies[1].effect",
      "invalid effect: `parameters.policies[1].effect` is `ALLOW`; accepted: EFFECT_ALLOW, EFFECT_DENY",
    ],
    [
      { policies: [policyNamed("p"), policyNamed("taken")] },
      "NAME_TAKEN",
      "policies[1].policyName",
      "policy label must be unique: there is another policy named `taken`",
    ],
    [
      { policies: [policyNamed("p"), policyNamed("q"), policyNamed("p")] },
      "NAME_TAKEN",
      "policies[2].policyName",
      "policy label must be unique: there is another policy named `p`",
    ],
    [
      {
        policies: [
          policyNamed("p"),
          policyNamed("q"),
          { ...policyNamed("r"), consensus: "aprovers.count() > 1" },
        ],
      },
      "POLICY_INVALID",
      "policies[2].consensus",
      expect.stringMatching(
        /^invalid policy consensus: Expression cannot be evaluated: field does not exist: aprovers\.count; did you mean `approvers\.count`\? line 1, column 1 aprovers/,
      ),
    ],
    [
      { policies: [policyNamed("p"), { ...policyNamed("q"), condition: "" }] },
      "POLICY_INVALID",
      "policies[1].condition",
      "invalid policy condition: `parameters.policies[1].condition` is empty; leave the field out for a policy that is about every request",
    ],
  ];
  await expectNothingStored(organization, async () => {
    for (const [parameters, code, field, message] of cases) {
      const refused = await refusal(submit(root, "create_policies", { type, parameters }));
      expect(refused).toEqual(badRequest(code, `parameters.${field}`, message));
    }
  });
});

test("the whole list must fit into the limit of 100 policies", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const some = (count: number) => Array.from({ length: count }, () => policyNamed(newName()));
  await root.createPolicies({ policies: some(60) });
  expect(await refusal(root.createPolicies({ policies: some(41) }))).toEqual({
    httpStatus: 429,
    grpcCode: 8,
    code: "LIMIT_EXCEEDED",
    field: "parameters.policies",
    message: "an organization may have 100 policies",
  });
  await root.createPolicies({ policies: some(40) });
  expect((await root.listPolicies()).policies).toHaveLength(100);
});

test("policies that are too large for the organization's document are refused", async () => {
  const organization = await newOrganization();
  const root = impatient(organization);
  const condition = `activity.action == '${"x".repeat(16_000)}'`;
  const some = () => Array.from({ length: 35 }, () => ({ ...policyNamed(newName()), condition }));
  await root.createPolicies({ policies: some() });
  await expectNothingStored(organization, async () => {
    expect(await refusal(root.createPolicies({ policies: some() }))).toEqual({
      httpStatus: 429,
      grpcCode: 8,
      code: "LIMIT_EXCEEDED",
      field: "organizationId",
      message: expect.stringMatching(/^the organization's document would exceed 1 MiB: /),
    });
  });
});

test("hazards name the policy that they are about, and at most 50 are kept", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  await addUser(organization);
  const signing = () => ({
    policyName: newName(),
    effect: "EFFECT_ALLOW" as const,
    condition: "activity.action == 'SIGN'",
  });
  const { policyIds, activity } = await root.createPolicies({
    policies: [policyNamed(newName()), signing()],
  });
  const { warnings = [] } = activity;
  expect(new Set(warnings.map(({ policyId }) => policyId))).toEqual(new Set([policyIds[1]]));
  expect(warnings.map(({ code }) => code)).toEqual(["sign-unscoped", "consensus-any"]);

  const many = await root.createPolicies({ policies: Array.from({ length: 60 }, signing) });
  expect(many.activity.warnings).toHaveLength(50);
});

test("policies decide who can create policies", async () => {
  await expectPoliciesDecide(
    "CREATE",
    async () => ({}),
    (client) => client.createPolicies({ policies: [policyNamed(newName())] }),
  );
});

test("they wait for the root quorum and are created with the last approval", async () => {
  const { activity, root } = await expectWaits(
    async () => ({ policies: [policyNamed("p"), policyNamed("q")] }),
    (client, parameters) => startWaiting(client, "create_policies", { type, parameters }),
  );
  const { policyIds } = activity.result.createPoliciesResult ?? {};
  const { policies } = await root.listPolicies();
  expect(policies.map(({ policyId }) => policyId)).toEqual(policyIds);
});
