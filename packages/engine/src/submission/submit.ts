import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint as fingerprintOf } from "@keyhearth/crypto/fingerprint";
import { activityNamed, activityOfType } from "../activities/index.ts";
import type { Core } from "../door/core.ts";
import type { Answer, Submit } from "../door/protocol.ts";
import { ApiError, errorDetails, grpcCode, invalid, recordRefused } from "../errors.ts";
import { type Authenticated, authenticate, parseStamp } from "../people/authenticate.ts";
import { authorize, denied, mayReject, mayVote, type Question } from "../policies/authorize.ts";
import { encodeOutcomes, type PolicyEvaluation, rejected } from "../policies/evaluations.ts";
import {
  type ActivityRecord,
  type ActivityStatus,
  APPROVAL_WINDOW_MS,
  type Vote,
  type Warning,
} from "../records/activity.ts";
import { createRecords, type Facts } from "../records/facts.ts";
import type { VerifiedRecord } from "../records/held-records.ts";
import { isOfType, type Want } from "../records/kinds.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";
import { assertRequested } from "../records/requested.ts";
import { close, decide, isDecided } from "./closed-activities.ts";
import type { ActivityDeclaration } from "./define.ts";
import { assertLive, type Envelope, parseEnvelope, parseIntent, versionOf } from "./envelope.ts";
import { createExecution, deriveTimeOrderedId, type Execution } from "./execution.ts";
import { propose } from "./propose.ts";
import {
  type Approval,
  assertFewVotes,
  countedApprovals,
  hasLapsed,
  policyCredential,
} from "./votes.ts";

/**
 * The story of a submission. Everything is decided from the stamped bytes and from records whose
 * notarization verified; what the host says beside them only helps to find things.
 */
export function submit(core: Core, request: Submit): Answer {
  const brought = bring(core, request);
  if ("kind" in brought) return brought;
  const { held, document, others } = brought;

  const envelope = parseEnvelope(request.body);
  const declaration = activityNamed(request.endpoint);
  // A type that is none of the endpoint's is told before the stamp is looked at.
  versionOf(declaration, envelope.type);
  if (envelope.organizationId !== document.organizationId) {
    throw recordRefused("the host brought the document of another organization");
  }

  const nowMs = core.now();
  const bytes = encodeUtf8(request.body);
  const records = createRecords(document, others);
  const who = authenticate({
    stamp: parseStamp(request.stamp),
    body: bytes,
    document,
    sessions: records.bound.filter(isOfType("sessions")).map(({ body }) => body),
    nowMs,
  });
  const intent = parseIntent(declaration, envelope);

  const submission: Submission = {
    core,
    held,
    others,
    document,
    records,
    envelope,
    declaration,
    intent,
    body: request.body,
    fingerprint: fingerprintOf(bytes),
    who,
    nowMs,
  };
  const waiting = waitingActivity(submission);
  if (waiting) return voteOn(submission, waiting);
  return start(submission);
}

type Submission = Facts & {
  core: Core;
  held: VerifiedRecord;
  /** Everything that the host brought beside the document. */
  others: VerifiedRecord[];
  envelope: Envelope;
  declaration: ActivityDeclaration;
  intent: unknown;
  body: string;
  fingerprint: string;
  who: Authenticated;
  nowMs: number;
};

/** Resolves what the host named; asks for the bytes of what the core does not hold. */
function bring(
  core: Core,
  { records: digests, attachments }: Submit,
): Answer | { held: VerifiedRecord; document: OrganizationDocument; others: VerifiedRecord[] } {
  const sent = new Map<string, VerifiedRecord>();
  for (const bytes of attachments) {
    const record = core.held.add(bytes);
    sent.set(record.digest, record);
  }
  const resolved: VerifiedRecord[] = [];
  const missing: string[] = [];
  for (const digest of digests) {
    const record = sent.get(digest) ?? core.held.get(digest);
    if (record) resolved.push(record);
    else missing.push(digest);
  }
  if (missing.length > 0) return { kind: "need", digests: missing };

  const [held, ...others] = resolved;
  if (!held || !isOfType("organization")(held)) {
    throw recordRefused("the host must bring the organization's document first");
  }
  core.marks.check(held.header.organizationId, held.header.version, held.digest);
  return { held, document: held.body, others };
}

