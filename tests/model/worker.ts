import { mutantNamed } from "./mutants.ts";
import { putFault } from "./put-fault.ts";
import type { Failure } from "./run.ts";

// A process that runs every n-th plan. It imports the core only after it knows what to put into it.

export type Work = {
  /** Seeds of plans: from, from + every, and so on, without the last. */
  from: number;
  to: number;
  every: number;
  /** Null for lengths that vary with the seed. */
  steps: number | null;
  isLong: boolean;
  mutant: string | null;
  /** How many failures are enough. */
  maxFailures: number;
  shrinks: boolean;
  untilMs: number;
};

/** A plan with this seed failed, and no later one matters. */
export type Stop = { lastSeed: number };

export type Report =
  | { kind: "ready" }
  | { kind: "progress"; plans: number; steps: number }
  | { kind: "failure"; failure: Failure }
  | { kind: "done" };

let lastSeed = Infinity;
process.on("message", (message: Work | Stop) => {
  if ("lastSeed" in message) lastSeed = Math.min(lastSeed, message.lastSeed);
  else void perform(message);
});
process.once("disconnect", () => process.exit());
report({ kind: "ready" });

async function perform(work: Work) {
  if (work.mutant !== null) putFault(mutantNamed(work.mutant));
  const { runSeed } = await import("./run.ts");
  const { shrink } = await import("./shrink.ts");
  const { lengthOf } = await import("./choose.ts");
  let failures = 0;
  let plans = 0;
  let steps = 0;
  for (let seed = work.from; seed < work.to; seed += work.every) {
    const length = work.steps ?? lengthOf(seed, work.isLong);
    const failure = named(seed, () => runSeed(seed, length));
    plans += 1;
    steps += length;
    if (failure) {
      report({ kind: "failure", failure: work.shrinks ? shrink(failure) : failure });
      failures += 1;
      if (failures >= work.maxFailures) break;
    }
    if (plans % 10 === 0) {
      report({ kind: "progress", plans, steps });
      [plans, steps] = [0, 0];
      // Lets messages come and go.
      await new Promise((resolve) => setImmediate(resolve));
      if (Date.now() >= work.untilMs || seed > lastSeed) break;
    }
  }
  report({ kind: "progress", plans, steps });
  // What is on its way would be lost with the channel.
  process.send?.({ kind: "done" } satisfies Report, undefined, undefined, () => process.exit());
}

/** The seed of a plan during which the model itself failed. */
function named<Result>(seed: number, run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new Error(`the plan of seed ${seed} could not be run`, { cause: error });
  }
}

function report(message: Report) {
  // Nobody listens if the run was ended.
  process.send?.(message, undefined, undefined, () => {});
}
