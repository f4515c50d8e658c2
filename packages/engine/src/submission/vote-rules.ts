import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { type ActivityDeclaration, dependsOnSender } from "../declare/define.ts";
import { ApiError, invalid } from "../errors.ts";
import { lapseOf } from "../policies/approvals.ts";
import { mayReject, mayVote, type Question } from "../policies/authorize.ts";
import {
  type ActivityRecord,
  type ActivityStatus,
  APPROVAL_WINDOW_MS,
  messageOf,
  submitterOf,
  type Vote,
} from "../records/activity.ts";
import { requireUser, type User } from "../records/organization.ts";
import { parseEnvelope } from "./envelope.ts";
import type { Submission } from "./submission.ts";
import type { WaitingActivity } from "./waiting-activity.ts";

// The rules for accepting a vote.

/**
 * Refuses the same bytes of another user if they would mean something else as a request of that user: nobody
 * but their sender decides whether they are a vote.
 */
export function assertSameSender(
  target: ActivityDeclaration,
  activity: ActivityRecord,
  userId: string,
) {
  if (userId === submitterOf(activity) || !dependsOnSender(target)) return;
  throw new ApiError(
    "PERMISSION_DENIED",
    "REQUEST_NOT_AUTHORIZED",
    "request not authorized: another user has sent the same bytes, and what they do depends on their sender: to approve that request, use approve_activity; to make your own, send another `timestampMs`",
    { field: "timestampMs" },
  );
}

/** The user who started the activity. Refuses a vote on one that has lapsed. */
export function findSubmitter({ document }: Submission, activity: ActivityRecord): User {
  const lapse = lapseOf(activity, document);
  if (lapse) throw lapse;
  return requireUser(document, submitterOf(activity));
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

export function isRepeated({ body, who }: Submission, activity: ActivityRecord): boolean {
  return activity.votes.some(
    (vote) => vote.publicKey === who.stamp.publicKey && messageOf(activity, vote) === body,
  );
}

/**
 * A user whose approval no longer counts can give it again, in place of the earlier one. So the new
 * one must be the newer one: the host could bring back a vote that was replaced.
 */
export function assertNewer({ envelope, declaration, who }: Submission, activity: ActivityRecord) {
  const earlier = activity.votes.filter(({ userId }) => userId === who.user.userId);
  for (const vote of earlier) {
    const { timestampMs } = parseEnvelope(messageOf(activity, vote));
    if (declaration.vote && envelope.timestampMs > timestampMs) continue;
    throw invalid(
      "timestampMs",
      "this user has voted on the activity before: to vote again, use approve_activity with a later timestamp",
      "TIMESTAMP_OUT_OF_RANGE",
    );
  }
}

/**
 * A stamp over the same bytes as the activity does not show when it was made. So it counts only for a day
 * from their timestamp. Later approvals need their own request, which has a later one.
 */
export function assertInFirstWindow(
  { timestampMs }: Pick<WaitingActivity, "timestampMs">,
  nowMs: number,
) {
  if (nowMs - timestampMs < APPROVAL_WINDOW_MS) return;
  throw invalid(
    "timestampMs",
    "the activity was stamped more than 24 hours ago: use approve_activity to approve it, because the same bytes no longer count",
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** A limit for bytes that are shown with every vote over them. They are stored once. */
const MAX_SAME_BYTES = 64 * 1024;

/** A limit, because a hundred users can vote on an activity, and its record is read as a whole. */
const MAX_VOTE_BYTES = 4096;

export function assertSmall({ bodyBytes }: Submission, vote: Vote) {
  if (vote.message === null) return assertAtMost(MAX_SAME_BYTES, bodyBytes.length);
  assertAtMost(MAX_VOTE_BYTES, encodeUtf8(JSON.stringify(vote)).length);
}

function assertAtMost(max: number, size: number) {
  if (size <= max) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `a vote may have ${max} bytes, but this one has ${size}: use approve_activity with only the fingerprint of the activity`,
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
