import { existsSync, globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { jobs, type Step, steps, stepsOf } from "./test-steps.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const workflow = read(".github/workflows/test.yml");

test("the workflow runs each job of npm test, and no other", () => {
  const [, list = ""] = /^ {8}job: \[(.+)\]$/m.exec(workflow) ?? [];
  expect(list.split(", ")).toEqual(jobs);
  expect(workflow).toMatch(/run: npm test -- --only=\$\{\{ matrix\.job \}\}\n/);
});

test("npm test runs every step of every job but those that are left to --all or must be named", () => {
  expect(new Set(jobs.flatMap((job) => stepsOf([job])))).toEqual(new Set(steps));
  const without = (some: readonly Step[]) =>
    new Set(steps.filter((step) => !some.includes(step)).map(({ job }) => job));
  expect(without(stepsOf(undefined, true))).toEqual(new Set(["advisories"]));
  expect(without(stepsOf(undefined))).toEqual(
    new Set(["advisories", "endpoints", "outages", "published", "alone"]),
  );
});

test("what continuous integration runs on one machine leaves nothing out", () => {
  expect(read(".ci/run")).toMatch(/^exec npm test -- --all$/m);
});

test("every file and folder of tests that a step names exists", () => {
  const named = steps.flatMap(({ command, longCommand = [] }) => [...command, ...longCommand]);
  const paths = named.filter((each) => /^(apps|packages|tests)\/[^*]+$/.test(each));
  expect(paths.length).toBeGreaterThan(20);
  const missing = paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)));
  expect(missing).toEqual([]);
});

/** What the arguments of vitest choose: paths that begin like one of its own, and like none that it excludes. */
function isChosen(file: string, args: readonly string[]): boolean {
  const begins = (pattern: string | undefined) => file.startsWith(`${pattern?.replace("**", "")}`);
  const excluded = args.filter((_, i) => args[i - 1] === "--exclude");
  const named = args.filter((each, i) => /^tests\//.test(each) && args[i - 1] !== "--exclude");
  return named.some(begins) && !excluded.some(begins);
}

test("every file of tests runs in one step of each form", () => {
  const files = globSync("tests/**/*.test.ts", {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
  });
  expect(files.length).toBeGreaterThan(200);
  const timesIn = (commands: readonly string[][], file: string) =>
    commands.filter((command) => isChosen(file, command)).length;
  const commands = steps.map(({ command }) => command);
  const longCommands = steps.map(({ command, longCommand }) => longCommand ?? command);
  const wrong = files.filter(
    (file) => timesIn(commands, file) !== 1 || timesIn(longCommands, file) !== 1,
  );
  expect(wrong).toEqual([]);
});

test("an action of somebody else is named by its commit", () => {
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, name]) => name);
  expect(actions).not.toEqual([]);
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/);
});
