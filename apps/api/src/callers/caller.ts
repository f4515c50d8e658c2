import { ApiError } from "@keyhearth/engine/errors";
import {
  authenticate,
  credentialNotFound,
  isPasskeyStamp,
  onlyRecovers,
} from "@keyhearth/engine/people/authenticate";
import { originsOf } from "@keyhearth/engine/people/passkey-origins";
import { upcast } from "@keyhearth/engine/records/kind";
import type { User } from "@keyhearth/engine/records/organization";
import { readRecord } from "@keyhearth/engine/records/record";
import { isRecoveryKey, sessions as sessionsKind } from "@keyhearth/engine/records/sessions";
import type { Host } from "../host/host.ts";
import type { StoredDocument } from "../store/organizations.ts";
import { findStampersSessions } from "../store/sessions.ts";
import { findCurrent, findParent } from "./current-document.ts";
import { findHomeOf, isGivenHere } from "./homes.ts";
import type { Stamped } from "./stamp.ts";

export type Caller = {
  /** The organization that is read. */
  subject: StoredDocument;
  /** The organization of the credential: the same one, or its parent. */
  caller: StoredDocument;
  user: User;
};

/**
 * Looks in the target organization first, then in its parent. If it is allowed, the credential may belong to
 * one of the target's sub-organizations, which comes before what the target's users registered alone.
 */
export async function findCaller(
  host: Host,
  asked: StoredDocument,
  stamped: Stamped,
  { findsSubOrganization }: { findsSubOrganization: boolean },
): Promise<Caller> {
  const found =
    (findsSubOrganization ? await findSubOrganizationsUser(host, asked, stamped) : null) ??
    (await findOwnUser(host, asked, stamped)) ??
    (await findParentsUser(host, asked, stamped));
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
  { organizationId, organization, document }: StoredDocument,
  stamped: Stamped,
): Promise<Caller | null> {
  if (document.parentOrganizationId !== null || isGivenHere(organization, stamped.stamp))
    return null;
  const home = await findHomeOf(host, organizationId, stamped);
  const subOrganization = home === organizationId ? null : await findCurrent(host, home);
  return subOrganization ? findOwnUser(host, subOrganization, stamped) : null;
}

/** Null if the organization does not know the key. Any other failure is thrown. */
async function tryAuthenticate(
  host: Host,
  stored: StoredDocument,
  stamped: Stamped,
): Promise<User | null> {
  const { organization } = stored;
  const { stamp, body } = stamped;
  const records = await findStampersSessions(host.store.db, stored, stamp);
  const sessions = records.map(({ bytes }) => upcast(sessionsKind, readRecord(bytes)));
  const parent = isPasskeyStamp(stamp) ? await findParent(host, stored) : null;
  const origins = () => originsOf(organization.document, parent?.document ?? null);
  const { stampKeys } = host;
  const nowMs = host.now();
  const found = authenticate({ stamp, body, organization, sessions, stampKeys, origins, nowMs });
  if (!(found instanceof ApiError)) {
    if (isRecoveryKey(found.credential)) throw onlyRecovers();
    return found.user;
  }
  if (found.reason === "CREDENTIAL_NOT_FOUND") return null;
  throw found;
}
