import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { theMachine } from "../clock/clock.ts";
import { openSigner, type Signer } from "../signer.ts";
import { countStart } from "./starts-file.ts";

let directory: string;
let path: string;
let events: { event: string; [member: string]: unknown }[];
const log = (event: { event: string }) => void events.push(event);

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-starts-"));
  path = join(directory, "starts");
  events = [];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

const started = (starts: number) => ({ event: "signer started", starts });

test("each start is counted and logged", () => {
  expect([countStart(path, log), countStart(path, log), countStart(path, log)]).toEqual([1, 2, 3]);
  expect(events).toEqual([started(1), started(2), started(3)]);
  expect(readFileSync(path, "utf8")).toBe("3\n");
});

test.each(["", "three\n", "-3\n", "3.5\n", "9".repeat(16), "3\n4\n", "\0\0"])(
  "a damaged count, %j, is logged and begins again",
  (text) => {
    writeFileSync(path, text);
    expect(countStart(path, log)).toBe(1);
    expect(events).toMatchObject([
      { event: "the count of starts is damaged and begins again", path },
      started(1),
    ]);
    expect(countStart(path, log)).toBe(2);
  },
);

test("a count that was cut short while it was written is the one before", () => {
  countStart(path, log);
  writeFileSync(`${path}.new`, "");
  expect(countStart(path, log)).toBe(2);
});

test("a signer that cannot count its start logs that, and works", () => {
  mkdirSync(path);
  mkdirSync(`${path}.new`);
  expect(countStart(path, log)).toBe(1);
  expect(events.map(({ event }) => event)).toEqual([
    "the count of starts is damaged and begins again",
    "the start was not counted",
    "signer started",
  ]);
});

test("a signer says which run it is, and how often it has started with its state", () => {
  const stateDirectory = join(directory, "state");
  const open = () =>
    openSigner({
      stateDirectory,
      mayCreate: true,
      log,
      machine: { ...theMachine, now: () => 1_800_000_000_000 },
    });
  const runs = [1, 2, 3].map((starts) => {
    const signer = open();
    const { run } = describe(signer);
    expect(describe(signer)).toMatchObject({ run, starts, startedAtMs: 1_800_000_000_000 });
    signer.close();
    return run;
  });
  expect(new Set(runs).size).toBe(3);
  expect(events).toEqual([started(1), started(2), started(3)]);
});

test("a signer that does not open its state counts no start", () => {
  const stateDirectory = join(directory, "state");
  openSigner({ stateDirectory, mayCreate: true, log }).close();
  rmSync(join(stateDirectory, "marks"));
  expect(() => openSigner({ stateDirectory, mayCreate: false, log })).toThrow("the marks");
  expect(readFileSync(join(stateDirectory, "starts"), "utf8")).toBe("1\n");
});

function describe(signer: Signer) {
  const answer = signer.handle({ call: "describe" });
  if (answer.kind !== "description") throw new Error(`no description: ${answer.kind}`);
  return answer;
}
