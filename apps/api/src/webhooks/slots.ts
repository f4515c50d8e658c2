/** How many requests may be under way at once, in this process. */
export type SlotLimits = {
  total: number;
  /** Of the endpoints of a top-level organization and its sub-organizations together. */
  family: number;
  endpoint: number;
  /** Of all endpoints that were slow the last time together. One of them gets one at a time, and a family half. */
  slow: number;
};

export type Slots = {
  /** How many more requests the endpoint may have now. */
  free(endpoint: SlotOwner): number;
  take(endpoint: SlotOwner, count: number): void;
  /** Says how long the request took. Null if there was none. */
  release(endpoint: SlotOwner, tookMs: number | null): void;
  isFull(): boolean;
};

export type SlotOwner = { endpointId: string; organizationId: string; familyId: string };

/** A receiver that takes longer keeps others from the slots. */
const SLOW_MS = 2000;

/** A receiver that does not answer, and a tenant with many of them, must not hold up the others. */
export function createSlots(limits: SlotLimits): Slots {
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
    take: add,
    release(owner, tookMs) {
      add(owner, -1);
      if (tookMs === null) return;
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
