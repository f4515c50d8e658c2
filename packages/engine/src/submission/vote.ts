import type { Answer } from "../core/protocol.ts";
import { type ActivityDeclaration, isFounded, isRemembered } from "../declare/define.ts";
import { openReading, readIntent } from "../declare/reading.ts";
import { markStated } from "../people/stated-credentials.ts";
import { countedApprovals, hasLapsed, withoutLost } from "../policies/approvals.ts";
import { authorize, type Question } from "../policies/authorize.ts";
import { type PolicyEvaluation, rejected } from "../policies/evaluations.ts";
import { type ActivityRecord, starterOf, submitterOf, type Vote } from "../records/activity.ts";
import type { User } from "../records/organization.ts";
import { assertLive } from "./envelope.ts";
import { createExecution, type Execution } from "./execution.ts";
import { createVote, finish, NOTHING, run } from "./finish.ts";
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
  assertSameSender,
  assertSmall,
  findSubmitter,
  isRepeated,
} from "./vote-rules.ts";
import type { WaitingActivity } from "./waiting-activity.ts";
import { assertListed, endWaiting, relistWaiting } from "./waiting-list.ts";

/** Handles a vote: by approve_activity or reject_activity, or by a stamp over the same bytes. */
export function vote(submission: Submission, waiting: WaitingActivity): Answer {
  const { core, document, declaration, nowMs, envelope } = submission;
  const { activity, target, targetIntent } = waiting;
  if (!declaration.vote) assertSameSender(target, activity, submission.who.user.userId);
  assertParentBrought(target, submission);
  const selection = declaration.vote ?? "VOTE_SELECTION_APPROVED";
  if (declaration.vote) assertLive(envelope, submission.core, nowMs);
  assertAllRequested(submission, [
    { type: "activity", fingerprint: activity.fingerprint },
    ...(target.wants?.(targetIntent, document, submitterOf(activity)) ?? []),
  ]);

  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") {
    assertSameOutcome(activity.status, selection);
    return { kind: "unchanged" };
  }
  const submitter = findSubmitter(submission, activity);
  assertListed(core.marks, document, activity);
  const question = questionAbout(submission, waiting, submitter);
  assertEligible(submission, question, selection);

  // A repeated request is a poll or a replay, never a new approval.
  if (isRepeated(submission, activity)) return { kind: "unchanged" };
  if (!declaration.vote) assertInFirstWindow(waiting, nowMs);
  return selection === "VOTE_SELECTION_REJECTED"
    ? reject(submission, waiting, question)
    : approve(submission, waiting, question);
}

/** The question to the policies about the activity, with the approvals that count now. */
function questionAbout(
  submission: Submission,
  waiting: WaitingActivity,
  submitter: User,
): Question {
  const { document, organization, nowMs } = submission;
  const { activity, target, targetIntent } = waiting;
  return {
    declaration: target,
    type: activity.type,
    intent: targetIntent,
    reading: readIntent(target, sourcesOf(submission), targetIntent),
    organization,
    decider: organization,
    submitter,
    approvals: countedApprovals(activity, document, nowMs),
    nowMs,
  };
}

function reject(submission: Submission, waiting: WaitingActivity, question: Question): Answer {
  const { document, nowMs } = submission;
  const { activity, version, target, targetIntent, timestampMs } = waiting;
  const evaluations = rejected(authorize(question).evaluations);
  const voted = withVote(submission, activity, "VOTE_SELECTION_REJECTED", evaluations);
  const draft = structuredClone(document);
  endWaiting(draft, activity, { timestampMs, isClosed: true, nowMs });
  const status = "ACTIVITY_STATUS_REJECTED";
  const ended: ActivityRecord = { ...voted, status, waitingState: null };
  const execution = executionOf(submission, waiting, question.submitter);
  const unfounded = foundedBy(target, targetIntent, execution);
  return finish(submission, ended, { ...NOTHING, draft, onlyLists: true, unfounded }, version + 1);
}

function approve(submission: Submission, waiting: WaitingActivity, question: Question): Answer {
  const { core, document, who } = submission;
  const { activity, version } = waiting;
  // A second approval by the same user is not counted, but the quorum may be smaller by now.
  const hasApproved = question.approvals.some(({ user }) => user.userId === who.user.userId);
  if (!hasApproved) {
    assertNewer(submission, activity);
  }
  const approvals = hasApproved
    ? question.approvals
    : [...question.approvals, approvalOf(submission)];
  const decision = authorize({ ...question, approvals });
  const voted = hasApproved
    ? updated(submission, activity)
    : withVote(submission, activity, "VOTE_SELECTION_APPROVED", decision.evaluations);

  if (decision.outcome === "allow") {
    return execute(submission, waiting, { ...question, isOwn: decision.isOwn }, voted);
  }
  if (hasApproved) return { kind: "unchanged" };
  const draft = structuredClone(document);
  const listed = relistWaiting(draft, voted, core.random);
  return finish(submission, listed, { ...NOTHING, draft, onlyLists: true }, version + 1);
}

/** Runs the activity that has all its approvals. */
function execute(
  submission: Submission,
  waiting: WaitingActivity,
  { reading, submitter, isOwn }: Question & { isOwn: boolean },
  voted: ActivityRecord,
): Answer {
  const { activity, version, target, targetIntent, timestampMs } = waiting;
  const { core, document, nowMs } = submission;
  const execution = executionOf(submission, waiting, submitter);
  const ended = { ...voted, waitingState: null };
  const executed = run(execution, target, ended, () => {
    const read = openReading(reading);
    target.check?.(execution.context, targetIntent, read);
    return target.execute(execution.context, targetIntent, read);
  });
  const isFailed = executed.activity.status === "ACTIVITY_STATUS_FAILED";
  // What changes nothing when it runs again may be sent again: signatures, for example.
  const isClosed = executed.draft !== null || isFailed || isRemembered(target, targetIntent);
  executed.onlyLists = executed.draft === null;
  executed.draft ??= structuredClone(document);
  if (isOwn) markStated(executed.draft, { before: document, userId: submitter.userId });
  endWaiting(executed.draft, activity, { timestampMs, isClosed, nowMs });
  if (isFailed) executed.unfounded = foundedBy(target, targetIntent, execution);
  core.log({ event: "consensus reached", activityId: activity.activityId });
  return finish(submission, executed.activity, executed, version + 1);
}

/** The sub-organization that the activity makes. Once votes have rejected that, it cannot be made. */
function foundedBy(target: ActivityDeclaration, intent: unknown, { context }: Execution) {
  const beside = target.givesBeside?.(intent, context);
  return beside && isFounded(beside) ? beside.organizationId : undefined;
}

function executionOf(
  submission: Submission,
  { activity, target: declaration, timestampMs }: WaitingActivity,
  submitter: User,
): Execution {
  return createExecution(submission, {
    declaration,
    fingerprint: activity.fingerprint,
    user: submitter,
    startedBy: starterOf(activity),
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
  const kept = withoutLost(submission.document, others).filter(
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
