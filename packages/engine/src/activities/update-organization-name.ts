import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { label, OrganizationId } from "../fields/schemas.ts";

/** Gives the organization another name. No policy can grant it. */
export const updateOrganizationName = defineActivity({
  name: "update_organization_name",
  tag: "Organizations",
  summary: "Update organization name",
  description: "Give an organization another name. Only the root quorum can do this.",
  policy: { resource: "ORGANIZATION", action: "UPDATE" },
  rootQuorumOnly: true,
  defaultType: "ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME",
  versions: {
    ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME: {
      intentKey: "updateOrganizationNameIntent",
      resultKey: "updateOrganizationNameResult",
      intent: z.strictObject({
        organizationName: label("New name of the organization. It need not be unique."),
      }),
      result: z.strictObject({
        organizationId: OrganizationId,
        organizationName: z.string().describe("The new name."),
      }),
    },
  },
  example: { organizationName: "Acme" },

  execute(context, { organizationName }) {
    context.update().organizationName = organizationName;
    return { organizationId: context.organizationId, organizationName };
  },
});
