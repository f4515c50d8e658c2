import { type ClockMemory, FIRST_BEGINNING, newClock } from "../clock/accepted-times.ts";
import type { MarksStore } from "./marks-store.ts";

/** Marks that are forgotten when the process ends, for the emulator, whose database is forgotten with them. */
export function createMemoryMarks(): MarksStore {
  const kept = new Map<number, Uint8Array>();
  let clock: ClockMemory = newClock(0);
  return {
    read: (bucket) => kept.get(bucket) ?? null,
    write(buckets) {
      for (const [bucket, content] of buckets) kept.set(bucket, content);
    },
    sync() {},
    beginning: () => FIRST_BEGINNING,
    clock: () => clock,
    clockMs: () => clock.latestMs,
    rememberClock(instantMs, accepted = clock.accepted) {
      clock = { ...clock, latestMs: Math.max(clock.latestMs, instantMs), accepted };
    },
    replaceClock(memory) {
      clock = memory;
    },
    close() {},
  };
}
