import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ApiError } from "../errors.ts";
import { DeleteWithoutExport, OrganizationId } from "../fields/schemas.ts";
import { checkAllExported, deleteOrganization } from "../people/organization-deletion.ts";

/** Deletes the sub-organization that the request is sent to. Its parent has no part in this. */
export const deleteSubOrganization = defineActivity({
  name: "delete_sub_organization",
  tag: "Organizations",
  summary: "Delete sub-organization",
  description:
    "Delete the sub-organization that the request is sent to, with everything in it. Its own users decide; its parent cannot delete it. Every wallet and private key must have been exported, or `deleteWithoutExport` must be true. Nothing brings it back.",
  policy: { resource: "ORGANIZATION", action: "DELETE" },
  changes: "deleted organization",
  defaultType: "ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION",
  versions: {
    ACTIVITY_TYPE_DELETE_SUB_ORGANIZATION: {
      intentKey: "deleteSubOrganizationIntent",
      resultKey: "deleteSubOrganizationResult",
      intent: z.strictObject({ deleteWithoutExport: DeleteWithoutExport }),
      result: z.strictObject({
        subOrganizationUuid: OrganizationId.describe(
          "Unique identifier of the sub-organization that was deleted.",
        ),
      }),
    },
  },
  example: { deleteWithoutExport: true },

  complete: (intent) => ({ deleteWithoutExport: false, ...intent }),

  check({ document }, { deleteWithoutExport }) {
    if (document.parentOrganizationId === null) {
      throw new ApiError(
        "INVALID_ARGUMENT",
        "ORGANIZATION_MISMATCH",
        "this is not a sub-organization: send the request to the sub-organization itself, or delete a top-level organization with delete_organization",
        { field: "organizationId" },
      );
    }
    checkAllExported(document, deleteWithoutExport);
  },

  execute(context) {
    deleteOrganization(context);
    return { subOrganizationUuid: context.organizationId };
  },
});
