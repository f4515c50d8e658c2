import { randomUUID } from "node:crypto";
import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { fingerprint } from "@keyhearth/crypto/fingerprint";
import { findActivity } from "@keyhearth/engine/activities/index";
import type { Answer, Proposal } from "@keyhearth/engine/door/protocol";
import {
  ApiError,
  type ErrorMessage,
  errorDetails,
  fromErrorMessage,
  grpcCode,
  toErrorMessage,
} from "@keyhearth/engine/errors";
import { parseStamp, type StampHeader } from "@keyhearth/engine/people/authenticate";
import { type ActivityRecord, activity as activityKind } from "@keyhearth/engine/records/activity";
import { upcast } from "@keyhearth/engine/records/kind";
import { findUser, type User } from "@keyhearth/engine/records/organization";
import { readRecord, recordDigest } from "@keyhearth/engine/records/record";
import type { ActivityDeclaration, Want } from "@keyhearth/engine/submission/define";
import { type Envelope, parseEnvelope, parseIntent } from "@keyhearth/engine/submission/envelope";
import type { Host } from "../host.ts";
import { askedBy } from "../policies/question.ts";
import { presentActivity } from "../presentation/present.ts";
import type { ShownActivity } from "../presentation/render.ts";
import { findActivityByFingerprint } from "../store/activities.ts";
import { insertDenial } from "../store/denials.ts";
import { findSessions, findSigningRecords, type StoredRecord } from "../store/keys.ts";
import { findUserIdByPublicKey } from "../store/lookups.ts";
import {
  findDocument,
  findPointer,
  type StoredDocument,
  toStoredDocument,
} from "../store/organizations.ts";
import { unitOf } from "../store/unit.ts";
import { findWanted } from "../store/wanted.ts";

/** A submission as it came in. `body` is the exact text that was stamped. */
export type SubmitRequest = { endpoint: string; body: string; stamp: StampHeader | null };

const ATTEMPTS = 6;

/**
 * Bytes to records to signer to commit. The host parses the body as a hint for finding records;
 * the core decides from the bytes and what it verifies. Nothing is answered before it is durable,
 * unless it takes longer than a request may: then the answer is PENDING and the client polls.
 */
export async function submit(host: Host, request: SubmitRequest): Promise<ShownActivity> {
  const envelope = parseEnvelope(request.body);
  const declaration = findActivity(request.endpoint);
  if (!declaration) throw new Error("a submission without a declaration");
  const hint = hintOf(declaration, envelope, request.body);
  const progress: Progress = { proposed: null };

  const work = declaration.keepsDocument
    ? attempt(host, request, hint, progress)
    : host.inTurn(envelope.organizationId, () => attempt(host, request, hint, progress));
  const isLate = await isLaterThan(work, host.commitDeadlineMs);
  if (!isLate || !progress.proposed) return work;
  return keepPending(host, progress.proposed, work);
}

/** The newest proposal of a request that has not been answered. */
type Progress = { proposed: { activity: ActivityRecord; belief: Belief } | null };

function isLaterThan(work: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), deadlineMs);
    const settle = () => {
      clearTimeout(timer);
      resolve(false);
    };
    work.then(settle, settle);
  });
}

/** How long the outcome of an answer given as PENDING can be asked for by its id. */
const PENDING_RETENTION_MS = 10 * 60 * 1000;

async function keepPending(
  { store, pending, log, now }: Host,
  { activity, belief }: NonNullable<Progress["proposed"]>,
  work: Promise<ShownActivity>,
): Promise<ShownActivity> {
  const { organizationId } = belief.stored;
  const { stored } = belief;
  const waiting = { ...activity, status: "ACTIVITY_STATUS_PENDING" as const, result: null };
  const viewer = lastVoter(stored, activity);
  const view = { stored, activity: waiting, viewer, log, nowMs: now() };
  const shown = await presentActivity(store.db, view);
  pending.add(organizationId, activity.activityId, shown);
  work
    .then((final) => pending.add(organizationId, activity.activityId, final))
    .catch((cause: unknown) => {
      const error = cause instanceof ApiError ? cause : internal(cause);
      log.error({ activityId: activity.activityId, err: cause }, "a pending activity failed");
      const failure = {
        code: grpcCode(error.code),
        message: error.message,
        details: errorDetails(error),
      };
      const failed = { ...shown, status: "ACTIVITY_STATUS_FAILED" as const, failure };
      pending.add(organizationId, activity.activityId, failed);
    })
    .finally(() => {
      setTimeout(() => pending.remove(activity.activityId), PENDING_RETENTION_MS).unref();
    });
  return shown;
}

