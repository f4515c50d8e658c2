import {
  claimProbe,
  endPauses,
  holdDeliveries,
  listRetries,
  type Probe,
  type Retry,
  releaseDeliveries,
} from "../../store/paused-endpoints.ts";
import { LARGE_BYTES } from "../../store/webhook-deliveries.ts";
import { startBatch, type Work } from "./batch.ts";
import { isResting, usePaces } from "./large-events.ts";

const ENDPOINTS_PER_ROUND = 200;
const RELEASED_PER_ROUND = 1000;
const HELD_PER_ROUND = 1000;

/**
 * Tries paused endpoints whose time has come, each with one delivery, and releases what was held for endpoints that are
 * no longer paused. Returns how many deliveries it took or released.
 */
export async function retryEndpoints(work: Work): Promise<number> {
  const { store, now } = work.host;
  const limit = ENDPOINTS_PER_ROUND;
  const list = () => listRetries(store, { after: work.lastRetry, nowMs: now(), limit });
  let due = await list();
  const paused = due.filter(({ isPaused }) => isPaused).map(({ endpointId }) => endpointId);
  // What was asked for again may have come since this round held what was awake. It is tried first, once it is held too.
  const hasMore = paused.length > 0 && (await holdDeliveries(store, paused, HELD_PER_ROUND)) > 0;
  if (hasMore) due = await list();
  work.lastRetry = due.length === limit ? (due.at(-1) ?? null) : null;
  const released = due.filter(({ isPaused }) => !isPaused).map(({ endpointId }) => endpointId);
  let count = 0;
  if (released.length > 0) count += await releaseDeliveries(store, released, RELEASED_PER_ROUND);
  const ended = due.filter(({ isPaused, probe }) => !isPaused || !probe);
  if (ended.length > 0) await endPauses(store, ended);
  for (const { probe, ...endpoint } of due) {
    if (endpoint.isPaused && probe && (await tryWith(work, endpoint, probe))) count += 1;
  }
  return count;
}

async function tryWith(
  work: Work,
  { endpointId, retryAtMs, target: { url, ...of } }: Omit<Retry, "probe">,
  { deliveryId, organizationId, bytes }: Probe,
): Promise<boolean> {
  const { host, large, slots, timing } = work;
  const owner = { endpointId, ...of };
  if (slots.free(owner) === 0) return false;
  const causer = bytes < LARGE_BYTES ? null : await host.families.ownerOf(organizationId);
  if (causer && isResting(large, causer)) return false;
  const untilMs = host.now() + timing.leaseMs;
  const claimed = await claimProbe(host.store, { endpointId, retryAtMs, deliveryId }, untilMs);
  if (!claimed) return false;
  if (causer) usePaces(large, causer, bytes);
  slots.take(owner, 1);
  startBatch(work, [{ claimed, url, owner }]);
  return true;
}
