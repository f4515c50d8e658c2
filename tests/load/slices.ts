import { machineSeconds, processorSecondsOfTree } from "../../bench/resources.ts";
import { type InSlices, joined, type Measured } from "./latencies.ts";

const SLICE_SECONDS = 5;

/** Of one core. */
const MOST_OF_OTHERS = 0.3;

/**
 * Measures in slices. One in which work that is not of this run took the processors does not count, unless
 * most are like that.
 */
export async function measureInSlices(
  seconds: number,
  measure: (seconds: number) => Promise<Measured>,
): Promise<InSlices> {
  const slices: { measured: Measured; others: number }[] = [];
  for (let left = seconds; left > 0; left -= SLICE_SECONDS) {
    const startedAt = performance.now();
    const before = secondsOfOthers();
    const measured = await measure(Math.min(left, SLICE_SECONDS));
    const tookSeconds = (performance.now() - startedAt) / 1000;
    slices.push({ measured, others: (secondsOfOthers() - before) / tookSeconds });
  }
  const quiet = slices.filter(({ others }) => others < MOST_OF_OTHERS);
  const counted = quiet.length * 4 > slices.length ? quiet : slices;
  const measured = joined(counted.map((each) => each.measured));
  return { ...measured, slices: slices.length, quiet: quiet.length };
}

function secondsOfOthers(): number {
  return machineSeconds() - processorSecondsOfTree(process.pid);
}
