import { MAX_HOST_LENGTH } from "@keyhearth/crypto/webauthn/webauthn";
import type { OrganizationDocument } from "../records/organization.ts";

/** The feature whose value lists the origins that may use passkeys. */
export const ORIGINS_FEATURE = "FEATURE_NAME_WEBAUTHN_ORIGINS";

const ANY = "*";

/**
 * Reads the value of the feature: origins of pages and Android apps, separated by commas or spaces,
 * or `*` for any. Null if it is malformed. An app's relying party is that of a page, so a page is
 * always needed.
 */
export function parseOrigins(value: string | null): string[] | null {
  const origins = (value ?? "").split(/[\s,]+/).filter((origin) => origin !== "");
  const isKnown = (origin: string) =>
    origin === ANY || isPage(origin) || /^android:apk-key-hash:[A-Za-z0-9_-]{1,100}$/.test(origin);
  if (!origins.every(isKnown) || origins.length > 20) return null;
  return origins.some((origin) => origin === ANY || isPage(origin)) ? origins : null;
}

function isPage(origin: string): boolean {
  const host = /^(?:https:\/\/([a-z0-9.-]+)|http:\/\/localhost)(:[0-9]{1,5})?$/.exec(origin);
  // All parent domains of a host may be relying parties.
  return host !== null && (host[1] ?? "").length <= MAX_HOST_LENGTH;
}

/**
 * The origins that may use the passkeys of an organization. What its parent sets applies to it too,
 * so an origin must be in both lists. A list that cannot be read allows nothing.
 */
export function originsOf(
  document: Pick<OrganizationDocument, "features">,
  parent: Pick<OrganizationDocument, "features"> | null,
): string[] {
  const own = listOf(document);
  const parents = parent ? listOf(parent) : [ANY];
  if (own.includes(ANY)) return parents;
  if (parents.includes(ANY)) return own;
  return own.filter((origin) => parents.includes(origin));
}

function listOf({ features }: Pick<OrganizationDocument, "features">): string[] {
  const feature = features.find(({ name }) => name === ORIGINS_FEATURE);
  return feature ? (parseOrigins(feature.value) ?? []) : [ANY];
}