function internal(cause: unknown): ApiError {
  return new ApiError("INTERNAL", "INTERNAL", "internal server error", { cause });
}

/** What the host reads out of the body, to look things up. Nothing is decided by it. */
type Hint = {
  organizationId: string;
  declaration: ActivityDeclaration;
  envelope: Envelope;
  intent: unknown;
  fingerprint: string;
};

function hintOf(declaration: ActivityDeclaration, envelope: Envelope, body: string): Hint {
  return {
    organizationId: envelope.organizationId,
    declaration,
    envelope,
    intent: parseIntent(declaration, envelope),
    fingerprint: fingerprint(encodeUtf8(body)),
  };
}

/** What the host believes now. */
type Belief = { stored: StoredDocument; records?: StoredRecord[]; fromCache?: boolean };

/** Asks and commits until nothing moved on in between. Each new try reads everything anew. */
async function attempt(
  host: Host,
  request: SubmitRequest,
  hint: Hint,
  progress: Progress,
): Promise<ShownActivity> {
  const { organizationId, declaration } = hint;
  let existing = declaration.vote ? await findExisting(host, organizationId, targetOf(hint)) : null;
  let wasRolledBack = false;

  for (let tries = 0; tries < ATTEMPTS; tries++) {
    if (tries > 1) await new Promise((resolve) => setTimeout(resolve, Math.random() * 20 * tries));
    const belief = await gather(host, request, hint, existing, tries === 0);
    const answer = await askSigner(host, request, belief);

    if (answer.kind === "proposal") {
      const shown = await commit(host, answer, belief, progress);
      if (shown) return shown;
    } else if (answer.kind === "unchanged" && existing) {
      return existingAnswer(host, belief, existing, request);
    } else if (answer.kind === "error") {
      const error = fromErrorMessage(answer.error);
      if (error.reason === "ACTIVITY_ALREADY_EXECUTED") {
        const executed = await findExisting(host, organizationId, hint.fingerprint);
        if (executed) return existingAnswer(host, belief, executed, request);
        host.log.error(
          { organizationId, fingerprint: hint.fingerprint },
          "ALARM: the signer knows that a request was executed, but it is not in the database",
        );
        throw error;
      }
      // Bytes too old to start anything may still ask what became of them.
      if (error.reason === "TIMESTAMP_OUT_OF_RANGE" && !existing && !declaration.vote) {
        const started = await findExisting(host, organizationId, hint.fingerprint);
        if (started && started.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED") {
          return existingAnswer(host, belief, started, request);
        }
        existing = started;
        if (existing) continue;
      }
      if (!(await wasStale(host, belief, answer.error))) {
        throw await keepDenial(host, hint, request, belief, error);
      }
      if (error.reason === "STALE_RECORD") {
        if (wasRolledBack) throw staleTwice(host, error);
        wasRolledBack = true;
      }
    } else {
      throw new Error(`unexpected answer of the signer: ${answer.kind}`);
    }

    host.cache.forgetDocument(organizationId);
    existing = await findExisting(host, organizationId, targetOf(hint));
    const isDecided = existing && existing.status !== "ACTIVITY_STATUS_CONSENSUS_NEEDED";
    // The core has verified the stamp: it proposed what another request had done before.
    if (existing && isDecided && !declaration.vote && answer.kind === "proposal") {
      return existingAnswer(host, belief, existing, request);
    }
  }
  throw new ApiError(
    "UNAVAILABLE",
    "CONFLICT",
    "the organization is being changed by many requests at once; send the same bytes again in a moment",
  );
}

/** The activity that the request would vote on. */
function targetOf({ declaration, intent, fingerprint }: Hint): string {
  return declaration.vote ? (intent as { fingerprint: string }).fingerprint : fingerprint;
}

