import { ApiError } from "@keyhearth/engine/errors";

/**
 * Answers to large bodies of one kind that are refused. Reading such bodies costs time, so all of them together are
 * answered at a steady pace.
 */
export type RefusalPace = {
  /** Waits for the next answer. Throws if too many wait already. */
  wait(): Promise<void>;
};

const EVERY_MS = 50;
const MAX_WAITING = 100;

/** @param tooMany what somebody is told for whom too many wait already */
export function createRefusalPace(tooMany: string, now = () => performance.now()): RefusalPace {
  let nextAt = 0;
  let waiting = 0;
  return {
    async wait() {
      if (waiting >= MAX_WAITING) throw new ApiError("RESOURCE_EXHAUSTED", "RATE_LIMITED", tooMany);
      const at = Math.max(nextAt, now());
      nextAt = at + EVERY_MS;
      const delayMs = at - now();
      if (delayMs <= 0) return;
      waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      waiting -= 1;
    },
  };
}
