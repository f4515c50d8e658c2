import { ApiError, invalid } from "../errors.ts";
import { mayReject, mayVote, type Question } from "../policies/authorize.ts";
import {
  type ActivityRecord,
  type ActivityStatus,
  APPROVAL_WINDOW_MS,
  type Vote,
} from "../records/activity.ts";
import { isClosed, isForgotten } from "./closed-activities.ts";
import type { Submission } from "./submission.ts";

// The rules for accepting a vote.

/** Refuses a vote if the document says that the activity ended, whatever its record says. */
export function assertStillOpen({ document }: Submission, activity: ActivityRecord) {
  if (isForgotten(document, activity)) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      "ACTIVITY_NOT_PENDING",
      "the activity lapsed, because many others of the same user were decided while it was waiting; send the request again",
      { field: "parameters.fingerprint" },
    );
  }
  if (isClosed(document, activity.fingerprint)) {
    throw new ApiError(
      "UNAVAILABLE",
      "STALE_RECORD",
      "the host brought an activity as waiting that was already decided",
    );
  }
}

export function assertEligible(
  { who }: Submission,
  question: Question,
  selection: Vote["selection"],
) {
  const isEligible = selection === "VOTE_SELECTION_REJECTED" ? mayReject : mayVote;
  if (isEligible(question, who.user)) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: this user is not among those whose vote counts for the activity",
  );
}

export function isRepeated({ body, who }: Submission, { votes }: ActivityRecord): boolean {
  return votes.some(
    ({ message, publicKey }) => message === body && publicKey === who.stamp.publicKey,
  );
}

/**
 * A stamp over the same bytes as the activity does not show when it was made. So it counts only in
 * the first approval window. Later approvals need their own request, which has a timestamp.
 */
export function assertInFirstWindow({ createdAtMs }: ActivityRecord, nowMs: number) {
  if (nowMs - createdAtMs < APPROVAL_WINDOW_MS) return;
  throw invalid(
    "timestampMs",
    "the activity was started more than 24 hours ago: use approve_activity to approve it, because the same bytes no longer count",
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** A limit, because each vote stores its message, and a hundred users could each send a megabyte. */
const MAX_VOTE_LENGTH = 64 * 1024;

export function assertShort({ body: { length } }: Submission) {
  if (length <= MAX_VOTE_LENGTH) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `a vote may have ${MAX_VOTE_LENGTH} characters, but this one has ${length}: use approve_activity with the fingerprint of the activity`,
  );
}

export function assertSameOutcome(status: ActivityStatus, selection: Vote["selection"]) {
  const isRejected = status === "ACTIVITY_STATUS_REJECTED";
  if (isRejected === (selection === "VOTE_SELECTION_REJECTED")) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "ACTIVITY_NOT_PENDING",
    `the activity is no longer waiting for votes: its status is ${status}`,
    { field: "parameters.fingerprint" },
  );
}
