import { keepNewest } from "@keyhearth/engine/memory/keep-newest";
import { groupOf, type Owner, pacedGroupsOf } from "../../fairness/families.ts";
import { createPace, type Pace, type PaceLimits } from "../../fairness/pace.ts";
import { claimEvent, listCausers, listDueLarge } from "../../store/large-deliveries.ts";
import { type LargeEvents, startBatch, type Work } from "./batch.ts";
import type { SlotOwner } from "./slots.ts";

const ORGANIZATIONS_PER_ROUND = 200;

const MAX_REMEMBERED = 10_000;

export function createLargeEvents(limits: {
  large: PaceLimits;
  largeOfSignups: PaceLimits;
}): LargeEvents {
  return {
    pace: createPace(limits.large),
    signups: createPace(limits.largeOfSignups),
    served: new Map(),
    after: null,
    yielding: new Set(),
  };
}

/**
 * One turn for some organizations that cause large events, each of which is read, signed and sent as a whole for every
 * endpoint. So they have a pace, which is charged to whoever causes them: an application, or all its sub-organizations
 * together. Families that signed up share it with others of their place, and have another one with all that did. Next among these is the one that was served longest ago. Small events do not wait for any of this.
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
    if (isResting(large, causer)) continue;
    claimed += await serve(work, causer);
  }
  return claimed;
}

/** Its own pace comes first. */
function pacesOf({ pace, signups }: LargeEvents, causer: Owner): [pace: Pace, who: string][] {
  const own = pacedGroupsOf(causer).map((group): [Pace, string] => [pace, group]);
  return causer.signup ? [...own, [signups, ""]] : own;
}

/** Anybody can sign up with many organizations, so one that used little still passes what others filled, once more. */
export function isResting(large: LargeEvents, causer: Owner): boolean {
  const times = large.pace.usedLittle(groupOf(causer)) ? 2 : 1;
  return pacesOf(large, causer).some(([pace, who], i) => pace.waitMs(who, i === 0 ? 1 : times) > 0);
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
      usePaces(large, causer, claimed.bytes);
    }
    noteServed(large, organizationId);
    startBatch(work, batch);
    return batch.length;
  } finally {
    for (const { owner } of taken.values()) slots.release(owner, null);
  }
}

export function usePaces(large: LargeEvents, causer: Owner, bytes: number) {
  for (const [pace, who] of pacesOf(large, causer)) pace.use(who, bytes);
}

function noteServed({ served }: LargeEvents, organizationId: string) {
  keepNewest(served, MAX_REMEMBERED, organizationId, performance.now());
}
