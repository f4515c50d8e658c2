import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { Feature, FeatureName } from "../fields/schemas.ts";
import { PROXY_FEATURE } from "../people/auth-proxy.ts";
import { shownFeatures } from "../people/features.ts";
import { checkProxyRemoval, switchProxyOff } from "./switch-auth-proxy.ts";

/** Switches a feature off. No policy can grant it. */
export const removeOrganizationFeature = defineActivity({
  name: "remove_organization_feature",
  tag: "Features",
  summary: "Remove organization feature",
  description:
    "Switch a feature off in an organization. Only the root quorum can do this. The result lists all features that are left. A feature that is not set stays so.",
  policy: { resource: "ORGANIZATION", action: "UPDATE" },
  rootQuorumOnly: true,
  defaultType: "ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE",
  versions: {
    ACTIVITY_TYPE_REMOVE_ORGANIZATION_FEATURE: {
      intentKey: "removeOrganizationFeatureIntent",
      resultKey: "removeOrganizationFeatureResult",
      intent: z.strictObject({ name: FeatureName }),
      result: z.strictObject({
        features: z.array(Feature).describe("All features of the organization that are left."),
      }),
    },
  },
  example: { name: "FEATURE_NAME_WEBAUTHN_ORIGINS" },

  check({ document }, { name }) {
    if (name === PROXY_FEATURE) checkProxyRemoval(document);
  },

  execute(context, { name }) {
    if (name === PROXY_FEATURE) switchProxyOff(context);
    const draft = context.update();
    draft.features = draft.features.filter((each) => each.name !== name);
    return { features: shownFeatures(draft.features) };
  },
});
