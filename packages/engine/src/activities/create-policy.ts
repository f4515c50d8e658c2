import { defineActivity } from "../declare/define.ts";
import {
  CreatePolicyIntent,
  CreatePolicyIntentV2,
  CreatePolicyIntentV3,
  checkNewPolicy,
  checkPolicyLimit,
  newPolicy,
  policyNames,
  policyResult,
  upgradeSelectors,
  upgradeSelectorsV2,
} from "../policies/policy-parameters.ts";
import { checkPolicySize } from "../policies/policy-size.ts";

/** Creates a policy, which applies from the next request. */
export const createPolicy = defineActivity({
  name: "create_policy",
  tag: "Policies",
  summary: "Create policy",
  description:
    "Create a policy: what it allows or denies, who must agree, and when. It applies to every request after this one.",
  policy: { resource: "POLICY", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_POLICY_V3",
  versions: {
    ACTIVITY_TYPE_CREATE_POLICY: {
      intentKey: "createPolicyIntent",
      resultKey: "createPolicyResult",
      intent: CreatePolicyIntent,
      result: policyResult,
    },
    ACTIVITY_TYPE_CREATE_POLICY_V2: {
      intentKey: "createPolicyIntentV2",
      resultKey: "createPolicyResult",
      intent: CreatePolicyIntentV2,
      result: policyResult,
    },
    ACTIVITY_TYPE_CREATE_POLICY_V3: {
      intentKey: "createPolicyIntentV3",
      resultKey: "createPolicyResult",
      intent: CreatePolicyIntentV3,
      result: policyResult,
    },
  },
  example: {
    policyName: "Ada signs with the treasury",
    effect: "EFFECT_ALLOW",
    condition:
      "activity.kind == 'SIGN_TRANSACTION' && wallet.id == '7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f'",
    consensus: "approvers.any(user, user.id == '6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e')",
    notes: "",
  },
  upgrade: {
    ACTIVITY_TYPE_CREATE_POLICY: upgradeSelectors,
    ACTIVITY_TYPE_CREATE_POLICY_V2: upgradeSelectorsV2,
  },

  check({ document }, policy) {
    checkPolicySize(document, { given: [policy] }, "parameters");
    checkNewPolicy(policy, "parameters", policyNames(document));
    checkPolicyLimit(document, 1, "parameters.policyName");
  },

  execute(context, policy) {
    const policyId = context.newId("policy");
    context.update().policies.push(newPolicy(policy, { policyId, nowMs: context.nowMs }));
    return { policyId };
  },
});
