import { ApiError, limitExceeded, recordRefused } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { type ActivityRecord, submitterOf } from "../records/activity.ts";
import { findUser, type OrganizationDocument, type WaitingLine } from "../records/organization.ts";
import { assertRoom, closeEnded } from "./closed-activities.ts";

// An activity waits for votes only while the document lists it. So what votes decide takes effect once: the
// record of a proposal that was never committed, or of an activity that ended, takes no votes, however many
// times its bytes were proposed and whatever rules changed in between.

export function findListed(
  { waiting }: OrganizationDocument,
  fingerprint: string,
): WaitingLine | undefined {
  return waiting.find((line) => line.fingerprint === fingerprint);
}

/** Lists an activity that starts to wait. Refuses it if its user has no room for another one. */
export function listWaiting(draft: OrganizationDocument, activity: ActivityRecord, nowMs: number) {
  const { fingerprint, activityId } = activity;
  const userId = submitterOf(activity);
  assertRoom(draft, userId, nowMs);
  assertFewWaiting(draft, userId);
  draft.waiting.push({ fingerprint, activityId, userId });
}

/**
 * Refuses votes on an activity that does not wait: one that ended, that was never committed, or that another
 * proposal of the same bytes replaced.
 */
export function assertListed(document: OrganizationDocument, activity: ActivityRecord) {
  const line = findListed(document, activity.fingerprint);
  if (!line) {
    throw new ApiError(
      "UNAVAILABLE",
      "STALE_RECORD",
      "the host brought an activity as waiting that the document does not list",
    );
  }
  if (line.activityId === activity.activityId && line.userId === submitterOf(activity)) return;
  throw recordRefused("the host brought another proposal of the activity than the document lists");
}

/** Takes an activity that ended off the list. Its bytes stay closed if they must not start it again. */
export function endWaiting(
  draft: OrganizationDocument,
  activity: ActivityRecord,
  { timestampMs, isClosed, nowMs }: { timestampMs: number; isClosed: boolean; nowMs: number },
) {
  const { fingerprint } = activity;
  draft.waiting = draft.waiting.filter((line) => line.fingerprint !== fingerprint);
  if (!isClosed) return;
  closeEnded(draft, { fingerprint, timestampMs, userId: submitterOf(activity) }, nowMs);
}

/** What a deleted user started has lapsed. */
export function dropLapsed(draft: OrganizationDocument) {
  draft.waiting = draft.waiting.filter(({ userId }) => findUser(draft, userId));
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
