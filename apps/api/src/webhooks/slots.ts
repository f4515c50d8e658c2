import { createPace, type PaceLimits } from "../pace.ts";

/** How many requests may be under way at once, in this process. */
export type SlotLimits = {
  total: number;
  /** Of the endpoints of a top-level organization and its sub-organizations together. */
  family: number;
  endpoint: number;
  /** Of all endpoints that were slow the last time together. One of them gets one at a time, and a family half. */
  slow: number;
  /** Bytes of large events for the endpoints of one organization. */
  large: PaceLimits;
};

export type Slots = {
  /** How many more requests the endpoint may have now. */
  free(endpoint: SlotOwner): number;
  /** The bytes are those of large events. */
  take(endpoint: SlotOwner, count: number, bytes?: number): void;
  release(endpoint: SlotOwner, tookMs: number): void;
  isFull(): boolean;
};

export type SlotOwner = { endpointId: string; organizationId: string; familyId: string };

/** A receiver that takes longer keeps others from the slots. */
const SLOW_MS = 2000;

/**
 * A receiver that does not answer, and a tenant with many of them, must not hold up the others. Nor must large events:
 * each is read, signed and sent again for every endpoint.
 */
export function createSlots(limits: SlotLimits): Slots {
  const large = createPace(limits.large);
  const used = new Map<string, number>();
  const slow = new Set<string>();
  /** Requests to slow endpoints, by family. */
  const slowUsed = new Map<string, number>();
  let total = 0;
  let slowTotal = 0;
  // An endpoint's id can be that of its organization.
  const keysOf = ({ endpointId, familyId }: SlotOwner) => [
    `endpoint ${endpointId}`,
    `family ${familyId}`,
  ];
  const usedBy = (key = "") => used.get(key) ?? 0;

  function add(owner: SlotOwner, count: number) {
    total += count;
    if (slow.has(owner.endpointId)) addSlow(owner, count);
    for (const key of keysOf(owner)) {
      const next = usedBy(key) + count;
      if (next > 0) used.set(key, next);
      else used.delete(key);
    }
  }

  function addSlow({ familyId }: SlotOwner, count: number) {
    slowTotal += count;
    const next = (slowUsed.get(familyId) ?? 0) + count;
    if (next > 0) slowUsed.set(familyId, next);
    else slowUsed.delete(familyId);
  }

  /** No family has more than half of what all slow endpoints get. */
  function freeForSlow({ familyId }: SlotOwner): number {
    const half = Math.ceil(limits.slow / 2);
    return Math.min(limits.slow - slowTotal, half - (slowUsed.get(familyId) ?? 0));
  }

  return {
    free(owner) {
      if (large.waitMs(owner.organizationId) > 0) return 0;
      const [endpoint, family] = keysOf(owner);
      const isSlow = slow.has(owner.endpointId);
      return Math.max(
        0,
        Math.min(
          limits.total - total,
          limits.family - usedBy(family),
          (isSlow ? 1 : limits.endpoint) - usedBy(endpoint),
          isSlow ? freeForSlow(owner) : limits.endpoint,
        ),
      );
    },
    take(owner, count, bytes = 0) {
      add(owner, count);
      if (bytes > 0) large.use(owner.organizationId, bytes);
    },
    release(owner, tookMs) {
      add(owner, -1);
      const [endpoint] = keysOf(owner);
      const isSlow = tookMs > SLOW_MS;
      if (isSlow === slow.has(owner.endpointId)) return;
      addSlow(owner, (isSlow ? 1 : -1) * usedBy(endpoint));
      if (isSlow) slow.add(owner.endpointId);
      else slow.delete(owner.endpointId);
    },
    isFull: () => total >= limits.total,
  };
}
