import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MarksFile, openMarks } from "./marks.ts";

const one = "11111111-1111-4111-8111-111111111111";
const two = "22222222-2222-4222-8222-222222222222";
const three = "33333333-3333-4333-8333-333333333333";
const [a, b, c] = ["aa", "bb", "cc"].map((byte) => byte.repeat(32)) as [string, string, string];

let directory: string;
let path: string;
let open: MarksFile[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-marks-"));
  path = join(directory, "marks");
  open = [];
});

afterEach(() => {
  for (const marks of open) marks.close();
  rmSync(directory, { recursive: true });
});

function start(options?: { max: number }): MarksFile {
  const marks = openMarks(path, options);
  open.push(marks);
  return marks;
}

function restart(options?: { max: number }): MarksFile {
  open.pop()?.close();
  return start(options);
}

const olderThan = /is older than version 5, which the signer has seen/;
const forked = /is not the one the signer has seen: the history was forked/;

test("the document that was seen and newer ones are accepted", () => {
  const marks = start();
  marks.check(one, 5, a);
  marks.check(one, 5, a);
  marks.check(one, 6, b);
  marks.check(two, 1, c);
  expect(marks.knows(one)).toBe(true);
  expect(marks.knows(three)).toBe(false);
});

test("an older or forked document is refused, also after the marks are reopened", () => {
  let marks = start();
  marks.check(one, 4, b);
  marks.check(one, 5, a);
  for (let i = 0; i < 2; i++) {
    expect(() => marks.check(one, 4, b)).toThrow(olderThan);
    expect(() => marks.check(one, 5, b)).toThrow(forked);
    expect(() => marks.move(one, 5, b)).toThrow(forked);
    marks.check(one, 5, a);
    marks = restart();
  }
});

test("a refused document leaves no trace", () => {
  const marks = start();
  marks.check(one, 5, a);
  expect(() => marks.check(one, 5, b)).toThrow(forked);
  marks.check(one, 5, a);
  expect(() => restart().check(one, 5, b)).toThrow(forked);
});

test("segments follow each other, and the newest may be repeated", () => {
  let marks = start();
  const first = { number: 1, digest: a };
  const second = { number: 2, digest: b };
  marks.extend(one, null, first);
  marks.extend(one, null, first);
  marks.extend(one, first, second);
  const refused = /does not follow the newest one the signer has sealed/;
  for (let i = 0; i < 2; i++) {
    expect(() => marks.extend(one, first, { number: 2, digest: c })).toThrow(refused);
    expect(() => marks.extend(one, null, { number: 1, digest: c })).toThrow(refused);
    expect(() => marks.extend(one, { number: 2, digest: c }, { number: 3, digest: c })).toThrow(
      refused,
    );
    marks.extend(two, { number: 7, digest: c }, { number: 8, digest: a });
    marks = restart();
  }
  marks.extend(one, second, { number: 3, digest: c });
});

test("the latest instant of the clock is kept", () => {
  const marks = start();
  expect(marks.clockMs()).toBe(0);
  marks.rememberClock(1_767_225_600_000);
  marks.rememberClock(1_000);
  expect(marks.clockMs()).toBe(1_767_225_600_000);
  expect(restart().clockMs()).toBe(1_767_225_600_000);
});

test("a record that a killed process cut or damaged is ignored, and those before it count", () => {
  const damages = [
    (bytes: number) => truncateSync(path, bytes - 1),
    (bytes: number) => truncateSync(path, bytes - 60),
    () => appendFileSync(path, Buffer.alloc(30, 7)),
    () => appendFileSync(path, Buffer.alloc(61, 7)),
  ];
  for (const [index, damage] of damages.entries()) {
    const marks = start();
    marks.check(one, 5 + index, a);
    marks.check(two, 1 + index, b);
    open.pop()?.close();
    damage(statSync(path).size);
    const after = start();
    expect(() => after.check(one, 4 + index, a)).toThrow(/older/);
    after.check(two, 1 + index, b);
    expect(() => restart().check(two, 1 + index, c)).toThrow(forked);
    open.pop()?.close();
  }
});

test("a reopened file holds one record for each mark, and only its owner can read it", () => {
  const marks = start();
  for (let version = 1; version <= 100; version++) marks.check(one, version, a);
  expect(readFileSync(path).length).toBeGreaterThan(100 * 61);
  restart();
  expect(readFileSync(path)).toHaveLength(2 * 61);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("marks are limited: the least recently seen is dropped, also after a restart", () => {
  let marks = start({ max: 2 });
  marks.check(one, 5, a);
  marks.check(two, 5, a);
  marks.check(one, 6, a);
  marks = restart({ max: 2 });
  marks.check(three, 5, a);
  expect(() => marks.check(one, 5, a)).toThrow(/older/);
  expect(() => marks.check(three, 4, a)).toThrow(/older/);
  expect(marks.knows(two)).toBe(false);
});

test("a log that has grown is compacted while it is in use, and keeps the newest marks", () => {
  const marks = openMarks(path);
  const digestOf = (version: number) => version.toString(16).padStart(64, "0");
  const [first, last] = [1, 80_000];
  for (let version = first; version <= last; version++) {
    marks.move("5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11", version, digestOf(version));
  }
  marks.close();
  expect(statSync(path).size).toBeLessThan(5 * 1024 * 1024);

  const again = openMarks(path);
  const check = (version: number) => () =>
    again.check("5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11", version, digestOf(version));
  expect(check(last - 1)).toThrow("older than version");
  expect(check(last)).not.toThrow();
  again.close();
});
