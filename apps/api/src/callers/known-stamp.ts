import { readVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import {
  findLongLived,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import type { Host } from "../host/host.ts";
import { findHolders, findHoldersNear, hasCredential } from "../store/lookups.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { findCurrent } from "./current-document.ts";
import type { SentStamp, Stamped } from "./stamp.ts";

type AttestedStamp = Extract<Stamp, { attestation: unknown }>;

/**
 * Whether a credential of the organization or of its parent stamped the body, or a key for which the signer proved the
 * contact of one of its users. It decides only who gets a place when many requests are under way.
 */
export async function hasKnownStamp(
  host: Host,
  organizationId: string,
  { stamp: { read } }: { stamp: SentStamp<Stamped> },
): Promise<boolean> {
  if ("error" in read) return false;
  const { store, cache } = host;
  const { stamp } = read;
  try {
    if (isPasskeyStamp(stamp)) {
      return (await findPasskeyHome(host, organizationId, read)) !== null;
    }
    if (!isByNamedKey(host, organizationId, read)) return false;
    if (isAttestedStamp(stamp)) return await provesContact(host, organizationId, stamp);
    const cached = cache.document(organizationId);
    if (cached?.organization.findKey(stamp.publicKey)) return true;
    return await hasCredential(store.db, organizationId, stamp);
  } catch {
    return false;
  }
}

/**
 * Whether the key that the stamp names made it. A registered key is imported once, which saves half of the
 * verification.
 */
export function isByNamedKey(
  { cache, stampKeys }: Host,
  organizationId: string,
  { stamp, isBy }: Stamped,
): boolean {
  if (isPasskeyStamp(stamp)) return false;
  const { publicKey, scheme } = stamp;
  if (!isBy(publicKey, stampKeys.find(organizationId, publicKey, scheme))) return false;
  const isRegistered = cache.document(organizationId)?.organization.findKey(publicKey);
  if (isRegistered) stampKeys.import(organizationId, publicKey, scheme);
  return true;
}

/**
 * Whether the credential that these documents, or the sessions of their users, have for the stamp made it. The stamp
 * names a credential that anybody may know.
 */
export async function isMadeByHolder(
  host: Host,
  { stored, parent }: { stored: StoredDocument; parent: StoredDocument | null },
  stamped: Stamped,
): Promise<boolean> {
  const { stamp } = stamped;
  if (isPasskeyStamp(stamp)) return [stored, parent].some((each) => hasStamped(each, stamped));
  if (!stamped.isBy(stamp.publicKey)) return false;
  return !isAttestedStamp(stamp) || provesContact(host, stored.organizationId, stamp);
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

export function hasIdToken(stamp: Stamp): boolean {
  return isAttestedStamp(stamp) && "identity" in stamp.attestation;
}

/**
 * Whether an ID token that nobody has verified names the social login of one of the organization's users. Strangers
 * rarely know one.
 */
export async function namesLogin(
  host: Host,
  organizationId: string,
  { stamp, isBy }: Stamped,
): Promise<boolean> {
  if (!isAttestedStamp(stamp) || !isBy(stamp.publicKey)) return false;
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
  stamped: Stamped,
): Promise<string | null> {
  const { db } = host.store;
  if (!(await hasCredential(db, organizationId, stamped.stamp))) return null;
  const own = await findCurrent(host, organizationId);
  if (hasStamped(own, stamped)) return organizationId;
  const parentId = own?.document.parentOrganizationId ?? null;
  const parent = parentId === null ? undefined : await findCurrent(host, parentId);
  return hasStamped(parent, stamped) ? parentId : null;
}

/** Whether a passkey of this organization stamped the body, on whatever page. */
export function hasStamped(
  stored: StoredDocument | null | undefined,
  { stamp, isBy }: Stamped,
): boolean {
  if (!isPasskeyStamp(stamp)) return false;
  const known = stored?.organization.findPasskey(stamp.credentialId);
  return known !== undefined && isBy(known.credential.publicKey);
}

/** One key may be known in several organizations. More of them are not looked at here. */
const MAX_HOLDERS = 4;

/**
 * The organizations whose key stamped the body. Null if none did, and none if the key has expired. Anybody may
 * register a public key or a credential id of somebody else in organizations of their own. Those that the body names,
 * with their parents and sub-organizations, come first, so that nobody keeps others out by that or is charged for
 * them.
 */
export async function findStampers(host: Host, stamped: Stamped): Promise<string[] | null> {
  const { stamp, body } = stamped;
  const { db } = host.store;
  const isByPasskey = isPasskeyStamp(stamp);
  if (!isByPasskey && !stamped.isBy(stamp.publicKey)) return null;
  const sought = { stamp, nowMs: host.now() };
  const named = namedIn(body);
  const near = named.length > 0 ? await findHoldersNear(db, sought, named) : [];
  if (!isByPasskey) return near.length > 0 ? near : findHolders(db, sought, 1);
  const others = await findHolders(db, sought, MAX_HOLDERS);
  const candidates = [...new Set([...near, ...others])].slice(0, MAX_HOLDERS);
  // A passkey's stamp does not say its public key: the documents of its organizations do.
  for (const organizationId of candidates) {
    const stored = await findCurrent(host, organizationId);
    if (hasStamped(stored, stamped)) return [organizationId];
  }
  return null;
}

/** The ids of organizations in a body that is not parsed yet: at most four. */
function namedIn(body: Uint8Array): string[] {
  const ids = new Set<string>();
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  let after = 0;
  for (let looked = 0; looked < MAX_LOOKED_AT && ids.size < MAX_HOLDERS; looked++) {
    const at = bytes.indexOf(MEMBER, after);
    if (at < 0) break;
    after = at + MEMBER.length;
    const id = VALUE.exec(bytes.toString("latin1", after, after + LONGEST_VALUE))?.[1];
    if (id !== undefined) ids.add(id);
  }
  return [...ids];
}

const MEMBER = '"organizationId"';
const VALUE = /^[ \t\r\n]{0,8}:[ \t\r\n]{0,8}"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/;
const LONGEST_VALUE = 64;

/** A body may name its organization again and again. */
const MAX_LOOKED_AT = 1000;
