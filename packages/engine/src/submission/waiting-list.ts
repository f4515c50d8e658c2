import { encodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import type { Marks } from "../core/core.ts";
import { ApiError, limitExceeded, Overtaken } from "../errors.ts";
import { type ActivityRecord, submitterOf } from "../records/activity.ts";
import { LIMITS } from "../records/limits.ts";
import { findUser, type OrganizationDocument, type WaitingLine } from "../records/organization.ts";
import { assertRoom, closeEnded } from "./closed-activities.ts";
import { MAX_AHEAD_MS } from "./envelope.ts";

// An activity waits for votes only while the document lists it, in the state that its record has (decision 3). So
// what votes decide takes effect once, by votes that were committed: the record of a proposal that was not, or of an activity
// that ended, takes no votes, however many times its bytes were proposed and whatever rules changed in between.

export function findListed(
  { waiting }: OrganizationDocument,
  fingerprint: string,
): WaitingLine | undefined {
  return waiting.find((line) => line.fingerprint === fingerprint);
}

/** Lists an activity that starts to wait. Refuses it if its user has no room for another one. */
export function listWaiting(
  draft: OrganizationDocument,
  activity: ActivityRecord,
  { random, nowMs }: { random: (length: number) => Uint8Array; nowMs: number },
): ActivityRecord {
  const userId = submitterOf(activity);
  assertRoom(draft, userId, nowMs);
  assertFewWaiting(draft, userId);
  return list(draft, activity, random);
}

/** Lists the activity as it is after a vote. */
export function relistWaiting(
  draft: OrganizationDocument,
  activity: ActivityRecord,
  random: (length: number) => Uint8Array,
): ActivityRecord {
  unlist(draft, activity);
  return list(draft, activity, random);
}

function list(
  draft: OrganizationDocument,
  activity: ActivityRecord,
  random: (length: number) => Uint8Array,
): ActivityRecord {
  const state = encodeBase64Url(random(16));
  draft.waiting.push({ fingerprint: activity.fingerprint, state, userId: submitterOf(activity) });
  return { ...activity, waitingState: state };
}

/**
 * Refuses votes on an activity that does not wait, or not like this: it ended or has other votes by now, or the
 * proposal of this record was never committed.
 */
export function assertListed(
  marks: Pick<Marks, "hasMovedLately">,
  document: OrganizationDocument,
  activity: ActivityRecord,
) {
  const line = findListed(document, activity.fingerprint);
  if (line && line.state === activity.waitingState) return;
  const message = line
    ? "the host brought an activity in another state than the document lists"
    : "the host brought an activity as waiting that the document does not list";
  // The host may have read the activity before the vote that this document lists, and the document after it.
  if (marks.hasMovedLately(document.organizationId)) throw new Overtaken(message);
  throw new ApiError("UNAVAILABLE", "STALE_RECORD", message);
}

/** Takes an activity that ended off the list. Its bytes stay closed if they must not start it again. */
export function endWaiting(
  draft: OrganizationDocument,
  activity: ActivityRecord,
  { timestampMs, isClosed, nowMs }: { timestampMs: number; isClosed: boolean; nowMs: number },
) {
  unlist(draft, activity);
  if (!isClosed) return;
  const { fingerprint } = activity;
  closeEnded(draft, { fingerprint, timestampMs, userId: submitterOf(activity) }, nowMs);
}

function unlist(draft: OrganizationDocument, { fingerprint }: ActivityRecord) {
  draft.waiting = draft.waiting.filter((line) => line.fingerprint !== fingerprint);
}

/**
 * What a deleted user started has lapsed. Nobody else starts it again: its approvals were given to that user's
 * request. No line has a timestamp, and none is more than this ahead.
 */
export function dropLapsed(draft: OrganizationDocument, nowMs: number) {
  const isLapsed = ({ userId }: WaitingLine) => !findUser(draft, userId);
  for (const { fingerprint, userId } of draft.waiting.filter(isLapsed)) {
    closeEnded(draft, { fingerprint, timestampMs: nowMs + MAX_AHEAD_MS, userId }, nowMs);
  }
  draft.waiting = draft.waiting.filter((line) => !isLapsed(line));
}

function assertFewWaiting({ waiting }: OrganizationDocument, userId: string) {
  const mine = waiting.filter((line) => line.userId === userId).length;
  const advice = "approve or reject some of them, and send the request again";
  if (mine >= LIMITS.waitingPerUser) {
    throw limitExceeded(
      "organizationId",
      `${LIMITS.waitingPerUser} activities of a user may wait for approvals: ${advice}`,
    );
  }
  if (mine < LIMITS.fewWaiting || waiting.length < LIMITS.waiting) return;
  throw limitExceeded(
    "organizationId",
    `${LIMITS.waiting} activities of an organization may wait for approvals, and ${LIMITS.fewWaiting} more of each user: ${advice}`,
  );
}
