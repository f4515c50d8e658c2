import type { Report } from "./test-report.ts";

/** The report of a run, or one failure if there is none, or if the run failed although no test did. */
export function readReport(text: string | undefined, exitCode: number): Report {
  if (text === undefined) return { ...NOTHING, failed: 1, failures: ["the run left no report"] };
  // Written by test-report.ts a moment ago.
  const report = JSON.parse(text) as Report;
  if (report.failed > 0 || exitCode === 0) return report;
  return { ...report, failed: 1, failures: [`the run ended with exit code ${exitCode}`] };
}

const NOTHING = { passed: 0, skipped: 0 };
