import { ApiError } from "@keyhearth/engine/errors";
import {
  attestedNotTaken,
  authenticate,
  credentialNotFound,
  isAttestedStamp,
  isPasskeyStamp,
  onlyRecovers,
  stampInvalid,
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
import { isByNamedKey } from "./known-stamp.ts";
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
 * one of the target's sub-organizations, which comes before what the target's users registered alone. Whose key it
 * is, nobody is told who did not sign with it, so the stamp of an API key is verified first.
 */
export async function findCaller(
  host: Host,
  asked: StoredDocument,
  stamped: Stamped,
  { findsSubOrganization }: { findsSubOrganization: boolean },
): Promise<Caller> {
  const { organizationId } = asked;
  const { stamp } = stamped;
  if (isAttestedStamp(stamp)) throw attestedNotTaken();
  if (!isPasskeyStamp(stamp) && !isByNamedKey(host, organizationId, stamped)) {
    throw stampInvalid(stamp, organizationId);
  }
  const asking: Asking = { stamped, named: organizationId };
  const found =
    (findsSubOrganization ? await findSubOrganizationsUser(host, asked, asking) : null) ??
    (await findOwnUser(host, asked, asking)) ??
    (await findParentsUser(host, asked, asking));
  if (found) return found;
  throw credentialNotFound(stamp, organizationId);
}

/** The stamp, and the id of the organization that the request names. */
type Asking = { stamped: Stamped; named: string };

async function findOwnUser(
  host: Host,
  asked: StoredDocument,
  asking: Asking,
): Promise<Caller | null> {
  const user = await tryAuthenticate(host, asked, asking);
  return user && { subject: asked, caller: asked, user };
}

async function findParentsUser(
  host: Host,
  asked: StoredDocument,
  asking: Asking,
): Promise<Caller | null> {
  const { parentOrganizationId } = asked.document;
  if (parentOrganizationId === null) return null;
  const parent = await findCurrent(host, parentOrganizationId);
  const user = parent && (await tryAuthenticate(host, parent, asking));
  return user ? { subject: asked, caller: parent, user } : null;
}

/** Only a top-level organization has sub-organizations, and the key must belong to exactly one. */
async function findSubOrganizationsUser(
  host: Host,
  { organizationId, organization, document }: StoredDocument,
  asking: Asking,
): Promise<Caller | null> {
  const { stamped } = asking;
  if (document.parentOrganizationId !== null || isGivenHere(organization, stamped.stamp))
    return null;
  const home = await findHomeOf(host, organizationId, stamped);
  const subOrganization = home === organizationId ? null : await findCurrent(host, home);
  return subOrganization ? findOwnUser(host, subOrganization, asking) : null;
}

/** Null if the organization does not know the key. Any other failure is thrown. */
async function tryAuthenticate(
  host: Host,
  stored: StoredDocument,
  { stamped, named }: Asking,
): Promise<User | null> {
  const { organization } = stored;
  const { stamp } = stamped;
  const records = await findStampersSessions(host.store.db, stored, stamp);
  const sessions = records.map(({ bytes }) => upcast(sessionsKind, readRecord(bytes)));
  const parent = isPasskeyStamp(stamp) ? await findParent(host, stored) : null;
  const origins = () => originsOf(organization.document, parent?.document ?? null);
  const { stampKeys } = host;
  const nowMs = host.now();
  const given = { organization, sessions, stampKeys, origins, nowMs };
  const found = authenticate({ ...stamped, named, ...given });
  if (!(found instanceof ApiError)) {
    if (isRecoveryKey(found.credential)) throw onlyRecovers();
    return found.user;
  }
  if (found.reason === "CREDENTIAL_NOT_FOUND") return null;
  throw found;
}
