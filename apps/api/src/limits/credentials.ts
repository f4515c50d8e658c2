import { isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import { findPasskeyHome, isByNamedKey } from "../callers/known-stamp.ts";
import type { Stamped } from "../callers/stamp.ts";
import type { Host } from "../host/host.ts";

/**
 * Takes a submission out of the allowance of the credential that stamped it. A stamp that does not
 * verify takes nothing, so nobody uses up the allowance of others: the signer refuses it later.
 */
export async function takeFromStamper(host: Host, organizationId: string, stamped: Stamped) {
  const { credentials } = host.limits;
  const { stamp } = stamped;
  if (!credentials) return;
  if (!isPasskeyStamp(stamp)) {
    if (isByNamedKey(host, organizationId, stamped)) credentials.take(stamp.publicKey, host.now());
    return;
  }
  const home = await findPasskeyHome(host, organizationId, stamped);
  if (home !== null) credentials.take(nameOf(stamp, home), host.now());
}

/** Takes a query out of the allowance of a credential whose stamp has been verified. */
export function takeFromCaller({ limits, now }: Host, stamp: Stamp, organizationId: string) {
  limits.credentials?.take(nameOf(stamp, organizationId), now());
}

/** All read-only sessions of one user share an allowance. */
export function takeFromSession({ limits, now }: Host, userId: string) {
  limits.credentials?.take(`session ${userId}`, now());
}

/** Anybody may register the id of a passkey in an organization of their own, but not a key. */
function nameOf(stamp: Stamp, organizationId: string): string {
  return isPasskeyStamp(stamp) ? `${organizationId} ${stamp.credentialId}` : stamp.publicKey;
}
