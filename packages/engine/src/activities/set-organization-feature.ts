import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { boundedText } from "../fields/bounded-text.ts";
import { Feature, FeatureName } from "../fields/schemas.ts";
import { keyInSettings, PROXY_FEATURE } from "../people/auth-proxy.ts";
import { checkFeatureValue, shownFeatures } from "../people/features.ts";
import { keyHolderWant } from "../people/taken-keys.ts";
import { checkProxy, switchProxyOn } from "./switch-auth-proxy.ts";

/** Switches a feature on, or gives it another value. No policy can grant it. */
export const setOrganizationFeature = defineActivity({
  name: "set_organization_feature",
  tag: "Features",
  summary: "Set organization feature",
  description:
    "Switch a feature on in an organization, or replace its value. Only the root quorum can do this. The result lists all features.",
  policy: { resource: "ORGANIZATION", action: "UPDATE" },
  rootQuorumOnly: true,
  defaultType: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
  versions: {
    ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE: {
      intentKey: "setOrganizationFeatureIntent",
      resultKey: "setOrganizationFeatureResult",
      intent: z.strictObject({
        name: FeatureName,
        value: boundedText(2048)
          .describe(
            "Value of the feature. For `FEATURE_NAME_WEBAUTHN_ORIGINS`: origins such as `https://app.example.com`, separated by commas. For `FEATURE_NAME_WEBHOOK`: a URL. For `FEATURE_NAME_AUTH_PROXY`: the settings of the login proxy, as JSON text. The other features have none.",
          )
          .meta({ examples: ["https://app.example.com"] })
          // Released clients require it in answers.
          .default(""),
      }),
      result: z.strictObject({
        features: z.array(Feature).describe("All features of the organization."),
      }),
    },
  },
  example: { name: "FEATURE_NAME_WEBAUTHN_ORIGINS", value: "https://app.example.com" },

  wants: ({ name, value }) => {
    if (name !== PROXY_FEATURE) return [];
    return [keyHolderWant({ apiKeys: keyInSettings(value).map((publicKey) => ({ publicKey })) })];
  },

  check(context, { name, value }) {
    checkFeatureValue(name, value);
    if (name === PROXY_FEATURE) checkProxy(context, value);
  },

  execute(context, { name, value }) {
    if (name === PROXY_FEATURE) switchProxyOn(context, value);
    const draft = context.update();
    const feature = { name, value: value || null };
    const isSet = draft.features.some((each) => each.name === name);
    draft.features = isSet
      ? draft.features.map((each) => (each.name === name ? feature : each))
      : [...draft.features, feature];
    return { features: shownFeatures(draft.features) };
  },
});
