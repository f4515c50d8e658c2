import { ApiError } from "../errors.ts";
import type { FeatureName } from "../fields.ts";
import type { Context } from "../submission/execution.ts";

/**
 * Refuses a login that the organization does not offer. A sub-organization and its parent must both
 * have the feature.
 */
export function checkLoginFeature(
  { document, parent }: Pick<Context, "document" | "parent">,
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
