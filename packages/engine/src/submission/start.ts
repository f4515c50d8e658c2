import type { Answer } from "../core/protocol.ts";
import type { Context } from "../declare/context.ts";
import { changesOf, isFounded, maySend } from "../declare/define.ts";
import { openReading, readIntent } from "../declare/reading.ts";
import { ApiError, alreadyExecuted } from "../errors.ts";
import { markStated } from "../people/stated-credentials.ts";
import { authorize, type Decision, denied } from "../policies/authorize.ts";
import type { ActivityRecord } from "../records/activity.ts";
import { listVotesOnly } from "../records/list-votes-only.ts";
import { deriveTimeOrderedId } from "../vault/ids.ts";
import { close, isClosed } from "./closed-activities.ts";
import { assertLive } from "./envelope.ts";
import { createExecution, type Execution } from "./execution.ts";
import { createVote, finish, NOTHING, run } from "./finish.ts";
import { isParents, needsMoreApprovals } from "./parents-request.ts";
import type { Senders } from "./senders.ts";
import { approvalOf, assertAllRequested, type Submission, sourcesOf } from "./submission.ts";
import { findListed, listWaiting } from "./waiting-list.ts";

/**
 * Starts a new activity. Its stamp is the first approval. A user of the organization who registers the credential
 * of a user of the parent must not keep the parent from what it may do, so the first sender who may start it does.
 */
export function start(senders: Senders): Answer {
  const [{ document, fingerprint }] = senders;
  // The bytes of an activity that waits are a vote or a poll, and start nothing.
  if (findListed(document, fingerprint)) return { kind: "waits" };
  let refusal: ApiError | undefined;
  for (const submission of senders) {
    const asked = askFor(submission);
    if (!(asked instanceof ApiError)) return carryOut(submission, asked);
    refusal = asked;
  }
  throw refusal;
}

/** What may start now, as one of its senders: at once, or once others have approved it. */
type Asked = { decision: Decision; execution: Execution; read: unknown };

/** Asks whether this sender may start the activity. Returns why not, since another one may. */
function askFor(submission: Submission): Asked | ApiError {
  const { envelope, declaration, intent, document, fingerprint, who, nowMs } = submission;
  assertLive(envelope, submission.core, nowMs);
  assertAllRequested(submission, declaration.wants?.(intent, document, who.user.userId) ?? []);
  assertNew(submission);

  const reading = readIntent(declaration, sourcesOf(submission), intent);
  const read = openReading(reading);
  const { timestampMs } = envelope;
  const execution = createExecution(submission, {
    declaration,
    fingerprint,
    user: who.user,
    startedBy: who.stamp,
    timestampMs,
    isVoted: false,
  });
  try {
    declaration.check?.(execution.context, intent, read);
  } catch (error) {
    // All that is wrong is known only with the verdicts on tokens.
    submission.registrations.assertTokensSeen();
    throw error;
  }
  submission.registrations.assertVerified();

  const decision = maySend("newcomer", declaration)
    ? ADMITTED
    : authorize({
        ...submission,
        type: envelope.type,
        reading,
        submitter: who.user,
        approvals: [approvalOf(submission)],
      });
  if (decision.outcome === "deny") return denied(decision, { ...submission, submitter: who.user });
  const mustWait = decision.outcome === "consensus needed";
  if (mustWait && isParents(submission)) return needsMoreApprovals();
  return { decision, execution, read };
}

/** Runs the activity, or lets it wait for more approvals. */
function carryOut(submission: Submission, { decision, execution, read }: Asked): Answer {
  const { envelope, declaration, intent, document, fingerprint, who, nowMs } = submission;
  const activity = newActivity(submission, decision);
  if (decision.outcome === "consensus needed") return wait(submission, activity, execution.context);

  // Mistakes that a client can fix were refused above, with the same records.
  const handle = () => declaration.execute(execution.context, intent, read);
  const refusesFailures = declaration.answer?.failures === "refused";
  const executed = run(execution, declaration, activity, handle, refusesFailures);
  if (executed.draft) {
    const { timestampMs } = envelope;
    const { userId } = who.user;
    const { isOwn } = decision;
    const endsCredentials = changesOf(declaration, intent) === "fewer credentials";
    if (isOwn) markStated(executed.draft, { before: document, userId });
    const change = { fingerprint, timestampMs, userId, isOwn, endsCredentials };
    close(executed.draft, change, nowMs);
  }
  return finish(submission, executed.activity, executed, 1);
}

/** The activity waits for more approvals. Nothing but the document says so. */
function wait(submission: Submission, activity: ActivityRecord, context: Context): Answer {
  const { core, document, declaration, intent, who, nowMs } = submission;
  const draft = structuredClone(document);
  const beside = declaration.givesBeside?.(intent, context);
  if (beside && !isFounded(beside)) {
    listVotesOnly(draft, context, { ...beside, userId: who.user.userId });
  }
  const listed = listWaiting(draft, activity, { random: core.random, nowMs });
  return finish(submission, listed, { ...NOTHING, draft, onlyLists: true }, 1);
}

/** Policies know nothing about people who are not users yet: `check` has decided. */
const ADMITTED: Decision = { outcome: "allow", isOwn: true, evaluations: [] };

function assertNew({ document, fingerprint }: Submission) {
  if (!isClosed(document, fingerprint)) return;
  throw alreadyExecuted();
}

function newActivity(submission: Submission, { evaluations }: Decision): ActivityRecord {
  const { core, envelope, document, fingerprint, held, nowMs } = submission;
  // The policies of the parent are its own business.
  const shown = isParents(submission) ? [] : evaluations;
  const name = `${document.organizationId}|${fingerprint}|activity`;
  const activityId = deriveTimeOrderedId(core.keyring, name, nowMs);
  return {
    activityId,
    type: envelope.type,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint,
    waitingState: null,
    windowStartedAtMs: nowMs,
    votes: [createVote(submission, activityId, "VOTE_SELECTION_APPROVED", shown)],
    result: null,
    sealedResult: null,
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    documentVersion: held.header.version,
    documentDigest: held.digest,
    appProofs: [],
  };
}