/** A new activity: its stamp is the first approval. */
function start(submission: Submission): Answer {
  const { envelope, declaration, intent, document, fingerprint, who, nowMs } = submission;
  assertLive(envelope, nowMs);
  assertOnly(submission, declaration.wants?.(intent, document) ?? []);
  if (isDecided(document, fingerprint)) {
    throw new ApiError(
      "ALREADY_EXISTS",
      "ACTIVITY_ALREADY_EXECUTED",
      "an activity with the same fingerprint already exists",
    );
  }

  const execution = prepare(submission, { fingerprint, user: who.user });
  declaration.check?.(execution.context, intent);
  const decision = authorize({
    ...submission,
    type: envelope.type,
    submitter: who.user,
    approvals: [approvalOf(who)],
  });
  if (decision.outcome === "deny") throw denied(decision);

  const activityId = deriveTimeOrderedId(
    submission.core.keyring,
    `${document.organizationId}|${fingerprint}|activity`,
    nowMs,
  );
  const activity: ActivityRecord = {
    activityId,
    type: envelope.type,
    status: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
    fingerprint,
    windowStartedAtMs: nowMs,
    votes: [createVote(submission, activityId, "VOTE_SELECTION_APPROVED", decision.evaluations)],
    result: null,
    failure: null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    documentVersion: submission.held.header.version,
    documentDigest: submission.held.digest,
    appProofs: [],
    warnings: warningsOf(submission, execution),
  };
  if (decision.outcome === "consensus needed") return finish(submission, activity, null, 1);

  // What can be mended was checked above, by the same records.
  const executed = run(execution, declaration, activity, () =>
    declaration.execute(execution.context, intent),
  );
  if (executed.draft) close(executed.draft, fingerprint, envelope.timestampMs, nowMs);
  return finish(submission, executed.activity, executed, 1);
}

/** Advice: that none can be given is no reason to refuse what it would be about. */
function warningsOf({ core, declaration, intent }: Submission, { context }: Execution): Warning[] {
  try {
    return declaration.warn?.(context, intent) ?? [];
  } catch (cause) {
    core.log({ event: "warnings failed", endpoint: declaration.name, cause });
    return [];
  }
}

