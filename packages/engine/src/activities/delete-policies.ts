import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach } from "../errors.ts";
import { ids, PolicyId } from "../fields/schemas.ts";
import { findPolicy } from "../policies/policy-parameters.ts";

/** Deletes several policies: all of them or none. */
export const deletePolicies = defineActivity({
  name: "delete_policies",
  tag: "Policies",
  summary: "Delete policies",
  description: "Delete several policies at once: all of them, or none if one does not exist.",
  policy: { resource: "POLICY", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_POLICIES",
  versions: {
    ACTIVITY_TYPE_DELETE_POLICIES: {
      intentKey: "deletePoliciesIntent",
      resultKey: "deletePoliciesResult",
      intent: z.strictObject({
        policyIds: ids(PolicyId, "policy", "Ids of the policies to delete."),
      }),
      result: z.strictObject({
        policyIds: z.array(PolicyId).describe("Ids of the policies that were deleted."),
      }),
    },
  },
  example: { policyIds: ["f4a6b5c1-03ed-4d17-92e7-96a314253647"] },

  check({ document }, { policyIds }) {
    checkEach(policyIds, (policyId, index) => {
      findPolicy(document, policyId, `parameters.policyIds[${index}]`);
    });
  },

  execute(context, { policyIds }) {
    const draft = context.update();
    draft.policies = draft.policies.filter(({ policyId }) => !policyIds.includes(policyId));
    return { policyIds: [...new Set(policyIds)] };
  },
});
