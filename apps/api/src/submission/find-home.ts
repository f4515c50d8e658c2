import { findLongLived } from "@keyhearth/engine/people/authenticate";
import type { Host } from "../host.ts";
import { findHomes, moreThanOneSubOrganization } from "../store/lookups.ts";
import type { Hint } from "./hint.ts";

/**
 * A login may name the parent of the organization that the credential belongs to. The host finds that
 * organization; the core checks that its document names this parent, that a user of it made the
 * stamp, and that no user of the parent holds the credential.
 */
export async function findHome(host: Host, hint: Hint): Promise<Hint> {
  const { declaration, organizationId, stampedBy } = hint;
  if (!declaration.findsSubOrganization || "error" in stampedBy) return hint;
  const { stamp } = stampedBy;
  const cached = host.cache.document(organizationId)?.organization;
  if (cached && findLongLived(cached, stamp)) return hint;
  const homes = await findHomes(host.store.db, organizationId, { stamp, nowMs: host.now() });
  const [home, ...others] = homes;
  if (home === undefined || homes.includes(organizationId)) return hint;
  if (others.length > 0) throw moreThanOneSubOrganization(organizationId, stamp);
  return { ...hint, organizationId: home, namesParent: true };
}
