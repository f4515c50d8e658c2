import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { jobs, steps, stepsOf } from "./test-steps.ts";

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const workflow = read(".github/workflows/test.yml");

test("the workflow runs each job of npm test, and no other", () => {
  const [, list = ""] = /^ {8}job: \[(.+)\]$/m.exec(workflow) ?? [];
  expect(list.split(", ")).toEqual(jobs);
  expect(workflow).toMatch(/run: npm test -- --only=\$\{\{ matrix\.job \}\}\n/);
});

test("npm test runs every step of every job but those that must be named", () => {
  expect(new Set(jobs.flatMap((job) => stepsOf([job])))).toEqual(new Set(steps));
  const left = steps.filter((step) => !stepsOf(undefined).includes(step));
  expect(left.map(({ job }) => job)).toEqual(["advisories"]);
});

test("every file and folder of tests that a step names exists", () => {
  const named = steps.flatMap(({ command, longCommand = [] }) => [...command, ...longCommand]);
  const paths = named.filter((each) => /^(apps|packages|tests)\/[^*]+$/.test(each));
  expect(paths.length).toBeGreaterThan(20);
  const missing = paths.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)));
  expect(missing).toEqual([]);
});

test("an action of somebody else is named by its commit", () => {
  const actions = [...workflow.matchAll(/uses: (\S+)/g)].map(([, name]) => name);
  expect(actions).not.toEqual([]);
  for (const action of actions) expect(action).toMatch(/@[0-9a-f]{40}$/);
});
