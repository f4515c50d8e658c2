import type { ApiKeyStamp, StampKey } from "@keyhearth/crypto/stamps/stamp";
import { isPasskeyStamp, type Stamp } from "@keyhearth/engine/people/authenticate";
import { findPasskeyHome } from "../callers/known-stamp.ts";
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
    const key = importedKey(host, organizationId, stamp);
    if (stamped.isBy(stamp.publicKey, key)) credentials.take(stamp.publicKey, host.now());
    return;
  }
  const home = await findPasskeyHome(host, organizationId, stamped);
  if (home !== null) credentials.take(nameOf(stamp, home), host.now());
}

/** A registered key is imported once, which saves half of the verification. */
function importedKey(
  { cache, stampKeys }: Host,
  organizationId: string,
  { publicKey, scheme }: ApiKeyStamp,
): StampKey | undefined {
  const known = cache.document(organizationId)?.organization.findKey(publicKey);
  try {
    return known && stampKeys.import(organizationId, publicKey, scheme);
  } catch {
    // The scheme of the stamp is not for a key of this curve.
    return undefined;
  }
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
