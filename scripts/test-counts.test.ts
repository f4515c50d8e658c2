import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { countTests, nameFailures } from "./test-counts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("a real report is counted, and a file that cannot be loaded is one failure", async () => {
  // Inside the repository, so that the files find vitest.
  await mkdir(join(root, ".cache"), { recursive: true });
  const directory = await mkdtemp(join(root, ".cache/counts-"));
  try {
    await writeFile(
      join(directory, "mixed.test.ts"),
      `import { expect, test } from "vitest";
      test("one", () => {});
      test("two", () => {});
      test("three", () => expect(1).toBe(2));
      test.skip("four", () => {});
      test.todo("five");`,
    );
    await writeFile(join(directory, "vitest.config.ts"), "export default {};");
    await writeFile(join(directory, "broken.test.ts"), `import "./missing.ts";`);
    const report = join(directory, "report.json");
    const args = ["run", "--root", directory];
    const vitest = join(root, "node_modules/.bin/vitest");
    const code = await promisify(execFile)(vitest, [
      ...args,
      "--reporter=json",
      `--outputFile=${report}`,
    ]).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    expect(code).toBe(1);
    expect(countTests(await readFile(report, "utf8"), code)).toEqual({
      passed: 2,
      failed: 2,
      skipped: 2,
    });
    expect(nameFailures(await readFile(report, "utf8")).sort()).toEqual([
      join(directory, "broken.test.ts"),
      `${join(directory, "mixed.test.ts")}: three`,
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a run without a report is one failure", () => {
  expect(countTests(undefined, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test("a run that failed outside its tests is one failure", () => {
  const report = {
    numPassedTests: 3,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
  };
  expect(countTests(JSON.stringify(report), 1)).toEqual({ passed: 3, failed: 1, skipped: 0 });
  expect(countTests(JSON.stringify(report), 0)).toEqual({ passed: 3, failed: 0, skipped: 0 });
});
