import { maySend } from "@keyhearth/engine/declare/define";
import { findHomeOf } from "../callers/homes.ts";
import type { Host } from "../host/host.ts";
import type { Hint } from "./hint.ts";

/**
 * A login may name the parent of the organization that the credential belongs to. The host finds that
 * organization; the core checks that its document names this parent, that a user of it made the
 * stamp, and that no user of the parent was given the credential.
 */
export async function findHome(host: Host, hint: Hint): Promise<Hint> {
  const { declaration, organizationId, stampedBy } = hint;
  const mayNameParent = maySend("user by the parent's id", declaration);
  if (!mayNameParent || "error" in stampedBy) return hint;
  const home = await findHomeOf(host, organizationId, stampedBy);
  return home === organizationId ? hint : { ...hint, organizationId: home, namesParent: true };
}
