import { ApiError } from "@keyhearth/engine/errors";
import {
  authenticate,
  credentialNotFound,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import { originsOf } from "@keyhearth/engine/people/passkey-origins";
import { upcast } from "@keyhearth/engine/records/kind";
import type { User } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { type Sessions, sessions as sessionsKind } from "@keyhearth/engine/records/sessions";
import type { Host } from "../host.ts";
import { findHomes, moreThanOneSubOrganization } from "../store/lookups.ts";
import { findDocument, findPointer, type StoredDocument } from "../store/organizations.ts";
import { findSessionsOfKeys } from "../store/sessions.ts";

export type Caller = {
  /** The organization that is read. */
  subject: StoredDocument;
  /** The organization of the credential: the same one, or its parent. */
  caller: StoredDocument;
  user: User;
};

/** A stamp and the bytes it was made over. */
type Stamped = { stamp: Stamp; body: Uint8Array };

/**
 * Looks in the target organization first, then in its parent, then, if allowed, in one sub-
 * organization.
 */
export async function findCaller(
  host: Host,
  asked: StoredDocument,
  stamped: Stamped,
  { findsSubOrganization }: { findsSubOrganization: boolean },
): Promise<Caller> {
  const found =
    (await findOwnUser(host, asked, stamped)) ??
    (await findParentsUser(host, asked, stamped)) ??
    (findsSubOrganization ? await findSubOrganizationsUser(host, asked, stamped) : null);
  if (found) return found;
  throw credentialNotFound(asked.organizationId, stamped.stamp);
}

async function findOwnUser(
  host: Host,
  asked: StoredDocument,
  stamped: Stamped,
): Promise<Caller | null> {
  const user = await tryAuthenticate(host, asked, stamped);
  return user && { subject: asked, caller: asked, user };
}

async function findParentsUser(
  host: Host,
  asked: StoredDocument,
  stamped: Stamped,
): Promise<Caller | null> {
  const { parentOrganizationId } = asked.document;
  if (parentOrganizationId === null) return null;
  const parent = await findCurrent(host, parentOrganizationId);
  const user = parent && (await tryAuthenticate(host, parent, stamped));
  return user ? { subject: asked, caller: parent, user } : null;
}

/** Only a top-level organization has sub-organizations, and the key must belong to exactly one. */
async function findSubOrganizationsUser(
  host: Host,
  { organizationId, document }: StoredDocument,
  stamped: Stamped,
): Promise<Caller | null> {
  if (document.parentOrganizationId !== null) return null;
  const { stamp } = stamped;
  const found = await findHomes(host.store.db, organizationId, { stamp, nowMs: host.now() });
  // It knows the credential, but did not authenticate the stamp.
  if (found.includes(organizationId)) return null;
  const [only, ...others] = found;
  if (others.length > 0) throw moreThanOneSubOrganization(organizationId, stamp);
  const subOrganization = only && (await findCurrent(host, only));
  return subOrganization ? findOwnUser(host, subOrganization, stamped) : null;
}

/** Null if the organization does not know the key. Any other failure is thrown. */
async function tryAuthenticate(
  host: Host,
  stored: StoredDocument,
  stamped: Stamped,
): Promise<User | null> {
  const { organization } = stored;
  const sessions = await findStampersSessions(host, stored, stamped.stamp);
  const parent = await findParentFor(host, stored, stamped.stamp);
  const origins = () => originsOf(organization.document, parent?.document ?? null);
  try {
    const { stampKeys } = host;
    const nowMs = host.now();
    return authenticate({ ...stamped, organization, sessions, stampKeys, origins, nowMs }).user;
  } catch (error) {
    if (error instanceof ApiError && error.reason === "CREDENTIAL_NOT_FOUND") return null;
    throw error;
  }
}

/** A key that the document does not list may be an expiring key in its user's sessions record. */
async function findStampersSessions(
  { store: { db } }: Host,
  { organizationId, organization }: StoredDocument,
  stamp: Stamp,
): Promise<Sessions[]> {
  if (isPasskeyStamp(stamp) || organization.findKey(stamp.publicKey)) return [];
  const records = await findSessionsOfKeys(db, organizationId, { publicKeys: [stamp.publicKey] });
  return records.map(({ bytes }) => upcast(sessionsKind, readRecord(bytes)));
}

/** The parent's list of origins applies to the passkeys of its sub-organizations. */
async function findParentFor(
  host: Host,
  { document: { parentOrganizationId } }: StoredDocument,
  stamp: Stamp,
): Promise<StoredDocument | undefined> {
  if (!isPasskeyStamp(stamp) || parentOrganizationId === null) return undefined;
  return findNewest(host, parentOrganizationId);
}

/** The newest document, unless it says that the organization was deleted. */
export async function findCurrent(
  host: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const newest = await findNewest(host, organizationId);
  return newest?.document.deletedAtMs === null ? newest : undefined;
}

/**
 * The newest document, even of a deleted organization. A cached one is used only if the database still
 * points at it.
 */
export async function findNewest(
  { store: { db }, cache }: Host,
  organizationId: string,
): Promise<StoredDocument | undefined> {
  const cached = cache.document(organizationId);
  if (cached) {
    const pointer = await findPointer(db, organizationId);
    if (pointer?.digest === cached.digest) return cached;
  }
  const stored = await findDocument(db, organizationId);
  return stored && cache.keepDocument(stored);
}
