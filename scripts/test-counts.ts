import type { Report } from "./test-report.ts";

/** The report of a run, or one failure if there is none, or if the run failed although no test did. */
export function readReport(text: string | undefined, exitCode: number): Report {
  if (text === undefined) return { ...NOTHING, failed: 1, failures: ["the run left no report"] };
  // Written by test-report.ts a moment ago.
  const report = JSON.parse(text) as Report;
  if (report.failed > 0 || exitCode === 0) return report;
  const failures = [`the run ended with exit code ${exitCode}`];
  return { ...report, failed: 1, failures, failedFiles: null };
}

/** More files than this do not fail because the machine is busy. */
const MOST_RERUN = 6;

/** The files that are worth a second run with nothing beside them. Those of a run with a fault of its own are not. */
export function filesToRerun({ failed, failedFiles }: Report): string[] {
  const files = failed > 0 ? (failedFiles ?? []) : [];
  return files.length <= MOST_RERUN ? files : [];
}

/**
 * What counts after a second run of the files that failed. A test that passes by itself has passed, and is named: either it
 * measures the machine, or what it tests has a race.
 */
export function afterRerun(first: Report, second: Report): Report & { onlyAlone: string[] } {
  if (second.failed > 0) return { ...first, onlyAlone: [] };
  return {
    passed: first.passed + first.failed,
    failed: 0,
    skipped: first.skipped,
    failures: [],
    failedFiles: [],
    slowest: first.slowest,
    onlyAlone: first.failures,
  };
}

const NOTHING = { passed: 0, skipped: 0, failedFiles: null, slowest: [] };
