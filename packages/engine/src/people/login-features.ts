import { ApiError } from "../errors.ts";
import type { FeatureName } from "../fields/schemas.ts";
import type { OrganizationDocument } from "../records/organization.ts";

/**
 * Refuses a login that the organization does not offer. A sub-organization and its parent must both
 * have the feature.
 */
export function checkLoginFeature(
  { document, parent }: { document: OrganizationDocument; parent: OrganizationDocument | null },
  name: FeatureName,
) {
  for (const { organizationId, features } of parent ? [document, parent] : [document]) {
    if (features.some((feature) => feature.name === name)) continue;
    throw new ApiError(
      "PERMISSION_DENIED",
      "FEATURE_DISABLED",
      `request not authorized: the organization ${organizationId} does not have the feature ${name}, which its root quorum can set with set_organization_feature; a sub-organization and its parent must both have it`,
      { field: "organizationId" },
    );
  }
}