type ExistingActivity = { record: StoredRecord; status: string; activity: ActivityRecord };

async function findExisting(
  host: Host,
  organizationId: string,
  fingerprint: string,
): Promise<ExistingActivity | null> {
  const found = await findActivityByFingerprint(host.store.db, organizationId, fingerprint);
  if (!found) return null;
  const activity = upcast(activityKind, readRecord(found.bytes));
  const record = { digest: recordDigest(found.bytes), bytes: found.bytes };
  return { record, status: found.status, activity };
}

/** Finds the document and the records that the request wants. */
async function gather(
  host: Host,
  { stamp }: SubmitRequest,
  { organizationId, declaration, intent }: Hint,
  voteOn: ExistingActivity | null,
  useCache: boolean,
): Promise<Belief> {
  const cached = useCache ? host.cache.document(organizationId) : undefined;
  const stored = cached ?? (await findDocument(host.store.db, organizationId));
  if (!stored) throw organizationNotFound(organizationId);
  if (!cached) host.cache.keepDocument(stored);

  const wants = wantsOf(declaration, intent, stored, voteOn);
  const records = (
    await Promise.all(wants.map((want) => find(host, organizationId, want, useCache)))
  ).flat();
  if (voteOn) records.push(voteOn.record);

  const { publicKey } = parseStamp(stamp);
  if (!stored.organization.findKey(publicKey)) {
    const userId = await findUserIdByPublicKey(host.store.db, organizationId, publicKey);
    const isWanted = wants.some((want) => want.type === "sessions" && want.userId === userId);
    const sessions =
      userId && !isWanted ? await findSessions(host.store.db, organizationId, userId) : undefined;
    if (sessions) records.push(sessions);
  }
  return { stored, records, fromCache: cached !== undefined };
}

function wantsOf(
  declaration: ActivityDeclaration,
  intent: unknown,
  { document }: StoredDocument,
  voteOn: ExistingActivity | null,
): Want[] {
  if (!declaration.vote) return declaration.wants?.(intent, document) ?? [];
  const original = voteOn?.activity.votes[0]?.message;
  if (original === undefined) return [];
  const asked = askedBy(original);
  return asked.declaration.wants?.(asked.intent, document) ?? [];
}

async function find(
  { store: { db }, cache }: Host,
  organizationId: string,
  want: Want,
  useCache: boolean,
): Promise<StoredRecord[]> {
  switch (want.type) {
    case "signing-key": {
      const cached = useCache ? cache.signingRecords(organizationId, want.signWith) : undefined;
      if (cached) return cached;
      const records = await findSigningRecords(db, organizationId, want.signWith);
      if (records.length > 0) cache.keepSigningRecords(organizationId, want.signWith, records);
      return records;
    }
    case "smart-contract-interface": {
      const id = want.smartContractInterfaceId;
      const cached = useCache ? cache.contractInterface(id) : undefined;
      if (cached) return [cached];
      const [record] = await findWanted(db, organizationId, want);
      if (!record) return [];
      cache.keepContractInterface(id, record);
      return [record];
    }
    default:
      return findWanted(db, organizationId, want);
  }
}

/** Names the records; sends the bytes of those that the core does not hold. */
async function askSigner(
  host: Host,
  { endpoint, body, stamp }: SubmitRequest,
  { stored, records = [] }: Belief,
): Promise<Answer> {
  const brought: StoredRecord[] = [stored, ...records];
  const digests = brought.map(({ digest }) => digest);
  let attachments: Uint8Array[] = [];
  for (let round = 0; round < 3; round++) {
    const call = { call: "submit" as const, endpoint, body, stamp, records: digests, attachments };
    const answer = await host.askSigner(call);
    if (answer.kind !== "need") return answer;
    const needed = new Set(answer.digests);
    attachments = brought.filter(({ digest }) => needed.has(digest)).map(({ bytes }) => bytes);
  }
  throw new Error("the signer keeps asking for records that it was given");
}

