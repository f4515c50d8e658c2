import { ApiError } from "@keyhearth/engine/errors";
import type { Host } from "../host/host.ts";
import type { CommitUnit } from "../store/commit-unit.ts";
import { findRootOrganizationId } from "../store/organizations.ts";
import { listSubOrganizations } from "../store/sub-organizations.ts";

const TYPE = "ACTIVITY_TYPE_DELETE_ORGANIZATION";

/**
 * Refuses the deletion of a top-level organization that has sub-organizations, when it is asked for and
 * again when it would take effect. The core does not know them.
 */
export async function assertDeletable(
  { store: { db } }: Host,
  { organizationId, document, activity }: CommitUnit,
) {
  const isAskedFor = activity.type === TYPE && activity.version === 1;
  if (!isAskedFor && !isDeleted(document)) return;
  if ((await findRootOrganizationId(db)) === organizationId) {
    throw new ApiError(
      "PERMISSION_DENIED",
      "REQUEST_NOT_AUTHORIZED",
      "request not authorized: the first organization of the service cannot be deleted, because its id names the service",
      { field: "organizationId" },
    );
  }
  const [child] = await listSubOrganizations(db, organizationId, { limit: 1 });
  if (child === undefined) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "SUB_ORGANIZATIONS_EXIST",
    `the organization has sub-organizations, such as ${child}: delete them first; list_suborgs lists them`,
    { field: "organizationId" },
  );
}

function isDeleted(document: CommitUnit["document"]): boolean {
  return document !== null && document.deletedAtMs !== null;
}
