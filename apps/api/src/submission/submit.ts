import { resendWebhookDelivery } from "@keyhearth/engine/activities/resend-webhook-delivery";
import { changesDocument, changesOf, maySend } from "@keyhearth/engine/declare/define";
import { ApiError, type ErrorCode } from "@keyhearth/engine/errors";
import { hasIdToken, hasKnownStamp, namesLogin } from "../callers/known-stamp.ts";
import { tooMany } from "../fairness/concurrency-limit.ts";
import type { Owner } from "../fairness/families.ts";
import type { Host } from "../host/host.ts";
import { LARGE_LENGTH, PACED_LENGTH, paceOfDocument } from "../host/large-requests.ts";
import { takeFromStamper } from "../limits/credentials.ts";
import { traced, tracedWait } from "../observability/spans.ts";
import { findRecordLength, sizeOf } from "../store/activities.ts";
import { lookupOfStamp } from "../store/lookups.ts";
import { findDeliveryBytes } from "../store/webhook-deliveries.ts";
import type { Answered } from "../wire/answered.ts";
import { answerInTime } from "./answer-pending.ts";
import { askSigner, type SubmitAnswer } from "./ask-signer.ts";
import type { Progress } from "./commit-proposal.ts";
import { findExisting } from "./existing-activity.ts";
import { findHome } from "./find-home.ts";
import { followAnswer } from "./follow-answer.ts";
import { type Belief, gather, NOBODY, type Start } from "./gather.ts";
import { type Hint, readHint, type SubmitRequest } from "./hint.ts";
import { holdOnce } from "./hold-messages.ts";
import { limitStorage } from "./limit-storage.ts";
import { submitFounding } from "./submit-founding.ts";

const ATTEMPTS = 6;
const ATTEMPTS_BESIDE_CHANGES = 3;

/**
 * Handles a submission: finds records, asks the signer, commits. The host parses the body only to
 * find records; the core decides from the bytes and from what it verifies. The answer waits until the
 * result is durable. If that takes too long, the answer is PENDING and the client polls.
 */
export async function submit(host: Host, request: SubmitRequest): Promise<Answered> {
  const read = readHint(request);
  if (maySend("founder", read.declaration)) return submitFounding(host, read);
  const hint = await findHome(host, read);
  const { organizationId, stampedBy } = hint;
  if (!("error" in stampedBy)) {
    await traced("authenticate and limit", () => takeFromStamper(host, organizationId, stampedBy));
  }
  return inPlace(host, hint, async () => {
    const bytes = Math.max(request.body.length, await findTargetLength(host, hint));
    return withRoom(host, hint, bytes, () => handle(host, hint, bytes));
  });
}

/** Anybody can make requests wait for an issuer, with ID tokens that nobody signed. So these have places apart. */
function inPlace<T>(
  host: Host,
  { organizationId, stampedBy, request }: Hint,
  work: () => Promise<T>,
): Promise<T> {
  const { submissions, idTokens } = host.concurrency;
  if ("error" in stampedBy || !hasIdToken(stampedBy.stamp)) {
    const isKnown = () => hasKnownStamp(host, organizationId, request);
    return tracedWait(
      "wait for a place",
      (begun) => submissions.run(organizationId, isKnown, begun),
      work,
    );
  }
  return idTokens.run(organizationId, () => namesLogin(host, organizationId, stampedBy), work);
}

/** Whether an ID token that nobody has verified says whose request it is. The signer may wait for its issuer. */
function bringsIdToken({ stampedBy }: Hint): boolean {
  return !("error" in stampedBy) && hasIdToken(stampedBy.stamp);
}

/** A vote reads, stores and sends all of its activity again, and a delivery is read and sent again as a whole. */
async function findTargetLength(
  { store: { db } }: Host,
  { declaration, organizationId, target, intent }: Hint,
): Promise<number> {
  if (declaration.vote) return findRecordLength(db, organizationId, target);
  if (declaration.name !== resendWebhookDelivery.name) return 0;
  const { deliveryId } = intent as { deliveryId: string };
  return findDeliveryBytes(db, organizationId, deliveryId);
}

/** The body, what was parsed of it, the copies for the signer and the database, and the record. */
const COPIES = 6;

/** Others must not be able to take an organization's room: a stranger's request finds it empty or not at all. */
async function withRoom<T>(
  host: Host,
  { organizationId, request }: Hint,
  length: number,
  work: () => Promise<T>,
): Promise<T> {
  if (length < LARGE_LENGTH) return work();
  const owner = await host.families.ownerOf(organizationId);
  const isOwn = await isOfOwner(host, owner, request);
  if (!isOwn && host.underWay.heldBy(organizationId) > 0) throw tooMany();
  // The body has waited already, where its stamp was verified. What waits has no room, or it would keep others out.
  const { body } = request;
  const waited = body.length > PACED_LENGTH ? body.length : 0;
  if (isOwn && length > waited) {
    request.onKnown?.();
    await host.largeRequests.wait(owner, length - waited);
  }
  const held = await host.underWay.take(owner, COPIES * length);
  try {
    return await work();
  } finally {
    held.release();
  }
}

/** The stamp of a small body is not verified yet. */
async function isOfOwner(host: Host, { organizationId, familyId }: Owner, request: SubmitRequest) {
  const { stampers } = request;
  if (stampers) return stampers.some((id) => id === organizationId || id === familyId);
  return hasKnownStamp(host, organizationId, request);
}