/** A vote: by approve_activity or reject_activity, or by stamping the very same bytes. */
function voteOn(submission: Submission, waiting: Waiting): Answer {
  const { core, document, declaration, who, nowMs, envelope } = submission;
  const { activity, version, target, targetIntent, timestampMs } = waiting;
  const selection = declaration.vote ?? "VOTE_SELECTION_APPROVED";
  if (declaration.vote) assertLive(envelope, nowMs);
  assertOnly(submission, [
    { type: "activity", fingerprint: activity.fingerprint },
    ...(target.wants?.(targetIntent, document) ?? []),
  ]);

  if (activity.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") {
    assertSameOutcome(activity.status, selection);
    return { kind: "unchanged" };
  }
  if (activity.createdAtMs < document.decidedBeforeMs) {
    throw new ApiError(
      "INVALID_ARGUMENT",
      "ACTIVITY_NOT_PENDING",
      "the activity has waited while a thousand others were decided and counts as lapsed; send its request anew",
      { field: "parameters.fingerprint" },
    );
  }
  if (isDecided(document, activity.fingerprint)) {
    throw new ApiError(
      "UNAVAILABLE",
      "STALE_RECORD",
      "the host brought an activity as waiting that was decided already",
    );
  }
  const submitter = findUser(document, activity.votes[0]?.userId ?? "") ?? who.user;
  const approvals = countedApprovals(activity, document, nowMs);
  const question: Question = {
    declaration: target,
    type: activity.type,
    intent: targetIntent,
    document,
    records: submission.records,
    submitter,
    approvals,
    nowMs,
  };
  const isRejection = selection === "VOTE_SELECTION_REJECTED";
  const isEligible = isRejection ? mayReject : mayVote;
  if (!isEligible(question, who.user)) {
    throw new ApiError(
      "PERMISSION_DENIED",
      "REQUEST_NOT_AUTHORIZED",
      "request not authorized: this user is not among those whose vote counts for the activity",
    );
  }

  // Sent again it is a poll or a replay, never a new approval.
  const isRepeated = activity.votes.some(
    ({ message, publicKey }) => message === submission.body && publicKey === who.stamp.publicKey,
  );
  if (isRepeated) return { kind: "unchanged" };
  if (!declaration.vote) assertInFirstWindow(activity, nowMs);
  assertShort(submission);

  const lapsed = hasLapsed(activity, nowMs);
  const hasApproved = approvals.some(({ user }) => user.userId === who.user.userId);
  // Who has approved need not be counted again, but the quorum may be smaller by now.
  const addsVote = isRejection || !hasApproved;
  const counts = addsVote && !isRejection;
  if (counts) assertFewVotes(activity);
  const decision = authorize(
    counts ? { ...question, approvals: [...approvals, approvalOf(who)] } : question,
  );
  const evaluations = isRejection ? rejected(decision.evaluations) : decision.evaluations;
  const added = addsVote
    ? [createVote(submission, activity.activityId, selection, evaluations)]
    : [];
  const voted: ActivityRecord = {
    ...activity,
    votes: [...activity.votes, ...added],
    windowStartedAtMs: lapsed ? nowMs : activity.windowStartedAtMs,
    updatedAtMs: nowMs,
    documentVersion: submission.held.header.version,
    documentDigest: submission.held.digest,
  };
  const execution = prepare(submission, {
    fingerprint: activity.fingerprint,
    user: submitter,
  });

  if (isRejection) {
    const draft = execution.context.update();
    decide(draft, activity, timestampMs, nowMs);
    const ended = { ...voted, status: "ACTIVITY_STATUS_REJECTED" as const };
    return finish(submission, ended, { draft, written: [] }, version + 1);
  }

  if (decision.outcome !== "allow") {
    return addsVote ? finish(submission, voted, null, version + 1) : { kind: "unchanged" };
  }

  const executed = run(execution, target, voted, () => {
    target.check?.(execution.context, targetIntent);
    return target.execute(execution.context, targetIntent);
  });
  if (executed.activity.status === "ACTIVITY_STATUS_FAILED") {
    // Put back to waiting it could succeed later, when nobody expects it.
    executed.draft = structuredClone(document);
  }
  if (executed.draft) decide(executed.draft, activity, timestampMs, nowMs);
  core.log({ event: "consensus reached", activityId: activity.activityId });
  return finish(submission, executed.activity, executed, version + 1);
}

type Waiting = {
  activity: ActivityRecord;
  version: number;
  target: ActivityDeclaration;
  targetIntent: unknown;
  /** When the request that started the activity was stamped. */
  timestampMs: number;
};

/** The activity this submission votes on: named by fingerprint, or started by the same bytes. */
function waitingActivity({
  declaration,
  intent,
  fingerprint,
  records,
  document,
}: Submission): Waiting | null {
  // Both votes have this one parameter.
  const named = declaration.vote ? (intent as { fingerprint: string }).fingerprint : fingerprint;
  const record = records.bound.find(isOfType("activity"));
  if (!record) {
    if (!declaration.vote) return null;
    throw new ApiError(
      "NOT_FOUND",
      "ACTIVITY_NOT_FOUND",
      "No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint",
      { field: "parameters.fingerprint" },
    );
  }
  const activity = record.body;
  if (activity.fingerprint !== named || record.header.organizationId !== document.organizationId) {
    throw recordRefused("the host brought another activity than the one that is voted on");
  }
  // The first vote's message is the request that started the activity.
  const original = parseEnvelope(activity.votes[0]?.message ?? "");
  const target = activityOfType(original.type);
  return {
    activity,
    version: record.header.version,
    target,
    targetIntent: parseIntent(target, original),
    timestampMs: original.timestampMs,
  };
}

/**
 * A stamp over the activity's own bytes does not say when it was made. It may count while every
 * approval does; later ones name the activity in a request of their own, which has an age.
 */
function assertInFirstWindow({ createdAtMs }: ActivityRecord, nowMs: number) {
  if (nowMs - createdAtMs < APPROVAL_WINDOW_MS) return;
  throw invalid(
    "timestampMs",
    "the activity was started more than 24 hours ago: approve it by approve_activity, the same bytes do not count any more",
    "TIMESTAMP_OUT_OF_RANGE",
  );
}

