import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { afterRerun, filesToRerun, readReport } from "./test-counts.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("a real run is counted, with what fails outside of its tests", async () => {
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
    await writeFile(
      join(directory, "stray.test.ts"),
      `import { afterAll, test } from "vitest";
      test("six", () => void Promise.reject(new Error("nobody waits for this")));
      afterAll(() => { throw new Error("the end failed"); });`,
    );
    const file = join(directory, "report.json");
    const vitest = join(root, "node_modules/.bin/vitest");
    const reporter = join(root, "scripts/test-report.ts");
    const code = await promisify(execFile)(
      vitest,
      ["run", "--root", directory, `--reporter=${reporter}`],
      { env: { ...process.env, KEYHEARTH_TEST_REPORT: file } },
    ).then(
      () => 0,
      (error: { code: number }) => error.code,
    );
    expect(code).toBe(1);
    const report = readReport(await readFile(file, "utf8"), code);
    expect(report).toMatchObject({ passed: 3, failed: 4, skipped: 2 });
    expect(report.failures.sort()).toEqual([
      expect.stringMatching(/^broken\.test\.ts\n.*missing\.ts/),
      "mixed.test.ts: three\n       expected 1 to be 2 // Object.is equality",
      "outside all tests\n       nobody waits for this",
      "stray.test.ts\n       the end failed",
    ]);
    expect(report.failedFiles).toBeNull();
    expect(report.slowest.map(({ file }) => file).sort()).toEqual([
      "broken.test.ts",
      "mixed.test.ts",
      "stray.test.ts",
    ]);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test("a run without a report is one failure", () => {
  expect(readReport(undefined, 0)).toMatchObject({ passed: 0, failed: 1, skipped: 0 });
});

test("a run that failed although no test did is one failure", () => {
  const report = JSON.stringify({ passed: 3, failed: 0, skipped: 0, failures: [] });
  expect(readReport(report, 1)).toMatchObject({ passed: 3, failed: 1, skipped: 0 });
  expect(readReport(report, 0)).toMatchObject({ passed: 3, failed: 0, skipped: 0 });
});

const failed = (...files: string[]) => ({
  passed: 5,
  failed: files.length,
  skipped: 1,
  failures: files.map((file) => `${file}: one\n       Timeout`),
  failedFiles: files,
  slowest: files.map((file) => ({ file, seconds: 1 })),
});
const nothing = { passed: 0, failed: 0, skipped: 0, failures: [], failedFiles: [], slowest: [] };

test("a few files that failed run once more, and neither many nor what has no file", () => {
  expect(filesToRerun(nothing)).toEqual([]);
  expect(filesToRerun(failed("a.test.ts", "b.test.ts"))).toEqual(["a.test.ts", "b.test.ts"]);
  expect(filesToRerun(failed(..."abcdefg"))).toEqual([]);
  expect(filesToRerun({ ...failed("a"), failedFiles: null })).toEqual([]);
  expect(filesToRerun(readReport(undefined, 1))).toEqual([]);
});

test("what passes by itself has passed and is named, and what fails twice has failed", () => {
  const first = failed("a.test.ts");
  expect(afterRerun(first, { ...nothing, passed: 3 })).toMatchObject({
    passed: 6,
    failed: 0,
    failures: [],
    onlyAlone: first.failures,
  });
  expect(afterRerun(first, failed("a.test.ts"))).toEqual({ ...first, onlyAlone: [] });
  expect(afterRerun(first, readReport(undefined, 1))).toEqual({ ...first, onlyAlone: [] });
});