function handle(host: Host, hint: Hint, pacedBytes: number): Promise<Answered> {
  const { declaration, intent } = hint;
  const progress: Progress = { proposed: null, pacedBytes };
  const work = attemptAtPace(host, hint, progress).finally(() => progress.held?.end());
  // After a deletion there is nobody left who could poll.
  return changesOf(declaration, intent) === "deleted organization"
    ? work
    : answerInTime(host, work, progress);
}

/** Waits, if the activity or the document turns out to be large, while others have their turns. */
async function attemptAtPace(host: Host, hint: Hint, progress: Progress): Promise<Answered> {
  const { organizationId, request } = hint;
  const turn = turnOf(hint);
  const once = () => attempt(host, hint, progress);
  for (;;) {
    const outcome = await (turn === null ? once() : host.inTurn(turn, once));
    if ("shown" in outcome) return outcome.shown;
    if (!(await hasKnownStamp(host, organizationId, request))) continue;
    const owner = await host.families.ownerOf(organizationId);
    await host.largeRequests.wait(owner, outcome.unpaced, outcome.stamperId);
  }
}

/** Bytes for which the request has not waited yet, and whose request it is once its stamp is known to be genuine. */
type Attempted = { shown: Answered } | { unpaced: number; stamperId: string };

/** Asks and commits until no record changes in between. Each new try reads everything again. */
async function attempt(host: Host, hint: Hint, progress: Progress): Promise<Attempted> {
  const { declaration, intent, organizationId } = hint;
  let start = await firstStart(host, hint);
  for (let tries = 0; tries < ATTEMPTS; tries++) {
    if (tries > 1) await pause(Math.random() * 20 * tries);
    const once = async () => {
      const belief = await traced("find records", () => gather(host, hint, start));
      const unpaced = takeUnpaced(hint, belief, progress);
      if (unpaced > 0) return { unpaced, stamperId: belief.stamperId };
      if (tries === 0) {
        await traced("limits", async () => {
          await limitStorage(host, hint, belief);
          await holdOnce(host, hint, belief, progress);
        });
      }
      if (bringsIdToken(hint)) hint.request.onWait?.();
      const answer = await askSigner(host, hint.request, belief);
      noteSender(hint, belief, answer);
      return followAnswer({ host, hint, belief, progress }, answer);
    };
    // Activities that do not change the document run beside those that do, and so do logins with ID tokens. If one
    // keeps losing against them, it waits for its turn.
    const isBeside = !changesDocument(declaration, intent) || bringsIdToken(hint);
    const isLosing = isBeside && tries >= ATTEMPTS_BESIDE_CHANGES;
    const outcome = await (isLosing ? host.inTurn(organizationId, once) : once());
    if (!("next" in outcome)) return outcome;
    start = outcome.next;
  }
  throw new ApiError(
    "UNAVAILABLE",
    "CONFLICT",
    "many requests are changing the organization at once; send the same bytes again in a moment",
  );
}

/** With any other code, the signer refuses a user whose stamp it has verified. */
const BEFORE_STAMP: readonly ErrorCode[] = ["UNAUTHENTICATED", "UNAVAILABLE", "INTERNAL"];

function noteSender(
  { request, organizationId }: Hint,
  { stamperId: userId }: Belief,
  answer: SubmitAnswer,
) {
  const isVerified = answer.kind !== "error" || !BEFORE_STAMP.includes(answer.error.code);
  if (isVerified && userId !== NOBODY) request.onSender?.({ organizationId, userId });
}

/** What the request turns out to be about, of which nobody knew when it came. Each part is waited for once. */
function takeUnpaced(
  { declaration, intent }: Hint,
  { start: { existing }, stored, isFromCache }: Belief,
  progress: Progress,
): number {
  const size = existing ? sizeOf(existing.record.bytes, existing.activity) : 0;
  const isLarger = size - progress.pacedBytes >= LARGE_LENGTH;
  const activity = isLarger ? size - progress.pacedBytes : 0;
  if (isLarger) progress.pacedBytes = size;
  // A cached one is neither read nor written.
  const isMoved = changesDocument(declaration, intent) || !isFromCache;
  const document = isMoved && !progress.isDocumentPaced ? paceOfDocument(stored.bytes.length) : 0;
  if (document > 0) progress.isDocumentPaced = true;
  return activity + document;
}

/**
 * Requests that would change the same record run one at a time. Null if there is no such record, and for a login with an
 * ID token: anybody could hold the turn with one that nobody signed, while the signer waits for its issuer.
 */
function turnOf(hint: Hint): string | null {
  const { declaration, intent, organizationId, stampedBy } = hint;
  if (bringsIdToken(hint)) return null;
  if (changesDocument(declaration, intent)) return organizationId;
  if (changesOf(declaration, intent) !== "sessions" || "error" in stampedBy) return null;
  return `${organizationId} ${lookupOfStamp(stampedBy.stamp).value}`;
}

/** A vote is about an activity that already exists. */
async function firstStart(
  host: Host,
  { declaration, organizationId, target }: Hint,
): Promise<Start> {
  const existing = declaration.vote ? await findExisting(host, organizationId, target) : null;
  return { existing, mayUseCache: true };
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
