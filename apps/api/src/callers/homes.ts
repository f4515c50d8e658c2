import {
  findLongLived,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import type { Organization } from "@keyhearth/engine/records/organization-index";
import type { Host } from "../host/host.ts";
import { findHomes, moreThanOneSubOrganization } from "../store/lookups.ts";
import { findCurrent } from "./current-document.ts";
import { hasStamped, isByNamedKey } from "./known-stamp.ts";
import type { Stamped } from "./stamp.ts";

/** Whether a user of the organization has the credential, and not only by their own word. */
export function isGivenHere(organization: Organization, stamp: Stamp): boolean {
  const held = findLongLived(organization, stamp);
  return held !== undefined && !held.isStated;
}

/**
 * Of an organization and its sub-organizations, the one that a login by this organization's id is for. It is this one if the
 * credential did not sign the request. Throws if the credential does not say which. What a token attests then stays with the
 * organization itself: the core verifies the token, and only then its sender may hear that it is of several.
 */
export async function findHomeOf(
  host: Host,
  organizationId: string,
  stamped: Stamped,
): Promise<string> {
  const { stamp } = stamped;
  if (!isPasskeyStamp(stamp) && !isByNamedKey(host, organizationId, stamped)) return organizationId;
  const cached = host.cache.document(organizationId)?.organization;
  if (cached && isGivenHere(cached, stamp)) return organizationId;
  const [home = organizationId, ...others] = await findMeant(host, organizationId, stamped);
  if (others.length === 0) return home;
  if (isAttestedStamp(stamp)) return organizationId;
  throw moreThanOneSubOrganization(organizationId, stamp);
}

/** The organizations that the credential may mean. */
export async function findMeant(
  host: Host,
  organizationId: string,
  stamped: Stamped,
): Promise<string[]> {
  const { stamp } = stamped;
  const groups = await findHomes(host.store.db, organizationId, { stamp, nowMs: host.now() });
  for (const group of groups) {
    const homes = await withPasskey(host, group, stamped);
    if (homes.length > 0) return homes;
  }
  return [];
}

/**
 * Anyone can register somebody's credential id with another public key, and who has only seen the id must not learn where
 * it is registered. So those count whose public key made the stamp.
 */
async function withPasskey(
  host: Host,
  organizationIds: string[],
  stamped: Stamped,
): Promise<string[]> {
  if (!isPasskeyStamp(stamped.stamp)) return organizationIds;
  const found: string[] = [];
  for (const organizationId of organizationIds) {
    const stored = await findCurrent(host, organizationId);
    if (hasStamped(stored, stamped)) found.push(organizationId);
  }
  return found;
}
