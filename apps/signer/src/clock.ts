import { ApiError } from "@keyhearth/engine/errors";

/** The signer refuses to work if the machine's clock steps back by more than this. */
const TOLERANCE_MS = 30_000;

/**
 * The signer's clock never runs backwards, because lifetimes and replay windows are measured with
 * it. After a small step back it repeats the last instant. After a large one the signer refuses to
 * work.
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
    /** The latest instant seen. The caller keeps it across restarts. */
    highest: () => lastMs,
  };
}
