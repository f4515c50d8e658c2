import { maySend } from "@keyhearth/engine/declare/define";
import { notLoaded } from "@keyhearth/engine/errors";
import {
  findLongLived,
  isAttestedStamp,
  isPasskeyStamp,
  type Stamp,
} from "@keyhearth/engine/people/authenticate";
import { submitterOf } from "@keyhearth/engine/records/activity";
import type { Want } from "@keyhearth/engine/records/kinds";
import { readRecord } from "@keyhearth/engine/records/record";
import { findCached, findNewestCached, findParent } from "../callers/current-document.ts";
import { isMadeByHolder } from "../callers/known-stamp.ts";
import { goodStamp, type Stamped } from "../callers/stamp.ts";
import { findAndKeep, findCachedOrWanted } from "../documents/find-wanted.ts";
import type { Host } from "../host/host.ts";
import { parseRequest } from "../policies/question.ts";
import { findDocument, type StoredDocument } from "../store/organizations.ts";
import { findForLogin, findStampersSessions } from "../store/sessions.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import type { ExistingActivity } from "./existing-activity.ts";
import type { Hint } from "./hint.ts";

/** What a try starts from. */
export type Start = {
  /** The activity that already exists for the request: a vote changes it, and a poll reads it. */
  existing: ExistingActivity | null;
  /** Only the first try may use what the host's cache holds without asking the database whether it is the newest. */
  mayUseCache: boolean;
};

/** What the host believes to be current. The core checks it. */
export type Belief = {
  start: Start;
  stamped: Stamped;
  /** The user who holds the stamp's credential. */
  stamperId: string;
  stored: StoredDocument;
  /** The parent's document, if its list of origins or its users matter. */
  parent: StoredDocument | null;
  records: StoredRecord[];
  isFromCache: boolean;
};

/** Finds the document and the records that the request wants. */
export async function gather(host: Host, hint: Hint, start: Start): Promise<Belief> {
  const { organizationId, stampedBy } = hint;
  const find = start.mayUseCache ? findCached : findNewestCached;
  const cached = await find(host, organizationId);
  const current = cached ?? (await findDocument(host.store.db, organizationId));
  if (!current) throw notLoaded(organizationId);
  const stored = cached ?? host.cache.keepDocument(current);

  // An organization that does not exist is reported before a bad stamp.
  const stamped = goodStamp(stampedBy);
  const { stamp } = stamped;
  const asked = askedBy(hint, start.existing);
  const usesPasskeys = isPasskeyStamp(stamp) || registersPasskeys(asked);
  const mayBeParents = asked !== null && maySend("parent's user", asked.declaration);
  const needsParent = usesPasskeys || isAttestedStamp(stamp) || hint.namesParent || mayBeParents;
  const parent = needsParent ? await findParent(host, stored, start) : null;
  const wantsOf = (stamperId: string) => {
    const submitterId = start.existing ? submitterOf(start.existing.activity) : stamperId;
    return asked?.declaration.wants?.(asked.intent, stored.document, submitterId) ?? [];
  };
  const sought: Sought = { stored, parent, stamp, wantsOf, mayUseCache: start.mayUseCache };
  const { stamperId, records: found } =
    (await findForParentsLogin(host, sought)) ?? (await findRecords(host, sought));
  const { onKnown } = hint.request;
  const isNamed = stamperId !== NOBODY;
  if (onKnown && isNamed && (await isMadeByHolder(host, { stored, parent }, stamped))) onKnown();
  const voted = start.existing ? [start.existing.record] : [];
  const beside = parent ? [parent] : [];
  const records = eachOnce([...found, ...voted, ...beside]);
  const isFromCache = cached !== undefined;
  return { start, stamped, stamperId, stored, parent, records, isFromCache };
}

type Sought = Pick<Belief, "stored" | "parent"> & {
  stamp: Stamp;
  /** What the request wants if this user has stamped it. */
  wantsOf: (stamperId: string) => Want[];
  mayUseCache: boolean;
};

type Found = Pick<Belief, "stamperId" | "records">;

/** Who has stamped the request, and what it therefore wants. */
async function findRecords(host: Host, sought: Sought): Promise<Found> {
  const { stored, stamp, wantsOf, mayUseCache } = sought;
  const sessions = await findStampersSessions(host.store.db, stored, stamp);
  const stamperId = stamperOf(sought, sessions);
  const find = mayUseCache ? findCachedOrWanted : findAndKeep;
  const wanted = await Promise.all(
    wantsOf(stamperId).map((want) => find(host.store.db, host.cache, stored, want)),
  );
  return { stamperId, records: [...wanted.flat(), ...sessions] };
}

/**
 * The same for a login that a user of the parent asks for, with one read in place of two. Null for any
 * other request, and if a session has the user's key too.
 */
async function findForParentsLogin(host: Host, sought: Sought): Promise<Found | null> {
  const { stored, parent, stamp, wantsOf } = sought;
  if (!parent || findLongLived(stored.organization, stamp)) return null;
  const stamperId = findLongLived(parent.organization, stamp)?.user.userId;
  if (stamperId === undefined) return null;
  const [want, ...others] = wantsOf(stamperId);
  if (want?.type !== "sessions-for-login" || others.length > 0) return null;
  const records = await findForLogin(host.store.db, stored, stamp, want);
  return records && { stamperId, records };
}

/** Two wants may find the same record. */
function eachOnce(records: StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [record.digest, record])).values()];
}

type Asked = Pick<Hint, "declaration" | "intent">;

/** What is decided: a vote is decided by the records that its activity wants. */
export function askedBy(hint: Hint, existing: ExistingActivity | null): Asked | null {
  if (!hint.declaration.vote) return hint;
  const original = existing?.activity.votes[0]?.message;
  return typeof original === "string" ? parseRequest(original) : null;
}

function registersPasskeys(asked: Asked | null): boolean {
  return asked?.declaration.registersPasskeys?.(asked.intent) ?? false;
}

/** In place of a user whom the documents do not show. */
export const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The user who holds the stamp's credential. A user of the parent comes last. */
function stamperOf({ stored, parent, stamp }: Sought, [session]: StoredRecord[]): string {
  const longLived = findLongLived(stored.organization, stamp);
  if (longLived) return longLived.user.userId;
  if (session) return readRecord(session.bytes).header.id;
  const parents = parent && findLongLived(parent.organization, stamp);
  return parents?.user.userId ?? NOBODY;
}
