import { randomInt } from "node:crypto";
import { setTimeout as rest } from "node:timers/promises";
import type { Host } from "../host.ts";
import {
  type Claimed,
  cancelDeliveries,
  claimDeliveries,
  type DueEndpoint,
  listDueEndpoints,
  type Outcome,
} from "../store/webhook-deliveries.ts";
import { type Result, sendEvent, signEvents } from "./attempt.ts";
import { createOutcomes, type Outcomes } from "./outcomes.ts";
import { createSlots, type SlotLimits, type Slots } from "./slots.ts";

export type Timing = {
  /** Between looks at the database while nothing is due. */
  idleMs: number;
  /** The first retry comes after about this time, each further one after twice that. */
  retryMs: number;
  maxRetryMs: number;
  maxAttempts: number;
  /** How long a process that dies keeps its deliveries from the others. */
  leaseMs: number;
};

/** With these, a delivery is given up after about seven hours. */
const TIMING: Timing = {
  idleMs: 500,
  retryMs: 5000,
  maxRetryMs: 60 * 60 * 1000,
  maxAttempts: 16,
  leaseMs: 30_000,
};

const MB = 1024 * 1024;

export const LIMITS: SlotLimits = {
  total: 64,
  family: 32,
  endpoint: 8,
  slow: 24,
  large: { perSecond: 4 * MB, atOnce: 16 * MB },
};

/** An event of at least this size. */
const LARGE_BYTES = 64 * 1024;

const ENDPOINTS_PER_ROUND = 200;
const CANCELLED_PER_ROUND = 5000;

/** When the service stops, requests under way get this long. */
const GRACE_MS = 3000;

/** Until the signer is asked again. */
const SIGNER_PAUSE_MS = 2000;

type Work = {
  host: Host;
  timing: Timing;
  slots: Slots;
  outcomes: Outcomes;
  signal: AbortSignal;
  /** Batches under way. */
  batches: Set<Promise<void>>;
  /** A slot is free again. */
  wake: () => void;
};

/**
 * Delivers events until it is stopped. Several processes share the work: each takes what nobody else
 * has. `stop` waits for the requests under way; what they leave is delivered again by somebody else.
 */
export function startDelivering(
  host: Host,
  { timing = {}, limits = LIMITS }: { timing?: Partial<Timing>; limits?: SlotLimits } = {},
): { stop(): Promise<void> } {
  const ending = new AbortController();
  const work: Work = {
    host,
    timing: { ...TIMING, ...timing },
    slots: createSlots(limits),
    outcomes: createOutcomes(host.store, host.log),
    signal: ending.signal,
    batches: new Set(),
    wake() {},
  };
  let isStopped = false;

  async function run() {
    let after: string | null = null;
    let hasFailed = false;
    while (!isStopped) {
      let hasMore = false;
      const startedAt = performance.now();
      try {
        const round: Round = await deliverRound(work, after);
        after = round.last;
        hasMore = round.claimed > 0 || after !== null;
        hasFailed = false;
      } catch (error) {
        // Logged once until it works again: while the database is down, this fails twice a second.
        if (!isStopped && !hasFailed) {
          host.log.warn({ err: error }, "delivering to webhooks will be tried again");
        }
        hasFailed = true;
      }
      const workMs = performance.now() - startedAt;
      if (!isStopped && (!hasMore || work.slots.isFull())) await pause(work);
      else if (!isStopped) await rest(Math.min(RESTS_PER_ROUND * workMs, MAX_REST_MS));
    }
  }

  const running = run();
  return {
    async stop() {
      isStopped = true;
      work.wake();
      await running;
      const grace = setTimeout(() => ending.abort(), GRACE_MS);
      await Promise.all(work.batches);
      clearTimeout(grace);
    },
  };
}

/** Slots that become free at about the same time are filled by one look at the database. */
const GATHER_MS = 8;

/** Until something may be due, or requests have ended. */
function pause(work: Work): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, work.timing.idleMs);
    timer.unref();
    work.wake = () => {
      work.wake = () => {};
      clearTimeout(timer);
      setTimeout(resolve, GATHER_MS);
    };
  });
}

