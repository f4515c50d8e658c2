import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ApiError, checkAll, invalid } from "../errors.ts";
import { DeleteWithoutExport, OrganizationId } from "../fields/schemas.ts";
import {
  checkAllExported,
  deleteOrganization as deleteIt,
} from "../people/organization-deletion.ts";

/**
 * Deletes a top-level organization. Only the host knows whether it has sub-organizations, so the host
 * refuses to commit then.
 */
export const deleteOrganization = defineActivity({
  name: "delete_organization",
  tag: "Organizations",
  summary: "Delete organization",
  description:
    "Delete a top-level organization with everything in it. Only its root quorum can do this, and only if it has no sub-organizations and every wallet and private key was exported, or `deleteWithoutExport` is true. Nothing brings it back.",
  policy: { resource: "ORGANIZATION", action: "DELETE" },
  rootQuorumOnly: true,
  changes: "deleted organization",
  defaultType: "ACTIVITY_TYPE_DELETE_ORGANIZATION",
  versions: {
    ACTIVITY_TYPE_DELETE_ORGANIZATION: {
      intentKey: "deleteOrganizationIntent",
      resultKey: "deleteOrganizationResult",
      intent: z.strictObject({
        organizationId: OrganizationId.describe(
          "The organization to delete: the same as in the envelope.",
        ),
        deleteWithoutExport: DeleteWithoutExport,
      }),
      result: z.strictObject({ organizationId: OrganizationId }),
    },
  },
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11", deleteWithoutExport: true },

  complete: (intent) => ({ deleteWithoutExport: false, ...intent }),

  check({ document }, { organizationId, deleteWithoutExport }) {
    if (document.parentOrganizationId !== null) {
      throw new ApiError(
        "INVALID_ARGUMENT",
        "ORGANIZATION_MISMATCH",
        "a sub-organization is deleted with delete_sub_organization",
        { field: "organizationId" },
      );
    }
    checkAll(
      () => {
        if (organizationId === document.organizationId) return;
        const field = "parameters.organizationId";
        throw invalid(
          field,
          `\`${field}\` is \`${organizationId}\`, but the request is sent to organization ${document.organizationId}: both must be the same`,
          "ORGANIZATION_MISMATCH",
        );
      },
      () => checkAllExported(document, deleteWithoutExport),
    );
  },

  execute(context) {
    deleteIt(context);
    return { organizationId: context.organizationId };
  },
});