/** Commits a proposal and reports it to the signer; null if a race was lost. */
async function commit(
  host: Host,
  proposal: Proposal,
  { stored }: Belief,
  progress: Progress,
): Promise<ShownActivity | null> {
  const unit = unitOf(proposal, stored.document);
  const activity = upcast(activityKind, readRecord(unit.activity.record));
  progress.proposed = { activity, belief: { stored } };

  const isCommitted = await host.committer.commit(unit);
  if (!isCommitted) {
    host.metrics.commitConflict();
    return null;
  }
  if (proposal.ticket !== null) {
    const answer = await host.askSigner({ call: "confirm", ticket: proposal.ticket });
    if (answer.kind === "error") throw fromErrorMessage(answer.error);
  }
  host.metrics.activity(unit.activity.type, unit.activity.status);
  const current = unit.document ? toStoredDocument(unit.organizationId, unit.document) : stored;
  if (unit.document) host.cache.keepDocument(current);
  const viewer = lastVoter(current, activity);
  const view = { stored: current, activity, viewer, log: host.log, nowMs: host.now() };
  return presentActivity(host.store.db, view);
}

/** Answers with an activity that stands already, to the user who sent the bytes again. */
function existingAnswer(
  { store, log, now }: Host,
  { stored }: Belief,
  { activity }: ExistingActivity,
  { stamp }: SubmitRequest,
): Promise<ShownActivity> {
  const viewer = stored.organization.findKey(parseStamp(stamp).publicKey)?.user ?? null;
  return presentActivity(store.db, { stored, activity, viewer, log, nowMs: now() });
}

function lastVoter({ document }: StoredDocument, { votes }: ActivityRecord): User | null {
  return findUser(document, votes.at(-1)?.userId ?? "") ?? null;
}

/**
 * Could the error come from a record that is no longer current? Only then is it worth another try;
 * an error that was decided by current records stands.
 */
async function wasStale(
  { store, log }: Host,
  { stored, fromCache }: Belief,
  { reason, message }: ErrorMessage,
): Promise<boolean> {
  if (reason === "STALE_RECORD") {
    log.warn({ organizationId: stored.organizationId, message }, "the signer saw a newer record");
    return true;
  }
  if (!fromCache) return false;
  const pointer = await findPointer(store.db, stored.organizationId);
  return pointer !== undefined && pointer.digest !== stored.digest;
}

/** Read anew and still older than what the signer saw: somebody rolled the database back. */
function staleTwice({ log }: Host, error: ApiError): ApiError {
  log.error(
    { reason: error.reason, message: error.message },
    "ALARM: the database holds a record that is older than the signer has seen",
  );
  return new ApiError(
    "UNAVAILABLE",
    "STALE_RECORD",
    "the service refuses to work with this organization: its records are older than the signer has seen; the operator must look into it",
  );
}

/** A larger request is denied without a trace. */
const MAX_KEPT_BODY = 64 * 1024;

/** A denial leaves an entry, and its error names it, so that it can be explained later. */
async function keepDenial(
  { store, log, now }: Host,
  { organizationId, envelope, fingerprint }: Hint,
  { stamp, body }: SubmitRequest,
  { stored }: Belief,
  error: ApiError,
): Promise<ApiError> {
  if (error.reason !== "POLICY_DENIED") return error;
  const { publicKey } = parseStamp(stamp);
  const denialId = randomUUID();
  try {
    const userId =
      stored.organization.findKey(publicKey)?.user.userId ??
      (await findUserIdByPublicKey(store.db, organizationId, publicKey));
    const isKept = await insertDenial(store, {
      denialId,
      organizationId,
      userId: userId ?? null,
      type: envelope.type,
      fingerprint,
      error: toErrorMessage(error),
      body: body.length <= MAX_KEPT_BODY ? body : null,
      publicKey,
      documentVersion: stored.version,
      createdAtMs: now(),
    });
    if (!isKept) return error;
  } catch (cause) {
    // The answer is the denial either way.
    log.warn({ err: cause }, "a denial could not be kept");
    return error;
  }
  const trace = { "@type": "keyhearth.dev/PolicyTrace", traceId: denialId };
  return fromErrorMessage({ ...toErrorMessage(error), details: [...error.details, trace] });
}

function organizationNotFound(organizationId: string): ApiError {
  return new ApiError(
    "NOT_FOUND",
    "ORGANIZATION_NOT_FOUND",
    `no organization found with the given ID: \`${organizationId}\``,
    { field: "organizationId" },
  );
}
