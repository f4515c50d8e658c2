import { parseUrl } from "@keyhearth/crypto/encoding/url";
import { invalid, shorten } from "../errors.ts";
import type { FeatureName } from "../fields/schemas.ts";
import type { Feature } from "../records/organization.ts";
import { PROXY_FEATURE, readProxySettings } from "./auth-proxy.ts";
import { parseOrigins } from "./passkey-origins.ts";

const field = "parameters.value";

/** Refuses a value that the feature cannot have. An empty value counts as none. */
export function checkFeatureValue(name: FeatureName, value: string | undefined) {
  switch (name) {
    case "FEATURE_NAME_WEBAUTHN_ORIGINS":
      if (parseOrigins(value ?? null)?.every(isSentByBrowsers)) return;
      throw refused(
        name,
        value,
        "must be at most 20 origins as browsers write them, separated by commas: of pages, such as `https://app.example.com`, with hosts of at most 253 characters, and also of Android apps, such as `android:apk-key-hash:…`; `*` allows any",
      );
    case "FEATURE_NAME_WEBHOOK":
      if (isWebhook(value ?? "")) return;
      throw refused(name, value, "must be an http or https URL without a user name or a fragment");
    case PROXY_FEATURE:
      readProxySettings(value);
      return;
    default:
      if (!value) return;
      throw refused(
        name,
        value,
        "must be absent or empty: the feature is on while it is set, and remove_organization_feature switches it off",
      );
  }
}

/**
 * Origins are compared as texts, so one that no browser writes, such as `https://app.example.com:443`,
 * would keep every passkey out.
 */
function isSentByBrowsers(origin: string): boolean {
  return !origin.startsWith("http") || parseUrl(origin)?.origin === origin;
}

/** Delivery decides later which hosts it may reach. */
function isWebhook(value: string): boolean {
  // A parser would leave out white space and control characters.
  const url = /^https?:\/\/[\x21-\x7e]+$/i.test(value) ? parseUrl(value) : null;
  return url !== null && !url.username && !url.password && !value.includes("#");
}

function refused(name: FeatureName, value: string | undefined, accepted: string) {
  const given = value ? `is \`${shorten(value)}\`` : "is missing";
  return invalid(field, `\`${field}\` ${given}: for ${name} it ${accepted}`);
}

/** Features as results and queries show them: without a value, if there is none. */
export function shownFeatures(features: readonly Feature[]) {
  return features.map(({ name, value }) => ({
    // Only features with one of these names are ever stored.
    name: name as FeatureName,
    ...(value === null ? {} : { value }),
  }));
}
