/** How many requests may be under way at once, in this process. */
export type SlotLimits = {
  /** A quarter of it is for families that hold nothing, and a quarter of a family's for such organizations. */
  total: number;
  /** Of the endpoints of a top-level organization and its sub-organizations together. */
  family: number;
  endpoint: number;
  /** Of all endpoints that were slow lately together. One of them gets one at a time at first, and a family half. */
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

/** Answers in time that earn one slot back for an endpoint that was slow. */
const ANSWERS_FOR_SLOT = 4;

const MAX_REMEMBERED = 10_000;

/**
 * A receiver that does not answer, and a tenant with many of them, must not hold up the others. Receivers that
 * hang and answer by turns are not known as slow while they hang, so no bound on slow ones is enough: part of
 * the slots is kept for those who hold none. They get one of these at a time.
 */
export function createSlots(limits: SlotLimits): Slots {
  const used = new Map<string, number>();
  /** Endpoints that were slow, and how many answers in time they have given since. */
  const slow = new Map<string, number>();
  /** Requests to slow endpoints, by family. */
  const slowUsed = new Map<string, number>();
  const kept = { total: Math.floor(limits.total / 4), family: Math.floor(limits.family / 4) };
  let total = 0;
  let slowTotal = 0;
  const usedBy = (key = "") => used.get(key) ?? 0;

  function add(owner: SlotOwner, count: number) {
    total += count;
    if (slow.has(owner.endpointId)) addSlow(owner, count);
    for (const key of Object.values(keysOf(owner))) {
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

  /** Without what is kept for others. */
  function freeForAll(owner: SlotOwner): number {
    const { endpoint, family } = keysOf(owner);
    const answers = slow.get(owner.endpointId);
    const earned = 1 + Math.floor((answers ?? 0) / ANSWERS_FOR_SLOT);
    return Math.min(
      limits.total - kept.total - total,
      limits.family - kept.family - usedBy(family),
      (answers === undefined ? limits.endpoint : earned) - usedBy(endpoint),
      answers === undefined ? limits.endpoint : freeForSlow(owner),
    );
  }

  /** Half of what is kept is for whole families, so that sub-organizations of others cannot use it up. */
  function isFreeForNewcomer(owner: SlotOwner): boolean {
    const { organization, family } = keysOf(owner);
    if (slow.has(owner.endpointId) || usedBy(organization) > 0) return false;
    const forFamilies = usedBy(family) > 0 ? Math.ceil(kept.total / 2) : 0;
    return total < limits.total - forFamilies && usedBy(family) < limits.family;
  }

  function noteSlow(owner: SlotOwner) {
    if (!slow.has(owner.endpointId)) addSlow(owner, usedBy(keysOf(owner).endpoint));
    slow.delete(owner.endpointId);
    slow.set(owner.endpointId, 0);
    if (slow.size <= MAX_REMEMBERED) return;
    // The requests of one that holds slots are counted as slow.
    for (const endpointId of slow.keys()) {
      if (used.has(endpointKey(endpointId))) continue;
      slow.delete(endpointId);
      return;
    }
  }

  function noteAnswer(owner: SlotOwner) {
    const answers = slow.get(owner.endpointId);
    if (answers === undefined) return;
    if (answers + 1 < (limits.endpoint - 1) * ANSWERS_FOR_SLOT) {
      slow.set(owner.endpointId, answers + 1);
      return;
    }
    addSlow(owner, -usedBy(keysOf(owner).endpoint));
    slow.delete(owner.endpointId);
  }

  return {
    free: (owner) => Math.max(isFreeForNewcomer(owner) ? 1 : 0, freeForAll(owner)),
    take: add,
    release(owner, tookMs) {
      add(owner, -1);
      if (tookMs === null) return;
      if (tookMs > SLOW_MS) noteSlow(owner);
      else noteAnswer(owner);
    },
    isFull: () => total >= limits.total,
  };
}

/** An endpoint's id can be that of its organization. */
const endpointKey = (endpointId: string) => `endpoint ${endpointId}`;

function keysOf({ endpointId, organizationId, familyId }: SlotOwner) {
  return {
    endpoint: endpointKey(endpointId),
    organization: `organization ${organizationId}`,
    family: `family ${familyId}`,
  };
}
