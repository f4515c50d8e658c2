/**
 * What the work of each owner cost lately, to serve next whoever took the least. What an owner took counts
 * half after each second.
 */
export type RecentCosts = {
  /** Undefined if the owner took nothing lately. */
  of(owner: string): Readonly<Cost> | undefined;
  charge(owner: string, cost: number): Readonly<Cost>;
  /** To be called before each charge of work that took long, and now and then, so that old costs are forgotten. */
  decay(atMs: number): void;
};

/** In milliseconds of a thread. The last one is as it was, while the others count less and less. */
export type Cost = { sum: number; heaviest: number; last: number };

const HALF_LIFE_MS = 1000;
const DECAY_EVERY_MS = 100;
const FORGOTTEN = 0.05;

export function createRecentCosts(startMs: number): RecentCosts {
  const costs = new Map<string, Cost>();
  let decayedAt = startMs;
  return {
    of: (owner) => costs.get(owner),
    charge(owner, cost) {
      const known = costs.get(owner) ?? { sum: 0, heaviest: 0, last: 0 };
      costs.set(owner, known);
      known.sum += cost;
      known.heaviest = Math.max(known.heaviest, cost);
      known.last = cost;
      return known;
    },
    decay(atMs) {
      const elapsedMs = atMs - decayedAt;
      if (elapsedMs < DECAY_EVERY_MS) return;
      decayedAt = atMs;
      const share = 0.5 ** (elapsedMs / HALF_LIFE_MS);
      for (const [owner, cost] of costs) {
        cost.sum *= share;
        cost.heaviest *= share;
        if (cost.sum < FORGOTTEN) costs.delete(owner);
      }
    },
  };
}
