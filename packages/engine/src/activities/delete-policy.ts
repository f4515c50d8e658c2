import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { PolicyId } from "../fields/schemas.ts";
import { findPolicy, policyResult } from "../policies/policy-parameters.ts";

/** Deletes a policy. From the next request, whatever only this policy allowed is denied. */
export const deletePolicy = defineActivity({
  name: "delete_policy",
  tag: "Policies",
  summary: "Delete policy",
  description:
    "Delete a policy. From the next request, it no longer allows or denies anything. This includes activities that are waiting for approvals.",
  policy: { resource: "POLICY", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_POLICY",
  versions: {
    ACTIVITY_TYPE_DELETE_POLICY: {
      intentKey: "deletePolicyIntent",
      resultKey: "deletePolicyResult",
      intent: z.strictObject({ policyId: PolicyId }),
      result: policyResult,
    },
  },
  example: { policyId: "f4a6b5c1-03ed-4d17-92e7-96a314253647" },

  check({ document }, { policyId }) {
    findPolicy(document, policyId);
  },

  execute(context, { policyId }) {
    const draft = context.update();
    draft.policies = draft.policies.filter((policy) => policy.policyId !== policyId);
    return { policyId };
  },
});
