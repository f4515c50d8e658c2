import { notFound } from "@keyhearth/engine/errors";
import { OrganizationId, PolicyId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderPolicy } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Policy } from "../wire/objects.ts";

/** A policy in its current form. */
export const getPolicy = defineQuery({
  name: "get_policy",
  tag: "Policies",
  summary: "Get policy",
  description: "Get a policy by its id.",
  requestName: "GetPolicyRequest",
  responseName: "GetPolicyResponse",
  request: z.object({ organizationId: OrganizationId, policyId: PolicyId }),
  response: z.object({ policy: Policy }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    policyId: "f4a6b5c1-03ed-4d17-92e7-96a314253647",
  },

  async answer({ document }, { policyId }) {
    const policy = document.policies.find((each) => each.policyId === policyId);
    if (!policy) throw notFound("policyId", "policy", policyId);
    return { policy: renderPolicy(policy) };
  },
});
