// Counts the tests of a vitest run and names the failed ones, from its JSON report.

export type Counts = { passed: number; failed: number; skipped: number };

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: Array<{
    name: string;
    status: string;
    assertionResults: Array<{ status: string; fullName: string }>;
  }>;
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

/** The file and the name of each failed test, and the file alone if it cannot be loaded. */
export function nameFailures(report: string | undefined): string[] {
  if (report === undefined) return [];
  const { testResults } = JSON.parse(report) as Report;
  return testResults.flatMap(({ name: file, status, assertionResults }) => {
    if (status !== "failed") return [];
    const failed = assertionResults.filter((result) => result.status === "failed");
    return failed.length > 0 ? failed.map(({ fullName }) => `${file}: ${fullName}`) : [file];
  });
}
