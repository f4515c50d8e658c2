import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { verifyApiKeyStamp } from "@keyhearth/crypto/stamps/stamp";
import { readVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { verifyWebAuthnStamp, type WebAuthnStamp } from "@keyhearth/crypto/webauthn/webauthn";
import {
  findLongLived,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import type { Host } from "../host/host.ts";
import { hasCredential } from "../store/lookups.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { findCurrent } from "./current-document.ts";
import type { SentStamp } from "./stamp.ts";

type AttestedStamp = Extract<Stamp, { attestation: unknown }>;

/**
 * Whether a credential of the organization or of its parent stamped the body, or a key for which the signer proved the
 * contact of one of its users. It decides only who gets a place when many requests are under way.
 */
export async function hasKnownStamp(
  host: Host,
  organizationId: string,
  { body, stamp: { read } }: { body: Uint8Array; stamp: SentStamp },
): Promise<boolean> {
  if ("error" in read) return false;
  const { store, cache } = host;
  const { stamp } = read;
  try {
    if (isPasskeyStamp(stamp)) {
      return (await findPasskeyHome(host, organizationId, stamp, body)) !== null;
    }
    if (!verifyApiKeyStamp(stamp, body)) return false;
    if (isAttestedStamp(stamp)) return await provesContact(host, organizationId, stamp);
    const cached = cache.document(organizationId);
    if (cached?.organization.findKey(stamp.publicKey)) return true;
    return await hasCredential(store.db, organizationId, stamp);
  } catch {
    return false;
  }
}

/** Only the signer has the keys of issuers, so an ID token proves nothing here. */
async function provesContact(
  host: Host,
  organizationId: string,
  stamp: AttestedStamp,
): Promise<boolean> {
  const claims = readVerificationToken(stamp.attestation.token, await host.verificationKey());
  if (claims?.public_key !== stamp.publicKey || Number(claims.exp) <= host.now()) return false;
  const own = await findCurrent(host, organizationId);
  if (!own || findLongLived(own.organization, stamp) === undefined) return false;
  const { parentOrganizationId } = own.document;
  return [organizationId, parentOrganizationId].includes(claims.organization_id);
}

export function hasIdToken(stamp: Stamp): stamp is AttestedStamp {
  return isAttestedStamp(stamp) && "identity" in stamp.attestation;
}

/**
 * Whether an ID token that nobody has verified names the social login of one of the organization's users. Strangers
 * rarely know one.
 */
export async function namesLogin(
  host: Host,
  organizationId: string,
  { body, stamp }: { body: Uint8Array; stamp: AttestedStamp },
): Promise<boolean> {
  if (!verifyApiKeyStamp(stamp, body)) return false;
  const own = await findCurrent(host, organizationId);
  return own !== undefined && findLongLived(own.organization, stamp) !== undefined;
}

/**
 * The organization, this one or its parent, whose passkey stamped the body. A passkey's stamp does not
 * say its public key, so the document is read if it has the passkey.
 */
export async function findPasskeyHome(
  host: Host,
  organizationId: string,
  stamp: WebAuthnStamp,
  body: Uint8Array,
): Promise<string | null> {
  const { db } = host.store;
  if (!(await hasCredential(db, organizationId, stamp))) return null;
  const own = await findCurrent(host, organizationId);
  if (own && hasStamped(own, stamp, body)) return organizationId;
  const parentId = own?.document.parentOrganizationId ?? null;
  const parent = parentId === null ? undefined : await findCurrent(host, parentId);
  return parent !== undefined && hasStamped(parent, stamp, body) ? parentId : null;
}

/** Whether a passkey of this organization stamped the body, on whatever page. */
export function hasStamped(
  { organization }: StoredDocument,
  stamp: WebAuthnStamp,
  body: Uint8Array,
): boolean {
  const known = organization.findPasskey(stamp.credentialId);
  return (
    known !== undefined &&
    verifyWebAuthnStamp(stamp, body, decodeBase64Url(known.credential.publicKey))
  );
}
