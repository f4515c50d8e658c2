import * as z from "zod";
import { PolicyId } from "../fields.ts";
import {
  CreatePolicyIntentV3,
  checkNewPolicy,
  checkPolicyLimit,
  newPolicy,
  policyNames,
  warningsOf,
} from "../policies/policy-parameters.ts";
import type { Policy } from "../records/organization.ts";
import { defineActivity } from "../submission/define.ts";
import type { Context } from "../submission/execution.ts";

/** Makes several policies: all of them or none. */
export const createPolicies = defineActivity({
  name: "create_policies",
  tag: "Policies",
  summary: "Create policies",
  description: "Create several policies at once: all of them, or none if one is refused.",
  policy: { resource: "POLICY", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_POLICIES",
  versions: {
    ACTIVITY_TYPE_CREATE_POLICIES: {
      intentKey: "createPoliciesIntent",
      resultKey: "createPoliciesResult",
      intent: z.strictObject({
        policies: z
          .array(CreatePolicyIntentV3)
          .min(1, "must hold at least one policy")
          .max(100, "must have at most 100 entries")
          .describe("The policies to create."),
      }),
      result: z.strictObject({
        policyIds: z.array(PolicyId).describe("Ids of the policies, in the order of the request."),
      }),
    },
  },
  example: {
    policies: [
      {
        policyName: "Admins manage users",
        effect: "EFFECT_ALLOW",
        condition: "activity.resource == 'USER'",
        consensus:
          "approvers.filter(user, user.tags.contains('af51607c-be98-4ec2-8d92-415e6f708192')).count() >= 2",
        notes: "",
      },
      {
        policyName: "Nobody exports",
        effect: "EFFECT_DENY",
        condition: "activity.action == 'EXPORT'",
        notes: "",
      },
    ],
  },

  check({ document }, { policies }) {
    const taken = policyNames(document);
    for (const [index, policy] of policies.entries()) {
      checkNewPolicy(policy, `parameters.policies[${index}]`, taken);
    }
    checkPolicyLimit(document, policies.length, "parameters.policies");
  },

  warn(context, { policies }) {
    const { document } = context;
    const added = addedBy(context, policies);
    return warningsOf(document, [...document.policies, ...added], idsOf(added));
  },

  execute(context, { policies }) {
    const added = addedBy(context, policies);
    context.update().policies.push(...added);
    return { policyIds: idsOf(added) };
  },
});

function addedBy({ newId, nowMs }: Context, policies: CreatePolicyIntentV3[]): Policy[] {
  return policies.map((policy, index) =>
    newPolicy(policy, { policyId: newId(`policy/${index}`), nowMs }),
  );
}

function idsOf(policies: Policy[]): string[] {
  return policies.map(({ policyId }) => policyId);
}
