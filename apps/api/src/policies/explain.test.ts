import { createPolicies } from "@keyhearth/engine/activities/create-policies";
import type { Question } from "@keyhearth/engine/policies/authorize";
import { compileAll } from "@keyhearth/engine/records/compiled-policies";
import type { OrganizationDocument, User } from "@keyhearth/engine/records/organization";
import { createOrganization } from "@keyhearth/engine/records/organization-index";
import { expect, test } from "vitest";
import { type ExplainedEvaluation, explain, explainEvaluations, newEffort } from "./explain.ts";

/** A question about a hundred policies, each of which reads every policy in the request. */
function largeQuestion(): Question {
  const credentials = { apiKeys: [], authenticators: [] };
  const user = { userId: "ada", userTags: [], userEmail: null, ...credentials } as unknown as User;
  const policies = Array.from({ length: 100 }, (_, index) => ({
    policyId: `policy ${index}`,
    effect: "EFFECT_ALLOW",
    condition:
      "activity.params.policies.all(a, activity.params.policies.any(b, a.notes == b.notes))",
    consensus: "approvers.count() > 1",
    time: null,
  }));
  const document = {
    users: [user],
    policies,
    rootQuorum: { threshold: 1, userIds: [] },
  } as unknown as OrganizationDocument;
  const notes = Array.from({ length: 100 }, (_, index) => ({ notes: `note ${index}` }));
  const organization = createOrganization(document, compileAll);
  return {
    declaration: createPolicies,
    type: createPolicies.defaultType,
    intent: { policies: notes },
    reading: { value: undefined },
    organization,
    decider: organization,
    submitter: user,
    approvals: [{ user, credential: undefined }],
    nowMs: 1_767_225_600_000,
  };
}

test("however many votes there are, an answer explains only as much as its limits allow", async () => {
  const effort = newEffort();
  const explained: ExplainedEvaluation[][] = [];
  for (let i = 0; i < 300; i++) explained.push(await explainEvaluations(largeQuestion(), effort));
  expect(explained[0]).toHaveLength(100);
  expect(explained[0]?.[0]?.trace[0]).toMatchObject({ clause: "condition", value: true });
  expect(explained.at(-1)).toEqual([]);
  const traces = explained.flat().flatMap(({ trace }) => trace);
  expect(traces.flatMap(({ steps }) => steps).length).toBeLessThanOrEqual(5000);
});

test("a clause beyond the limits is reported without its reasons", async () => {
  const { evaluations } = await explain(largeQuestion());
  expect(evaluations).toHaveLength(100);
  expect(evaluations.at(-1)?.trace).toEqual([
    { clause: "condition", steps: [], isCut: true },
    { clause: "consensus", steps: [], isCut: true },
  ]);
});
