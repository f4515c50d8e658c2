import type { Proposal } from "@keyhearth/engine/core/protocol";
import { dependsOnSender } from "@keyhearth/engine/declare/define";
import { ApiError, fromErrorMessage } from "@keyhearth/engine/errors";
import { submitterOf } from "@keyhearth/engine/records/activity";
import { activityRemoved } from "../errors.ts";
import type { Host } from "../host/host.ts";
import { findPointer, type StoredDocument } from "../store/organizations.ts";
import { findRemovedId } from "../store/removed-activities.ts";
import type { Answered } from "../wire/answered.ts";
import { reportStale, type SubmitAnswer } from "./ask-signer.ts";
import { commitProposal, type Progress } from "./commit-proposal.ts";
import { withResult } from "./confirm.ts";
import { type ExistingActivity, findExisting, findViewer, isWaiting } from "./existing-activity.ts";
import type { Belief, Start } from "./gather.ts";
import type { Hint } from "./hint.ts";
import { keepDenial } from "./keep-denial.ts";
import { explainUnknownKey } from "./known-elsewhere.ts";
import { showActivity } from "./show.ts";

/** One try: a request, and what the host told the signer about it. */
export type Try = { host: Host; hint: Hint; belief: Belief; progress: Progress };

/** The result of a try: the answer to the client, or the start of the next try. */
export type Outcome = { shown: Answered } | { next: Start };

/** Handles each kind of answer. Throws a refusal that the client should get. */
export function followAnswer(tried: Try, answer: SubmitAnswer): Promise<Outcome> {
  switch (answer.kind) {
    case "proposal":
      return afterProposal(tried, answer);
    case "unchanged":
      return afterUnchanged(tried);
    case "waits":
      return afterWaits(tried);
    case "error":
      return afterError(tried, fromErrorMessage(answer.error));
  }
}

async function afterProposal(tried: Try, proposal: Proposal): Promise<Outcome> {
  const { host, hint, belief, progress } = tried;
  const shown = await commitProposal(host, proposal, belief, progress);
  if (shown) return { shown };
  const next = await startAgain(tried);
  const { existing } = next;
  if (!existing || isWaiting(existing) || hint.declaration.vote) return { next };
  if (!isSame(tried, existing)) return { next };
  // The core has verified the stamp: it proposed what another request has already done.
  return showExisting(tried, existing);
}

/** Nothing changes: the same bytes arrived again while the activity waits. */
async function afterUnchanged(tried: Try): Promise<Outcome> {
  const { existing } = tried.belief.start;
  if (existing) return showExisting(tried, existing);
  throw new Error("unexpected answer of the signer: unchanged");
}

/** The signer asks for the record of an activity that waits, to take the bytes as a vote or as a poll. */
async function afterWaits(tried: Try): Promise<Outcome> {
  const { host, hint } = tried;
  const next = await startAgain(tried);
  if (next.existing) return { next };
  const { organizationId, fingerprint } = hint;
  host.log.error(
    { organizationId, fingerprint },
    "ALARM: the signer knows that an activity waits, but it is not in the database",
  );
  throw staleRecord();
}

function afterError(tried: Try, error: ApiError): Promise<Outcome> {
  switch (error.reason) {
    case "ACTIVITY_ALREADY_EXECUTED":
      return afterAlreadyExecuted(tried, error);
    case "TIMESTAMP_OUT_OF_RANGE":
      return afterTooOld(tried, error);
    case "ACTIVITY_NOT_FOUND":
      return afterUnknownTarget(tried, error);
    case "STALE_RECORD":
      return afterStaleRecord(tried, error);
    default:
      return afterRefusal(tried, error);
  }
}

async function afterAlreadyExecuted(tried: Try, error: ApiError): Promise<Outcome> {
  const { host, hint } = tried;
  const { organizationId, fingerprint } = hint;
  const executed = await findExisting(host, organizationId, fingerprint);
  if (executed && isSame(tried, executed)) return showExisting(tried, executed);
  if (executed && !tried.belief.start.existing) return { next: await startAgain(tried) };
  // Only the field says that it was another request, such as an earlier one with the same token.
  if (error.field !== undefined) return afterRefusal(tried, error);
  host.log.error(
    { organizationId, fingerprint },
    "ALARM: the signer knows that a request was executed, but it is not in the database",
  );
  throw error;
}

