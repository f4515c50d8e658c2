import type { Answer } from "../door/protocol.ts";
import { authorize, type Question } from "../policies/authorize.ts";
import { type PolicyEvaluation, rejected } from "../policies/evaluations.ts";
import { type ActivityRecord, submitterOf, type Vote } from "../records/activity.ts";
import type { User } from "../records/organization.ts";
import { assertFewVotes, countedApprovals, hasLapsed } from "./approvals.ts";
import { closeWaiting } from "./closed-activities.ts";
import { assertLive } from "./envelope.ts";
import type { Execution } from "./execution.ts";
import { createVote, finish, prepareExecution, run } from "./finish.ts";
import { openReading, readIntent } from "./reading.ts";
import {
  approvalOf,
  assertAllRequested,
  assertParentBrought,
  type Submission,
  sourcesOf,
} from "./submission.ts";
import {
  assertEligible,
  assertInFirstWindow,
  assertNewer,
  assertSameOutcome,
  assertSmall,
  assertStillOpen,
  findSubmitter,
  isRepeated,
} from "./vote-rules.ts";
import type { WaitingActivity } from "./waiting-activity.ts";

/** Handles a vote: by approve_activity or reject_activity, or by a stamp over the same bytes. */
export function vote(submission: Submission, waiting: WaitingActivity): Answer {
  const { document, declaration, nowMs, envelope } = submission;
  const { activity, target, targetIntent } = waiting;
  assertParentBrought(target, submission);
  const selection = declaration.vote ?? "VOTE_SELECTION_APPROVED";
  if (declaration.vote) assertLive(envelope, nowMs);
  assertAllRequested(submission, [
    { type: "activity", fingerprint: activity.fingerprint },
    ...(target.wants?.(targetIntent, document, submitterOf(activity)) ?? []),
  ]);

  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") {
    assertSameOutcome(activity.status, selection);
    return { kind: "unchanged" };
  }
  assertStillOpen(submission, activity);
  const question = questionAbout(submission, waiting);
  assertEligible(submission, question, selection);

  // A repeated request is a poll or a replay, never a new approval.
  if (isRepeated(submission, activity)) return { kind: "unchanged" };
  if (!declaration.vote) assertInFirstWindow(activity, nowMs);
  return selection === "VOTE_SELECTION_REJECTED"
    ? reject(submission, waiting, question)
    : approve(submission, waiting, question);
}

/** The question to the policies about the activity, with the approvals that count now. */
function questionAbout(submission: Submission, waiting: WaitingActivity): Question {
  const { document, organization, nowMs } = submission;
  const { activity, target, targetIntent } = waiting;
  return {
    declaration: target,
    type: activity.type,
    intent: targetIntent,
    reading: readIntent(target, sourcesOf(submission), targetIntent),
    organization,
    decider: organization,
    submitter: findSubmitter(submission, activity),
    approvals: countedApprovals(activity, document, nowMs),
    nowMs,
  };
}

function reject(submission: Submission, waiting: WaitingActivity, question: Question): Answer {
  const { activity, version } = waiting;
  const evaluations = rejected(authorize(question).evaluations);
  const voted = withVote(submission, activity, "VOTE_SELECTION_REJECTED", evaluations);
  const execution = executionOf(submission, waiting, question.submitter);
  const draft = execution.context.update();
  closeWaiting(draft, activity, changeOf(submission, waiting), submission.nowMs);
  const ended = { ...voted, status: "ACTIVITY_STATUS_REJECTED" as const };
  const executed = { draft, written: [], messages: [], isSecret: false };
  return finish(submission, ended, executed, version + 1);
}

function approve(submission: Submission, waiting: WaitingActivity, question: Question): Answer {
  const { who } = submission;
  const { activity, version } = waiting;
  // A second approval by the same user is not counted, but the quorum may be smaller by now.
  const hasApproved = question.approvals.some(({ user }) => user.userId === who.user.userId);
  if (!hasApproved) {
    assertNewer(submission, activity);
    assertFewVotes(activity);
  }
  const approvals = hasApproved
    ? question.approvals
    : [...question.approvals, approvalOf(submission)];
  const decision = authorize({ ...question, approvals });
  const voted = hasApproved
    ? updated(submission, activity)
    : withVote(submission, activity, "VOTE_SELECTION_APPROVED", decision.evaluations);

  if (decision.outcome === "allow") return execute(submission, waiting, question, voted);
  return hasApproved ? { kind: "unchanged" } : finish(submission, voted, null, version + 1);
}

/** Runs the activity that has all its approvals. */
function execute(
  submission: Submission,
  waiting: WaitingActivity,
  { reading, submitter }: Question,
  voted: ActivityRecord,
): Answer {
  const { activity, version, target, targetIntent } = waiting;
  const { core, document, nowMs } = submission;
  const execution = executionOf(submission, waiting, submitter);
  const executed = run(execution, target, voted, () => {
    const read = openReading(reading);
    target.check?.(execution.context, targetIntent, read);
    return target.execute(execution.context, targetIntent, read);
  });
  if (executed.activity.status === "ACTIVITY_STATUS_FAILED" || target.isRemembered) {
    // Remembered as ended, because it could run later if its record were rolled back.
    executed.draft ??= structuredClone(document);
  }
  if (executed.draft) {
    closeWaiting(executed.draft, activity, changeOf(submission, waiting), nowMs);
  }
  core.log({ event: "consensus reached", activityId: activity.activityId });
  return finish(submission, executed.activity, executed, version + 1);
}

/** The change that ends the activity. It counts for the user whose vote ends it. */
function changeOf({ who }: Submission, { timestampMs }: WaitingActivity) {
  return { timestampMs, userId: who.user.userId };
}

function executionOf(
  submission: Submission,
  { activity: { fingerprint }, timestampMs }: WaitingActivity,
  submitter: User,
): Execution {
  return prepareExecution(submission, {
    fingerprint,
    user: submitter,
    timestampMs,
    isVoted: true,
  });
}

function withVote(
  submission: Submission,
  activity: ActivityRecord,
  selection: Vote["selection"],
  evaluations: readonly PolicyEvaluation[],
): ActivityRecord {
  const created = createVote(submission, activity.activityId, selection, evaluations);
  const [first, ...others] = activity.votes;
  const added = created.message === first?.message ? { ...created, message: null } : created;
  assertSmall(submission, added);
  // The first vote has the request. Any other approval of this user no longer counts.
  const kept = others.filter(
    (vote) => vote.userId !== added.userId || vote.selection !== added.selection,
  );
  const votes = [...(first ? [first] : []), ...kept, added];
  return { ...updated(submission, activity), votes };
}

/** The activity after this request, except for its votes and final status. */
function updated({ held, nowMs }: Submission, activity: ActivityRecord): ActivityRecord {
  return {
    ...activity,
    windowStartedAtMs: hasLapsed(activity, nowMs) ? nowMs : activity.windowStartedAtMs,
    updatedAtMs: nowMs,
    documentVersion: held.header.version,
    documentDigest: held.digest,
  };
}
