import { randomInt } from "node:crypto";
import type { Pace } from "../../fairness/pace.ts";
import type { Host } from "../../host/host.ts";
import type { Retry } from "../../store/paused-endpoints.ts";
import {
  type Claimed,
  type Outcome,
  PAUSED_AFTER,
  type Seen,
} from "../../store/webhook-deliveries.ts";
import { type Result, type SignedEvent, sendEvent, signEvents } from "./attempt.ts";
import type { Outcomes } from "./outcomes.ts";
import type { SlotOwner, Slots } from "./slots.ts";

export type Timing = {
  /** Between looks at the database while nothing is due. */
  idleMs: number;
  /** The first retry of a delivery or of a paused endpoint comes after about this time, each further one after twice that. */
  retryMs: number;
  maxRetryMs: number;
  maxAttempts: number;
  /** How long a process that dies keeps its deliveries from the others. */
  leaseMs: number;
};

/** What all rounds of one process share. */
export type Work = {
  host: Host;
  timing: Timing;
  slots: Slots;
  outcomes: Outcomes;
  large: LargeEvents;
  /** The last endpoint of a page of those to be tried again. */
  lastRetry: Retry | null;
  /** The organization that had the last turn at an endpoint. */
  turns: Map<string, string>;
  signal: AbortSignal;
  /** Batches under way. */
  batches: Set<Promise<void>>;
  /** A slot is free again. */
  wake: () => void;
};

export type LargeEvents = {
  /** Bytes of large events that an application causes, and those of all its sub-organizations together. */
  pace: Pace;
  /** The same of all families that signed up. */
  signups: Pace;
  /** When organizations were last served, the longest ago first. */
  served: Map<string, number>;
  /** The last organization of a page that was looked at. */
  after: string | null;
  /** Endpoints whose last slot went to a large event, and whose small ones have found none since. */
  yielding: Set<string>;
};

/** A delivery, and where it goes. */
export type Addressed = { claimed: Claimed; url: string; owner: SlotOwner };

/** Signs and sends what was claimed, in slots that were taken for it. */
export function startBatch(work: Work, batch: Addressed[]) {
  const released = new Set<Addressed>();
  const release: Release = (each, tookMs) => {
    if (released.has(each)) return;
    released.add(each);
    work.slots.release(each.owner, tookMs);
    work.wake();
  };
  const running = deliverBatch(work, batch, release)
    .catch((error) => {
      const endpointId = batch[0]?.claimed.endpointId;
      work.host.log.warn({ endpointId, err: error }, "a delivery will be tried again");
    })
    .finally(() => {
      for (const each of batch) release(each, null);
      work.batches.delete(running);
    });
  work.batches.add(running);
}

type Release = (each: Addressed, tookMs: number | null) => void;

async function deliverBatch(work: Work, batch: Addressed[], release: Release): Promise<void> {
  const { host, outcomes } = work;
  const ready = batch.map(({ claimed }) => claimed).filter(hasRecord);
  const signed = await signEvents(host, ready).catch((error: unknown) => error);
  if (!Array.isArray(signed)) {
    host.log.warn({ err: signed }, "the signer signs events for webhooks later");
    const postponing = batch.map(({ claimed }) =>
      outcomes.note({ claimed, outcome: postponed(host, claimed), endpoint: null }),
    );
    await Promise.all(postponing);
    return;
  }
  await Promise.all(
    batch.map(async (each) => {
      const { claimed } = each;
      const event = hasRecord(claimed) ? (signed[ready.indexOf(claimed)] ?? null) : null;
      const startedAt = performance.now();
      const result = event ? await send(work, each, event) : UNSIGNED;
      // What was cut off is tried again when its lease ends.
      if (work.signal.aborted && result.kind === "retry") return;
      release(each, performance.now() - startedAt);
      const outcome = outcomeOf(work, claimed, result);
      await outcomes.note({ claimed, outcome, endpoint: event && seenOf(work, claimed, result) });
    }),
  );
}

/** In the trace of the request that caused the event, if it was committed here and not long ago. */
function send({ host, signal }: Work, { claimed, url, owner }: Addressed, event: SignedEvent) {
  const { organizationId, activityId } = claimed;
  const attributes = {
    "keyhearth.organization.id": organizationId,
    "keyhearth.activity.id": activityId,
  };
  const root = { kind: "consumer" as const, follows: activityId, attributes };
  return host.tracing.root("deliver webhook", root, async (span) => {
    const result = await sendEvent(host, { url, familyId: owner.familyId }, event, signal);
    span?.set({ "keyhearth.delivery.outcome": result.kind });
    return result;
  });
}

const TOO_MANY_REQUESTS = 429;

const UNSIGNED: Result = {
  kind: "refused",
  statusCode: null,
  error: "the signer did not recognize the activity",
};

function hasRecord(each: Claimed): each is Claimed & { record: Uint8Array } {
  return each.record !== null;
}

/** Until the signer is asked again. */
const SIGNER_PAUSE_MS = 2000;

/** Waits for the signer, without counting an attempt. */
function postponed(host: Host, { attempts }: Claimed): Outcome {
  const nextAttemptAtMs = host.now() + SIGNER_PAUSE_MS;
  return { state: "waiting", attempts, nextAttemptAtMs, lastStatusCode: null, lastError: null };
}

function outcomeOf({ host, timing }: Work, claimed: Claimed, result: Result): Outcome {
  const attempts = claimed.attempts + 1;
  const nowMs = host.now();
  const last = { lastStatusCode: result.statusCode, lastError: result.error };
  const ended = { attempts, nextAttemptAtMs: nowMs, ...last };
  if (result.kind === "delivered") return { state: "delivered", ...ended };
  const { deliveryId, endpointId } = claimed;
  const details = { deliveryId, endpointId, ...last };
  if (result.kind === "refused") {
    host.log.info(details, "a delivery to a webhook was refused");
    return { state: "failed", ...ended };
  }
  if (attempts >= timing.maxAttempts) {
    host.log.warn(details, "a delivery to a webhook was given up");
    return { state: "exhausted", ...ended };
  }
  return { state: "waiting", ...ended, nextAttemptAtMs: nowMs + delayOf(timing, attempts) };
}

/** A receiver that wants no more requests for now is down too, although that is final for the delivery. */
function seenOf({ host, timing }: Work, { failures }: Claimed, result: Result): Seen {
  const nowMs = host.now();
  const isDown = result.kind === "retry" || result.statusCode === TOO_MANY_REQUESTS;
  if (!isDown) return { isDown, retryAtMs: nowMs };
  const retries = Math.max(0, failures + 1 - PAUSED_AFTER);
  return { isDown, retryAtMs: nowMs + delayOf(timing, retries + 1) };
}

/** Between half and one and a half of the time, so that what failed together is not tried together. */
function delayOf({ retryMs, maxRetryMs }: Timing, attempts: number): number {
  const delay = Math.min(maxRetryMs, retryMs * 2 ** (attempts - 1));
  return Math.round((delay * randomInt(500, 1500)) / 1000);
}
