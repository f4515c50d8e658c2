import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import type { PaceLimits } from "../../fairness/pace.ts";
import type { Host } from "../../host/host.ts";
import { partOf } from "../../part-of.ts";
import { giveUpDeliveries, holdDeliveries } from "../../store/paused-endpoints.ts";
import {
  cancelDeliveries,
  claimDeliveries,
  type DueEndpoint,
  listDueEndpoints,
  wakeDeliveries,
} from "../../store/webhook-deliveries.ts";
import { type Next, startLoop } from "../loop.ts";
import { startBatch, type Timing, type Work } from "./batch.ts";
import { createLargeEvents, serveLargeEvents } from "./large-events.ts";
import { createOutcomes } from "./outcomes.ts";
import { retryEndpoints } from "./retries.ts";
import { createSlots, type SlotLimits } from "./slots.ts";

/** With these, a delivery is given up after about seven hours, as what is held for an endpoint is. */
const TIMING: Timing = {
  idleMs: 500,
  retryMs: 5000,
  maxRetryMs: 60 * 60 * 1000,
  maxAttempts: 16,
  leaseMs: 30_000,
};

const MB = 1024 * 1024;

export type DeliveryLimits = SlotLimits & {
  /** Bytes of large events that an application causes, and as many of all its sub-organizations together. */
  large: PaceLimits;
  /** Of all families that signed up together. */
  largeOfSignups: PaceLimits;
};

export const LIMITS: DeliveryLimits = {
  total: 64,
  family: 32,
  endpoint: 8,
  slow: 24,
  large: { perSecond: MB, atOnce: 16 * MB },
  largeOfSignups: { perSecond: 2 * MB, atOnce: 32 * MB },
};

const ENDPOINTS_PER_ROUND = 200;
/** Endpoints of which it is known whose turn is next. The others begin with the first. */
const MAX_TURNS = 10_000;
/** Deliveries that one statement wakes, holds or gives up. The embedded database serves nobody else meanwhile. */
const WOKEN_PER_ROUND = 1000;
const CANCELLED_PER_ROUND = 5000;

/** Slots that become free at about the same time are filled by one look at the database. */
const GATHER_MS = 8;

/** Many endpoints that fail at once would otherwise keep the database busy. */
const MAX_REST_MS = 500;

/** When the service stops, requests under way get this long. */
const GRACE_MS = 3000;

/**
 * Delivers events until it is stopped. Several processes share the work: each takes what nobody else
 * has. `stop` waits for the requests under way; what they leave is delivered again by somebody else.
 */
export function startDelivering(
  host: Host,
  {
    timing = {},
    limits = partOf(LIMITS, host.workers),
  }: { timing?: Partial<Timing>; limits?: DeliveryLimits } = {},
): { stop(): Promise<void> } {
  const ending = new AbortController();
  const work: Work = {
    host,
    timing: { ...TIMING, ...timing },
    slots: createSlots(limits),
    outcomes: createOutcomes(host.store, host.log),
    large: createLargeEvents(limits),
    lastRetry: null,
    turns: new Map(),
    signal: ending.signal,
    batches: new Set(),
    wake() {},
  };
  let after: string | null = null;

  async function round(): Promise<Next> {
    const { last, hasMore } = await deliverRound(work, after);
    after = last;
    if (work.slots.isFull()) return "idle";
    const isPage = last !== null || work.large.after !== null || work.lastRetry !== null;
    return hasMore || isPage ? "rest" : "idle";
  }

  const loop = startLoop({
    everyMs: work.timing.idleMs,
    firstMs: 0,
    gatherMs: GATHER_MS,
    maxRestMs: MAX_REST_MS,
    round,
    logFailure: (err) => host.log.warn({ err }, "delivering to webhooks will be tried again"),
  });
  work.wake = loop.wake;
  return {
    async stop() {
      await loop.stop();
      const grace = setTimeout(() => ending.abort(), GRACE_MS);
      await Promise.all(work.batches);
      clearTimeout(grace);
    },
  };
}

type Round = { hasMore: boolean; last: string | null };

/** One turn for some endpoints with something due. Each gets as much as its free slots allow. */
async function deliverRound(work: Work, after: string | null): Promise<Round> {
  const { store, now } = work.host;
  const limit = ENDPOINTS_PER_ROUND;
  await giveUp(work);
  const woken = await wakeDeliveries(store, now(), WOKEN_PER_ROUND);
  let claimed = await serveLargeEvents(work);
  const due = await listDueEndpoints(store, { after, nowMs: now(), limit });
  const full = new Set<string>();
  const paused = due.filter(({ isPaused }) => isPaused).map(({ endpointId }) => endpointId);
  if (paused.length > 0) claimed += await holdDeliveries(store, paused, WOKEN_PER_ROUND);
  for (const endpoint of due) {
    if (endpoint.isPaused) continue;
    const served = await serve(work, endpoint);
    if (served === "full") full.add(endpoint.endpointId);
    else claimed += served;
  }
  claimed += await retryEndpoints(work);
  const { yielding } = work.large;
  for (const endpointId of yielding) if (!full.has(endpointId)) yielding.delete(endpointId);
  const hasMore = claimed > 0 || woken === WOKEN_PER_ROUND;
  return { hasMore, last: due.length === limit ? (due.at(-1)?.endpointId ?? null) : null };
}

async function giveUp({ host: { store, now, log } }: Work) {
  const givenUp = await giveUpDeliveries(store, now(), WOKEN_PER_ROUND);
  if (givenUp.length === 0) return;
  const endpointIds = [...new Set(givenUp)];
  log.warn({ endpointIds, deliveries: givenUp.length }, "deliveries to webhooks were given up");
}

async function serve(work: Work, { endpointId, target }: DueEndpoint): Promise<number | "full"> {
  const { host, timing, slots } = work;
  if (!target) {
    await cancelDeliveries(host.store, endpointId, CANCELLED_PER_ROUND);
    return 0;
  }
  const { url, ...of } = target;
  const owner = { endpointId, ...of };
  const limit = slots.free(owner);
  if (limit === 0) return "full";
  const nowMs = host.now();
  const untilMs = nowMs + timing.leaseMs;
  const after = work.turns.get(endpointId) ?? null;
  const claimed = await claimDeliveries(host.store, { endpointId, after, nowMs, untilMs, limit });
  const last = claimed.at(-1);
  if (!last) return 0;
  keepNewest(work.turns, MAX_TURNS, endpointId, last.organizationId);
  slots.take(owner, claimed.length);
  startBatch(
    work,
    claimed.map((each) => ({ claimed: each, url, owner })),
  );
  return claimed.length;
}
