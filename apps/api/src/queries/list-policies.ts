import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderPolicy } from "../presentation/render.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { Policy } from "../wire/objects.ts";

/** All policies. There are too few in an organization to need pages. */
export const listPolicies = defineQuery({
  name: "list_policies",
  tag: "Policies",
  summary: "List policies",
  description: "List all policies of an organization, oldest first.",
  requestName: "GetPoliciesRequest",
  responseName: "GetPoliciesResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ policies: z.array(Policy).describe("The policies, oldest first.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  async answer({ document }) {
    return { policies: document.policies.map(renderPolicy) };
  },
});