/** Each vote keeps its message: a hundred users who repeat a megabyte would make a record of it. */
const MAX_VOTE_LENGTH = 64 * 1024;

function assertShort({ body: { length } }: Submission) {
  if (length <= MAX_VOTE_LENGTH) return;
  throw new ApiError(
    "PAYLOAD_TOO_LARGE",
    "BODY_TOO_LARGE",
    `a vote may have ${MAX_VOTE_LENGTH} characters, this one has ${length}: name the activity by its fingerprint in approve_activity`,
  );
}

function assertSameOutcome(status: ActivityStatus, selection: Vote["selection"]) {
  const isRejected = status === "ACTIVITY_STATUS_REJECTED";
  if (isRejected === (selection === "VOTE_SELECTION_REJECTED")) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "ACTIVITY_NOT_PENDING",
    `the activity does not wait for votes any more: its status is ${status}`,
    { field: "parameters.fingerprint" },
  );
}

type Run = {
  activity: ActivityRecord;
  draft: OrganizationDocument | null;
  written: ReturnType<Execution["written"]>;
};

/** Runs the handler. What a client caused makes a FAILED activity and writes nothing else. */
function run(
  execution: Execution,
  declaration: ActivityDeclaration,
  activity: ActivityRecord,
  handle: () => Record<string, unknown>,
): Run {
  try {
    const result = downgrade(declaration, activity.type, handle());
    versionOf(declaration, activity.type).result.parse(result);
    const completed = { ...activity, status: "ACTIVITY_STATUS_COMPLETED" as const, result };
    return { activity: completed, draft: execution.draft(), written: execution.written() };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === "INTERNAL") throw error;
    const failure = {
      code: grpcCode(error.code),
      message: error.message,
      details: errorDetails(error),
    };
    const failed = { ...activity, status: "ACTIVITY_STATUS_FAILED" as const, failure };
    return { activity: failed, draft: null, written: [] };
  }
}

function prepare(
  { core, document, records, nowMs }: Submission,
  { fingerprint, user }: { fingerprint: string; user: User },
): Execution {
  return createExecution({
    keyring: core.keyring,
    document,
    user,
    fingerprint,
    nowMs,
    records,
    random: core.random,
    unsealedKeys: core.unsealedKeys,
  });
}

function finish(
  { core, held, document, envelope, nowMs }: Submission,
  activity: ActivityRecord,
  executed: { draft: OrganizationDocument | null; written: Run["written"] } | null,
  activityVersion: number,
): Answer {
  return propose(core, {
    held,
    document,
    activity,
    activityVersion,
    draft: executed?.draft ?? null,
    written: executed?.written ?? [],
    prove: envelope.generateAppProofs,
    nowMs,
  });
}

function createVote(
  { core, who, held, body, nowMs }: Submission,
  activityId: string,
  selection: Vote["selection"],
  evaluations: readonly PolicyEvaluation[],
): Vote {
  const { id, type } = who.credential;
  return {
    voteId: deriveTimeOrderedId(
      core.keyring,
      `${activityId}|${who.user.userId}|${selection}|${nowMs}`,
      nowMs,
    ),
    userId: who.user.userId,
    documentVersion: held.header.version,
    selection,
    message: body,
    publicKey: who.stamp.publicKey,
    signature: who.stamp.signature,
    scheme: who.stamp.scheme,
    sessionEpoch: who.session?.sessionEpoch ?? null,
    credential: { id, type },
    outcomes: encodeOutcomes(evaluations),
    createdAtMs: nowMs,
  };
}

function approvalOf({ user, credential }: Authenticated): Approval {
  return { user, credential: policyCredential(user.userId, credential) };
}

/** Every record that was brought must be asked for by the request, and be of its organization. */
function assertOnly({ others, document, who }: Submission, wants: Want[]) {
  const all: Want[] = who.session
    ? [...wants, { type: "sessions", userId: who.user.userId }]
    : wants;
  for (const record of others) assertRequested(record, all, document);
}

function downgrade(
  declaration: ActivityDeclaration,
  type: string,
  result: Record<string, unknown>,
): Record<string, unknown> {
  const step = declaration.downgrade?.[type] as
    | ((result: unknown) => Record<string, unknown>)
    | undefined;
  return step ? step(result) : result;
}
