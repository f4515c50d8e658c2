// Counts the tests of a vitest run, from its JSON report.

export type Counts = { passed: number; failed: number; skipped: number };

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: Array<{ status: string; assertionResults: Array<{ status: string }> }>;
};

/** A file that cannot be loaded is a failure, and so is a run that failed without a failed test. */
export function countTests(report: string | undefined, exitCode: number): Counts {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    report,
  ) as Report;
  const brokenFiles = testResults.filter(
    ({ status, assertionResults }) =>
      status === "failed" && assertionResults.every((result) => result.status !== "failed"),
  ).length;
  const failed = numFailedTests + brokenFiles;
  return {
    passed: numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: numPendingTests + numTodoTests,
  };
}
