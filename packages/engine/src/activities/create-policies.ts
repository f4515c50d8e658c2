import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach } from "../errors.ts";
import { list, PolicyId } from "../fields/schemas.ts";
import {
  CreatePolicyIntentV3,
  checkNewPolicy,
  checkPolicyLimit,
  newPolicy,
  policyNames,
} from "../policies/policy-parameters.ts";
import { checkPolicySize } from "../policies/policy-size.ts";

/** Creates several policies: all of them or none. */
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
        policies: list(CreatePolicyIntentV3, "The policies to create.", {
          empty: "must hold at least one policy",
        }),
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
    checkPolicySize(document, { given: policies }, "parameters.policies");
    const taken = policyNames(document);
    checkEach(policies, (policy, index) => {
      checkNewPolicy(policy, `parameters.policies[${index}]`, taken);
    });
    checkPolicyLimit(document, policies.length, "parameters.policies");
  },

  execute(context, { policies }) {
    const { newId, nowMs } = context;
    const added = policies.map((policy, index) =>
      newPolicy(policy, { policyId: newId(`policy/${index}`), nowMs }),
    );
    context.update().policies.push(...added);
    return { policyIds: added.map(({ policyId }) => policyId) };
  },
});