/** Whether the bytes mean the existing activity, whoever sent them. Otherwise the core decides. */
function isSame({ hint, belief }: Try, { activity }: ExistingActivity): boolean {
  return !dependsOnSender(hint.declaration) || submitterOf(activity) === belief.stamperId;
}

/** Bytes that are too old to start anything can still be sent to get their outcome. */
async function afterTooOld(tried: Try, error: ApiError): Promise<Outcome> {
  const { host, hint, belief } = tried;
  if (belief.start.existing || hint.declaration.vote) return afterRefusal(tried, error);
  const { organizationId, fingerprint } = hint;
  const started = await findExisting(host, organizationId, fingerprint);
  if (!started) {
    const removed = await findRemovedId(host.store.db, organizationId, fingerprint);
    // The signer has refused the bytes already. Without that, nothing here would say more than that.
    if (removed !== undefined) throw activityRemoved("timestampMs", removed);
    return afterRefusal(tried, error);
  }
  if (!isWaiting(started) && isSame(tried, started)) return showExisting(tried, started);
  return { next: { ...belief.start, existing: started, mayUseCache: false } };
}

/** A vote on an activity whose record was deleted: it has ended long ago. */
async function afterUnknownTarget(tried: Try, error: ApiError): Promise<Outcome> {
  const { host, hint } = tried;
  const removed = await findRemovedId(host.store.db, hint.organizationId, hint.target);
  if (removed !== undefined) throw activityRemoved("parameters.fingerprint", removed);
  return afterRefusal(tried, error);
}

/**
 * Other requests may have changed the organization since the records were read. If the database still
 * holds what was read, it was rolled back.
 */
async function afterStaleRecord(tried: Try, error: ApiError): Promise<Outcome> {
  const { host, hint, belief } = tried;
  const { reason, message } = error;
  const next = await startAgain(tried);
  const isVoteChanged = next.existing?.record.digest !== belief.start.existing?.record.digest;
  const documents = belief.parent ? [belief.stored, belief.parent] : [belief.stored];
  const haveMovedOn = await Promise.all(documents.map((each) => hasMovedOn(host, each)));
  if (isVoteChanged || haveMovedOn.includes(true)) return { next };
  host.log.error(
    { reason, message },
    "ALARM: the database holds a record that is older than the signer has seen",
  );
  // The client gets its answer even if the signer cannot be told now.
  await reportStale(host, hint.request, belief).catch((err) => {
    host.log.warn({ err }, "the signer was not told that a record is still stale");
  });
  throw staleRecord();
}

function staleRecord(): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "STALE_RECORD",
    "the service refuses to work with this organization: its records are older than those that the signer has seen; the operator has to find out why, and after a restore from a backup runs `npm run signer -- accept-restored-database` on the signer's machine: /self-hosting/backup#restore",
  );
}

/** A refusal is final if it was decided by current records. */
async function afterRefusal(tried: Try, error: ApiError): Promise<Outcome> {
  const { host, hint, belief } = tried;
  if (await isOutdated(host, belief)) return { next: await startAgain(tried) };
  if (error.reason === "CREDENTIAL_NOT_FOUND") {
    throw await explainUnknownKey(host, hint, belief, error);
  }
  if (error.reason !== "POLICY_DENIED") throw error;
  throw await keepDenial(host, hint, belief, error);
}

/** Only a cached document can be older than the database. */
async function isOutdated(host: Host, { stored, isFromCache }: Belief): Promise<boolean> {
  return isFromCache && hasMovedOn(host, stored);
}

async function hasMovedOn({ store }: Host, stored: StoredDocument): Promise<boolean> {
  const pointer = await findPointer(store.db, stored.organizationId);
  return pointer !== undefined && pointer.digest !== stored.digest;
}

/** The next try asks the database for everything again. */
async function startAgain({ host, hint, belief }: Try): Promise<Start> {
  const existing = await findExisting(host, hint.organizationId, hint.target);
  return { ...belief.start, existing, mayUseCache: false };
}

/** Shows an existing activity to the user who sent its bytes again. */
async function showExisting(
  { host, belief: { stored, parent, stamperId } }: Try,
  existing: ExistingActivity,
): Promise<Outcome> {
  const viewer = findViewer(stamperId, stored, parent);
  const activity = await withResult(host, existing.activity, existing.record.bytes, stored);
  return { shown: await showActivity(host, { activity, stored, parent, viewer }) };
}
