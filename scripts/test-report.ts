// Writes what a run of vitest found to the file of KEYHEARTH_TEST_REPORT: counts, and for each failure
// where it happened and the first lines of its message. Errors outside all tests are failures too.

import { writeFileSync } from "node:fs";
import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";

export type Counts = { passed: number; failed: number; skipped: number };
export type Duration = { file: string; seconds: number };
/**
 * `failures` has where each failure happened, and lines of its message. `failedFiles` is null if something failed outside
 * all files. `slowest` has the files that took longest, the slowest first.
 */
export type Report = Counts & {
  failures: string[];
  failedFiles: string[] | null;
  slowest: Duration[];
};

/** A command that failed is named in the first lines, and what it printed comes after them. */
const LINES = 12;

/** Of each step. */
const SLOWEST = 40;

// biome-ignore lint/style/noDefaultExport: vitest loads a reporter by its default export
export default class implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]) {
    const file = process.env.KEYHEARTH_TEST_REPORT;
    if (!file) throw new Error("KEYHEARTH_TEST_REPORT names no file for the report");
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const failures = [
      ...modules.flatMap(failuresOutsideTests),
      ...tests.flatMap(failuresOf),
      ...unhandled.map((error) => describe("outside all tests", error)),
    ];
    const report: Report = {
      passed: count("passed"),
      failed: failures.length,
      skipped: count("skipped"),
      failures,
      failedFiles:
        unhandled.length > 0
          ? null
          : modules.filter((module) => !module.ok()).map((module) => module.relativeModuleId),
      slowest: modules.map(durationOf).sort(bySlowest).slice(0, SLOWEST),
    };
    writeFileSync(file, JSON.stringify(report));
  }
}

function durationOf(module: TestModule): Duration {
  const { collectDuration, duration } = module.diagnostic();
  return { file: module.relativeModuleId, seconds: (collectDuration + duration) / 1000 };
}

export function bySlowest(a: Duration, b: Duration): number {
  return b.seconds - a.seconds;
}

/** A file that cannot be loaded, or whose set-up or end failed, counts once for each suite. */
function failuresOutsideTests(module: TestModule): string[] {
  const suites = [module, ...module.children.allSuites()];
  return suites.flatMap((suite) => {
    const [error] = suite.errors();
    return error ? [describe(module.relativeModuleId, error)] : [];
  });
}

function failuresOf(test: TestCase): string[] {
  const { state, errors } = test.result();
  if (state !== "failed") return [];
  return [describe(`${test.module.relativeModuleId}: ${test.fullName}`, errors[0])];
}

function describe(where: string, error: { message?: string } | undefined): string {
  const lines = (error?.message ?? "").split("\n").filter((line) => line.trim() !== "");
  const shown = lines.slice(0, LINES).map((line) => `\n       ${line.slice(0, 300)}`);
  return where + shown.join("");
}
