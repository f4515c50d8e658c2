import { type ChildProcess, fork } from "node:child_process";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import type { Failure } from "./run.ts";
import type { Report, Stop, Work } from "./worker.ts";

export type Run = {
  seed: number;
  plans: number;
  steps?: number;
  isLong?: boolean;
  mutant?: string;
  maxFailures?: number;
  shrinks?: boolean;
  minutes?: number;
  processes?: number;
  onProgress?: (plans: number) => void;
};

export type RunOutcome = { plans: number; steps: number; seconds: number; failures: Failure[] };

/** Where other tests keep compiled modules too. Loading them takes a third of the time then. */
const compiled = fileURLToPath(
  new URL("../../node_modules/.cache/keyhearth/compiled", import.meta.url),
);

/** Runs plans in several processes. Each ends by itself once it has found enough. */
export async function runMany({
  seed,
  plans,
  steps,
  isLong = false,
  mutant,
  maxFailures = 1,
  shrinks = true,
  minutes = 24 * 60,
  processes = availableParallelism(),
  onProgress = () => {},
}: Run): Promise<RunOutcome> {
  const started = performance.now();
  const outcome: RunOutcome = { plans: 0, steps: 0, seconds: 0, failures: [] };
  const work = (index: number): Work => ({
    from: seed + index,
    to: seed + plans,
    every: processes,
    steps: steps ?? null,
    isLong,
    mutant: mutant ?? null,
    maxFailures,
    shrinks,
    untilMs: Date.now() + minutes * 60_000,
  });
  const children: ChildProcess[] = [];
  const onReport = (report: Report) => {
    if (report.kind === "failure") {
      outcome.failures.push(report.failure);
      const stop: Stop = { lastSeed: report.failure.plan.seed };
      // One that has just ended does not need it.
      if (maxFailures === 1) for (const child of children) child.send(stop, () => {});
    }
    if (report.kind !== "progress") return;
    outcome.plans += report.plans;
    outcome.steps += report.steps;
    onProgress(outcome.plans);
  };
  await Promise.all(
    Array.from({ length: processes }, (_, index) => {
      const child = fork(fileURLToPath(new URL("worker.ts", import.meta.url)), [], {
        // Refused requests make errors that nobody reads.
        execArgv: ["--max-semi-space-size=16", "--stack-trace-limit=4"],
        env: { ...process.env, NODE_COMPILE_CACHE: compiled },
      });
      children.push(child);
      return finished(child, work(index), onReport);
    }),
  );
  outcome.failures.sort((a, b) => a.plan.seed - b.plan.seed);
  outcome.seconds = (performance.now() - started) / 1000;
  return outcome;
}

function finished(
  child: ChildProcess,
  work: Work,
  onReport: (report: Report) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let isDone = false;
    child.on("message", (report: Report) => {
      if (report.kind === "ready") child.send(work);
      if (report.kind === "done") isDone = true;
      onReport(report);
    });
    child.once("error", reject);
    child.once("exit", (code) => {
      if (isDone) resolve();
      else reject(new Error(`a process that runs plans ended with ${code}`));
    });
  });
}
