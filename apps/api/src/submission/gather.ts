import { notLoaded } from "@keyhearth/engine/errors";
import { submitterOf } from "@keyhearth/engine/records/activity";
import type { Want } from "@keyhearth/engine/records/kinds";
import { readRecord } from "@keyhearth/engine/records/record";
import type { Host } from "../host.ts";
import { parseRequest } from "../policies/question.ts";
import { findAndKeep, findCachedOrWanted } from "../store/find-wanted.ts";
import { findDocument, type StoredDocument } from "../store/organizations.ts";
import { findSessionsOfKeys } from "../store/sessions.ts";
import type { StoredRecord } from "../store/stored-record.ts";
import type { ExistingActivity } from "./existing-activity.ts";
import type { Hint } from "./hint.ts";

/** What a try starts from. */
export type Start = {
  /** The activity that already exists for the request: a vote changes it, and a poll reads it. */
  existing: ExistingActivity | null;
  /** Only the first try may use the host's cache. */
  mayUseCache: boolean;
};

/** What the host believes to be current. The core checks it. */
export type Belief = {
  start: Start;
  /** The key of the stamp. */
  publicKey: string;
  stored: StoredDocument;
  records: StoredRecord[];
  isFromCache: boolean;
};

/** Finds the document and the records that the request wants. */
export async function gather(host: Host, hint: Hint, start: Start): Promise<Belief> {
  const { organizationId, stampedBy } = hint;
  const cached = start.mayUseCache ? host.cache.document(organizationId) : undefined;
  const found = cached ?? (await findDocument(host.store.db, organizationId));
  if (!found) throw notLoaded(organizationId);
  const stored = cached ?? host.cache.keepDocument(found);

  if ("error" in stampedBy) throw stampedBy.error;
  const { publicKey } = stampedBy;
  const sessions = await findStampersSessions(host, stored, publicKey);
  const submitterId = start.existing
    ? submitterOf(start.existing.activity)
    : stamperOf(stored, publicKey, sessions);
  const wants = wantsOf(hint, stored, start.existing, submitterId);
  const find = start.mayUseCache ? findCachedOrWanted : findAndKeep;
  const wanted = await Promise.all(
    wants.map((want) => find(host.store.db, host.cache, stored, want)),
  );
  const voted = start.existing ? [start.existing.record] : [];
  const records = eachOnce([...wanted.flat(), ...voted, ...sessions]);
  return { start, publicKey, stored, records, isFromCache: cached !== undefined };
}

/** Two wants may find the same record. */
function eachOnce(records: StoredRecord[]): StoredRecord[] {
  return [...new Map(records.map((record) => [record.digest, record])).values()];
}

/** A vote is decided by the records that its activity wants. */
function wantsOf(
  { declaration, intent }: Hint,
  { document }: StoredDocument,
  existing: ExistingActivity | null,
  submitterId: string,
): Want[] {
  if (!declaration.vote) return declaration.wants?.(intent, document, submitterId) ?? [];
  const original = existing?.activity.votes[0]?.message;
  if (typeof original !== "string") return [];
  const asked = parseRequest(original);
  return asked.declaration.wants?.(asked.intent, document, submitterId) ?? [];
}

const NOBODY = "00000000-0000-0000-0000-000000000000";

/** The user who holds the stamp's key. */
function stamperOf(
  { organization }: StoredDocument,
  publicKey: string,
  [record]: StoredRecord[],
): string {
  const longLived = organization.findKey(publicKey)?.user.userId;
  return longLived ?? (record ? readRecord(record.bytes).header.id : NOBODY);
}

/** A key that the document does not list may be an expiring key in its user's sessions record. */
async function findStampersSessions(
  { store: { db } }: Host,
  { organizationId, organization }: StoredDocument,
  publicKey: string,
): Promise<StoredRecord[]> {
  if (organization.findKey(publicKey)) return [];
  return findSessionsOfKeys(db, organizationId, { publicKeys: [publicKey] });
}
