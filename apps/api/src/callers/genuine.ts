import { decodeBase64Url } from "@keyhearth/crypto/encoding";
import { verifyApiKeyStamp } from "@keyhearth/crypto/stamp";
import { verifyWebAuthnStamp, type WebAuthnStamp } from "@keyhearth/crypto/webauthn";
import {
  isPasskeyStamp,
  parseStamp,
  type StampHeader,
} from "@keyhearth/engine/people/authenticate";
import type { Host } from "../host/host.ts";
import { hasCredential } from "../store/lookups.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { findCurrent } from "./current-document.ts";

/**
 * Whether a credential of the organization or of its parent stamped the body. It decides only who gets
 * a place when many requests are under way.
 */
export async function isGenuine(
  host: Host,
  organizationId: string,
  { body, stamp: header }: { body: Uint8Array; stamp: StampHeader | null },
): Promise<boolean> {
  const { store, cache } = host;
  try {
    const stamp = parseStamp(header);
    if (isPasskeyStamp(stamp)) {
      return (await findPasskeyHome(host, organizationId, stamp, body)) !== null;
    }
    if (!verifyApiKeyStamp(stamp, body)) return false;
    const cached = cache.document(organizationId);
    if (cached?.organization.findKey(stamp.publicKey)) return true;
    return await hasCredential(store.db, organizationId, stamp);
  } catch {
    return false;
  }
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
