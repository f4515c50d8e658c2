import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import { recordDigest } from "@keyhearth/engine/records/record";
import type { Host } from "../host/host.ts";
import { findActivityByFingerprint, readActivity } from "../store/activities.ts";
import type { StoredDocument } from "../store/organizations.ts";
import type { StoredRecord } from "../store/stored-record.ts";

/** An activity that already exists for the request's bytes, or for the bytes that a vote is about. */
export type ExistingActivity = { record: StoredRecord; status: string; activity: ActivityRecord };

export async function findExisting(
  { store }: Host,
  organizationId: string,
  fingerprint: string,
): Promise<ExistingActivity | null> {
  const found = await findActivityByFingerprint(store.db, organizationId, fingerprint);
  if (!found) return null;
  const record = { digest: recordDigest(found.bytes), bytes: found.bytes };
  return { record, status: found.status, activity: readActivity(found) };
}

/** Whether it waits for votes. Every other status is final. */
export function isWaiting({ status }: ExistingActivity): boolean {
  return status === "ACTIVITY_STATUS_CONSENSUS_NEEDED";
}

/** The user whose vote was the last one on the activity. */
export function lastVoter(
  { votes }: ActivityRecord,
  stored: StoredDocument,
  parent: StoredDocument | null,
): User | null {
  return findViewer(votes.at(-1)?.userId ?? "", stored, parent);
}

/** The user who sent the request: of the organization, or of its parent. */
export function findViewer(
  userId: string,
  { document }: StoredDocument,
  parent: StoredDocument | null,
): User | null {
  return findUser(document, userId) ?? (parent && findUser(parent.document, userId)) ?? null;
}
