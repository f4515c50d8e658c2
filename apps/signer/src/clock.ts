import { ApiError } from "@keyhearth/engine/errors";

/** How far the machine's clock may step back before the signer refuses to work: 30 seconds. */
const TOLERANCE_MS = 30_000;

/**
 * The signer's clock never runs backwards: a small step back repeats the last instant, a large one
 * stops the signer, because lifetimes and replay windows are measured with it.
 */
export function createClock(read: () => number, floorMs: number) {
  let lastMs = floorMs;
  return {
    now(): number {
      const readMs = read();
      if (readMs < lastMs - TOLERANCE_MS) {
        throw new ApiError(
          "UNAVAILABLE",
          "CLOCK_BACKWARDS",
          `the signer's clock went back by ${lastMs - readMs} ms; it refuses to work until the clock is right again`,
        );
      }
      lastMs = Math.max(lastMs, readMs);
      return lastMs;
    },
    /** The highest instant seen: to be kept across restarts. */
    highest: () => lastMs,
  };
}
