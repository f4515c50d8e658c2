import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { covered, leftOut, modules } from "./mutate/modules.ts";
import { judge, readListed, readReport } from "./mutate/survivors.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

const source = "if (a || b) {\n  return `x`;\n}\n";
const mutant = (status: string, line: number, columns: [number, number], replacement: string) => ({
  mutatorName: "any",
  replacement,
  status,
  location: { start: { line, column: columns[0] }, end: { line, column: columns[1] } },
});

function report(...mutants: object[]) {
  return readReport(JSON.stringify({ files: { "a.ts": { source, mutants } } }));
}

const survivor = mutant("Survived", 1, [5, 11], "a && b");
const row = "| `a.ts` | `if (a ¦¦ b) {` | `a ¦¦ b → a && b` |";

test("a fault that no test notices must be listed with the code that it changes", () => {
  const faults = report(...Array(9).fill(mutant("Killed", 2, [3, 14], "")), survivor);
  const unlisted = judge("m", faults, []);
  expect(unlisted).toEqual({
    module: "m",
    caught: 9,
    total: 10,
    unlisted: [`${row} … |`],
    outdated: [],
    isPassed: false,
  });
  const listed = readListed(`# Title\n\n| file |\n| --- |\n${row} both are the same here |\n`);
  expect(judge("m", faults, listed)).toMatchObject({ unlisted: [], outdated: [], isPassed: true });
});

test("code that ends a cell or a piece of code is written otherwise", () => {
  const [fault] = report(mutant("NoCoverage", 2, [10, 13], "``"));
  expect(judge("m", fault ? [fault] : [], []).unlisted).toEqual([
    "| `a.ts` | `return ´x´;` | `´x´ → ´´` | … |",
  ]);
});

test("nine of ten faults must be noticed, even if the others are listed", () => {
  const faults = report(...Array(8).fill(mutant("Timeout", 2, [3, 14], "")), survivor);
  expect(judge("m", faults, readListed(`${row} reason |`))).toMatchObject({ isPassed: false });
  expect(judge("m", [], [])).toMatchObject({ isPassed: false });
});

test("a row without its fault is reported, if its file was looked at", () => {
  const faults = report(mutant("Killed", 1, [5, 11], "a && b"));
  const listed = readListed(`${row} reason |\n| \`b.ts\` | \`c\` | \`d → e\` | reason |\n`);
  expect(judge("m", faults, listed).outdated).toEqual([`${row} reason |`]);
  expect(judge("m", faults, listed).isPassed).toBe(false);
});

test("faults that never ran do not count", () => {
  expect(report(mutant("CompileError", 1, [5, 11], ""), mutant("Ignored", 1, [5, 11], ""))).toEqual(
    [],
  );
});

test("every module has files, and tests that exist", () => {
  for (const { name, mutate, tests } of modules) {
    for (const pattern of mutate) {
      expect(globSync(pattern, { cwd: root }).length, `${name}: ${pattern}`).toBeGreaterThan(0);
    }
    for (const pattern of tests) {
      expect(globSync(pattern, { cwd: root }).length, `${name}: ${pattern}`).toBeGreaterThan(0);
    }
  }
});

test("every file of a folder that is covered as a whole is in a module, or left out with a reason", () => {
  const filesOf = (patterns: readonly string[]) => globSync([...patterns], { cwd: root });
  const known = new Set(
    filesOf([...modules.flatMap(({ mutate }) => mutate), ...Object.keys(leftOut)]),
  );
  const files = filesOf(covered.map((folder) => `${folder}/*.ts`));
  expect(files.length).toBeGreaterThan(90);
  const missing = files.filter((file) => !known.has(file) && !/\.(test|testing)\.ts$/.test(file));
  expect(missing).toEqual([]);
  for (const [pattern, reason] of Object.entries(leftOut)) {
    expect(filesOf([pattern]).length, pattern).toBeGreaterThan(0);
    expect(reason, pattern).not.toBe("");
  }
});

test("no file is in two modules", () => {
  const files = modules.flatMap(({ mutate }) => globSync([...mutate], { cwd: root }));
  const twice = files.filter((file, index) => files.indexOf(file) !== index);
  expect(twice).toEqual([]);
});

test("every row of the list has a reason, and a file that exists", () => {
  const page = readFileSync(new URL("../tests/mutation/survivors.md", import.meta.url), "utf8");
  for (const cells of readListed(page)) {
    expect(cells, cells.join()).toHaveLength(4);
    expect(cells[3]?.length, cells.join()).toBeGreaterThan(20);
    expect(existsSync(`${root}${cells[0]?.replaceAll("`", "")}`), cells[0]).toBe(true);
  }
});
