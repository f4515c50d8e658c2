import type { CoreEvent, Time } from "@keyhearth/engine/core/core";
import { beginsSpan, type ClockMemory, includes, type Span, withTime } from "./accepted-times.ts";
import { createClock, type Machine } from "./clock.ts";

type Keeping = {
  log: (event: CoreEvent) => void;
  /** Writes to the disk. */
  keep: (latestMs: number, accepted: Span[]) => void;
};

/** The signer's clock and the timestamps that it accepts, kept across restarts. */
export function createTime(
  { latestMs, accepted: before, refused }: ClockMemory,
  machine: Machine,
  { log, keep }: Keeping,
): Time & { now(): number; remember(): void } {
  let accepted = before;
  let jumps = 0;
  const clock = createClock(machine, latestMs, ({ fromMs, toMs, byMs }) => {
    jumps += 1;
    const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
    log({ event: "the clock jumped", from, to, seconds: Math.round(byMs / 1000) });
  });
  const remember = () => keep(clock.latest(), accepted);
  return {
    now: clock.now,
    peek: clock.peek,
    jumps: () => jumps,
    isSpent: (timestampMs) => includes(refused, timestampMs),
    use(timestampMs) {
      const isFirst = beginsSpan(accepted, timestampMs);
      accepted = withTime(accepted, timestampMs);
      // The last seconds of a span may be lost, and not all of it.
      if (isFirst) remember();
    },
    remember,
  };
}
