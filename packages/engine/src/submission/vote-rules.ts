import { ApiError, invalid } from "../errors.ts";
import { mayReject, mayVote, type Question } from "../policies/authorize.ts";
import {
  type ActivityRecord,
  type ActivityStatus,
  APPROVAL_WINDOW_MS,
  type Vote,
} from "../records/activity.ts";
import { isClosed } from "./closed-activities.ts";
import type { Submission } from "./submission.ts";

// Which votes are taken.

/** The document says that the activity has ended, whatever the record that the host brought says. */
export function assertStillOpen(
  { document }: Submission,
  { createdAtMs, fingerprint }: ActivityRecord,
) {
  if (createdAtMs < document.decidedBeforeMs) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      "ACTIVITY_NOT_PENDING",
      "the activity has waited while a thousand others were decided and counts as lapsed; send its request anew",
      { field: "parameters.fingerprint" },
    );
  }
  if (isClosed(document, fingerprint)) {
    throw new ApiError(
      "UNAVAILABLE",
      "STALE_RECORD",
      "the host brought an activity as waiting that was decided already",
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
 * A stamp over the activity's own bytes does not say when it was made. It may count while every
 * approval does; later ones name the activity in a request of their own, which has an age.
 */
export function assertInFirstWindow({ createdAtMs }: ActivityRecord, nowMs: number) {
  if (nowMs - createdAtMs < APPROVAL_WINDOW_MS) return;
  throw invalid(
    "timestampMs",
    "the activity was started more than 24 hours ago: approve it by approve_activity, the same bytes do not count any more",
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** Each vote keeps its message: a hundred users who repeat a megabyte would make a record of it. */
const MAX_VOTE_LENGTH = 64 * 1024;

export function assertShort({ body: { length } }: Submission) {
  if (length <= MAX_VOTE_LENGTH) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `a vote may have ${MAX_VOTE_LENGTH} characters, this one has ${length}: name the activity by its fingerprint in approve_activity`,
  );
}

export function assertSameOutcome(status: ActivityStatus, selection: Vote["selection"]) {
  const isRejected = status === "ACTIVITY_STATUS_REJECTED";
  if (isRejected === (selection === "VOTE_SELECTION_REJECTED")) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "ACTIVITY_NOT_PENDING",
    `the activity does not wait for votes any more: its status is ${status}`,
    { field: "parameters.fingerprint" },
  );
}