/**
 * Rests as many times as long as a round took, so that requests get the database: many endpoints that fail at
 * once would otherwise keep it busy, and the embedded one does one thing at a time.
 */
const RESTS_PER_ROUND = 3;
const MAX_REST_MS = 500;

type Round = { claimed: number; last: string | null };

/** One turn for some endpoints. Each gets as much as its free slots allow. */
async function deliverRound(work: Work, after: string | null): Promise<Round> {
  const { store, now } = work.host;
  const limit = ENDPOINTS_PER_ROUND;
  const due = await listDueEndpoints(store, { after, nowMs: now(), limit });
  let claimed = 0;
  for (const endpoint of due) claimed += await serve(work, endpoint);
  return { claimed, last: due.length === limit ? (due.at(-1)?.endpointId ?? null) : null };
}

async function serve(work: Work, { endpointId, target }: DueEndpoint): Promise<number> {
  const { host, timing, slots } = work;
  if (!target) {
    await cancelDeliveries(host.store, endpointId, CANCELLED_PER_ROUND);
    return 0;
  }
  const { url, ...of } = target;
  const owner = { endpointId, ...of };
  const limit = slots.free(owner);
  if (limit === 0) return 0;
  const nowMs = host.now();
  const untilMs = nowMs + timing.leaseMs;
  const claimed = await claimDeliveries(host.store, { endpointId, nowMs, untilMs, limit });
  if (claimed.length === 0) return 0;
  slots.take(owner, claimed.length, bytesOfLarge(claimed));
  const released = new Set<Claimed>();
  const release = (each: Claimed, tookMs: number) => {
    if (released.has(each)) return;
    released.add(each);
    slots.release(owner, tookMs);
    work.wake();
  };
  const batch = deliverBatch(work, url, claimed, release)
    .catch((error) => host.log.warn({ endpointId, err: error }, "a delivery will be tried again"))
    .finally(() => {
      for (const each of claimed) release(each, 0);
      work.batches.delete(batch);
    });
  work.batches.add(batch);
  return claimed.length;
}

function bytesOfLarge(claimed: Claimed[]): number {
  const sizes = claimed.map(({ record }) => record?.length ?? 0);
  return sizes.filter((size) => size >= LARGE_BYTES).reduce((sum, size) => sum + size, 0);
}

async function deliverBatch(
  work: Work,
  url: string,
  claimed: Claimed[],
  release: (each: Claimed, tookMs: number) => void,
): Promise<void> {
  const { host, outcomes } = work;
  const ready = claimed.filter(hasRecord);
  const signed = await signEvents(host, ready).catch((error: unknown) => error);
  if (!Array.isArray(signed)) {
    host.log.warn({ err: signed }, "the signer signs events for webhooks later");
    const postponing = claimed.map((each) =>
      outcomes.note({ claimed: each, outcome: postponed(host, each) }),
    );
    await Promise.all(postponing);
    return;
  }
  await Promise.all(
    claimed.map(async (each) => {
      const event = hasRecord(each) ? (signed[ready.indexOf(each)] ?? null) : null;
      const startedAt = performance.now();
      const result = event ? await sendEvent(host, url, event, work.signal) : UNSIGNED;
      // What was cut off is tried again when its lease ends.
      if (work.signal.aborted && result.kind === "retry") return;
      release(each, performance.now() - startedAt);
      await outcomes.note({ claimed: each, outcome: outcomeOf(work, each, result) });
    }),
  );
}

const UNSIGNED: Result = {
  kind: "refused",
  statusCode: null,
  error: "the signer did not recognize the activity",
};

function hasRecord(each: Claimed): each is Claimed & { record: Uint8Array } {
  return each.record !== null;
}

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

/** Between half and one and a half of the time, so that what failed together is not tried together. */
function delayOf({ retryMs, maxRetryMs }: Timing, attempts: number): number {
  const delay = Math.min(maxRetryMs, retryMs * 2 ** (attempts - 1));
  return Math.round((delay * randomInt(500, 1500)) / 1000);
}
