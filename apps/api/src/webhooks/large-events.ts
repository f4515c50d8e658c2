import { groupOf, type Owner } from "../families.ts";
import { createPace, type PaceLimits } from "../pace.ts";
import { claimEvent, listCausers, listDueLarge } from "../store/large-deliveries.ts";
import { type LargeEvents, startBatch, type Work } from "./batch.ts";
import type { SlotOwner } from "./slots.ts";

const ORGANIZATIONS_PER_ROUND = 200;

const MOST_REMEMBERED = 10_000;

export function createLargeEvents(limits: PaceLimits): LargeEvents {
  return { pace: createPace(limits), served: new Map(), after: null, yielding: new Set() };
}

/**
 * One turn for some organizations that cause large events, each of which is read, signed and sent as a whole for every
 * endpoint. So they have a pace, which is charged to whoever causes them: an application, or all its sub-organizations
 * together. Next among these is the one that was served longest ago. Small events do not wait for any of this.
 */
export async function serveLargeEvents(work: Work): Promise<number> {
  const { host, large } = work;
  const limit = ORGANIZATIONS_PER_ROUND;
  const nowMs = host.now();
  const causers = await listCausers(host.store, { after: large.after, nowMs, limit });
  large.after = causers.length === limit ? (causers.at(-1) ?? null) : null;
  const servedAt = (organizationId: string) => large.served.get(organizationId) ?? 0;
  causers.sort((a, b) => servedAt(a) - servedAt(b));
  let claimed = 0;
  for (const organizationId of causers) {
    const causer = await host.families.ownerOf(organizationId);
    if (large.pace.waitMs(groupOf(causer)) > 0) continue;
    claimed += await serve(work, causer);
  }
  return claimed;
}

/** Sends the oldest event of an organization to all endpoints that have a slot for it. */
async function serve(work: Work, causer: Owner): Promise<number> {
  const { host, large, slots, timing } = work;
  const { organizationId } = causer;
  const nowMs = host.now();
  const due = await listDueLarge(host.store, organizationId, nowMs);
  const taken = new Map<string, { owner: SlotOwner; url: string }>();
  const [event] = due.flatMap(({ endpointId, target: { url, ...of }, event }) => {
    const owner = { endpointId, ...of };
    if (large.yielding.has(endpointId) || slots.free(owner) === 0) return [];
    slots.take(owner, 1);
    taken.set(endpointId, { owner, url });
    return [event];
  });
  if (!event) return 0;
  try {
    const endpointIds = [...taken.keys()];
    const untilMs = nowMs + timing.leaseMs;
    const claimed = await claimEvent(host.store, event, { endpointIds, nowMs, untilMs });
    const batch = claimed.flatMap((each) => {
      const to = taken.get(each.endpointId);
      taken.delete(each.endpointId);
      return to ? [{ claimed: each, ...to }] : [];
    });
    if (batch.length === 0) return 0;
    for (const { claimed } of batch) {
      large.yielding.add(claimed.endpointId);
      large.pace.use(groupOf(causer), claimed.bytes);
    }
    noteServed(large, organizationId);
    startBatch(work, batch);
    return batch.length;
  } finally {
    for (const { owner } of taken.values()) slots.release(owner, null);
  }
}

function noteServed({ served }: LargeEvents, organizationId: string) {
  served.delete(organizationId);
  served.set(organizationId, performance.now());
  const [oldest] = served.keys();
  if (served.size > MOST_REMEMBERED && oldest !== undefined) served.delete(oldest);
}
