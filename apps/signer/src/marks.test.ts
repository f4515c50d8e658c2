import { statSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestMarks, type TestMarks } from "./marks.testing.ts";

const one = "11111111-1111-4111-8111-111111111111";
/** In the same bucket as `one`. */
const beside = "11112222-2222-4222-8222-222222222222";
const two = "22222222-2222-4222-8222-222222222222";
const three = "33333333-3333-4333-8333-333333333333";
const [a, b, c] = ["aa", "bb", "cc"].map((byte) => byte.repeat(32)) as [string, string, string];

let marks: TestMarks;

beforeEach(() => {
  marks = createTestMarks();
});

afterEach(() => marks.remove());

const olderThan = /is older than version 5, which the signer has seen/;
const forked = /is not the one the signer has seen: the history was forked/;

function at(
  organizationId: string,
  version: number,
  digest: string,
  previousDigest: string | null = null,
) {
  return { organizationId, version, digest, previousDigest };
}

/** The marks as they are, and as they are read again. */
function* twice(opened: ReturnType<TestMarks["open"]>, options?: { maxDecoded: number }) {
  yield opened;
  yield marks.open(options);
}

test("asking moves no mark: a newer document is not confirmed until it is moved to", () => {
  const opened = marks.open();
  expect(opened.isConfirmed(at(one, 5, a))).toBe(false);
  expect(opened.knows(one)).toBe(false);
  opened.move([at(one, 5, a)]);
  expect(opened.isConfirmed(at(one, 5, a))).toBe(true);
  expect(opened.isConfirmed(at(one, 6, b, a))).toBe(false);
  expect(opened.isConfirmed(at(one, 5, a))).toBe(true);
  expect(opened.knows(one)).toBe(true);
  expect(opened.knows(beside)).toBe(false);
});

test("an older or forked document is refused, also after the marks are reopened", () => {
  let opened = marks.open();
  opened.move([at(one, 4, b)]);
  opened.move([at(one, 5, a, b)]);
  for (let i = 0; i < 2; i++) {
    for (const ask of [
      opened.isConfirmed,
      (document: ReturnType<typeof at>) => opened.move([document]),
    ]) {
      expect(() => ask(at(one, 4, b))).toThrow(olderThan);
      expect(() => ask(at(one, 5, b))).toThrow(forked);
    }
    opened.move([at(one, 5, a)]);
    expect(opened.isConfirmed(at(one, 5, a))).toBe(true);
    opened = marks.open();
  }
});

test("the next document must follow the marked one by its digest", () => {
  const opened = marks.open();
  opened.move([at(one, 5, a)]);
  expect(() => opened.move([at(one, 6, c, b)])).toThrow(forked);
  expect(() => opened.move([at(one, 6, c, null)])).toThrow(forked);
  // After a power cut the mark may lag behind. Then the chain cannot be followed.
  opened.move([at(one, 7, c, b)]);
  expect(opened.isConfirmed(at(one, 7, c))).toBe(true);
});

test("documents are moved to all at once, or none of them", () => {
  const opened = marks.open();
  opened.move([at(one, 5, a), at(beside, 1, b), at(two, 1, c)]);
  expect(() => opened.move([at(beside, 2, c, b), at(one, 5, b)])).toThrow(forked);
  for (const each of twice(opened)) {
    expect(each.isConfirmed(at(one, 5, a))).toBe(true);
    expect(each.isConfirmed(at(beside, 1, b))).toBe(true);
    expect(each.isConfirmed(at(two, 1, c))).toBe(true);
  }
});

test("segments follow each other, and the newest may be repeated", () => {
  let opened = marks.open();
  const first = { number: 1, digest: a };
  const second = { number: 2, digest: b };
  opened.extend(one, null, first);
  opened.extend(one, null, first);
  opened.extend(one, first, second);
  opened.move([at(one, 1, c)]);
  const refused = /does not follow the newest one the signer has sealed/;
  for (let i = 0; i < 2; i++) {
    expect(() => opened.extend(one, first, { number: 2, digest: c })).toThrow(refused);
    expect(() => opened.extend(one, null, { number: 1, digest: c })).toThrow(refused);
    expect(() => opened.extend(one, { number: 2, digest: c }, { number: 3, digest: c })).toThrow(
      refused,
    );
    opened.extend(two, { number: 7, digest: c }, { number: 8, digest: a });
    expect(opened.knows(two)).toBe(false);
    opened = marks.open();
  }
  opened.extend(one, second, { number: 3, digest: c });
  expect(opened.isConfirmed(at(one, 1, c))).toBe(true);
});

test("the latest instant of the clock is kept", () => {
  const opened = marks.open();
  expect(opened.clockMs()).toBe(0);
  opened.rememberClock(1_767_225_600_000);
  opened.rememberClock(1_000);
  expect(opened.clockMs()).toBe(1_767_225_600_000);
  expect(marks.open().clockMs()).toBe(1_767_225_600_000);
});

test("no mark is dropped, however many organizations were seen since", () => {
  const opened = marks.open({ maxDecoded: 2 });
  const ids = Array.from(
    { length: 300 },
    (_, index) => `${index.toString(16).padStart(8, "0")}-1111-4111-8111-111111111111`,
  );
  for (const [index, id] of ids.entries()) opened.move([at(id, index + 2, a)]);
  for (const each of twice(opened, { maxDecoded: 2 })) {
    for (const [index, id] of ids.entries()) {
      expect(each.isConfirmed(at(id, index + 2, a))).toBe(true);
      expect(() => each.isConfirmed(at(id, index + 1, a))).toThrow(/older/);
    }
  }
  expect(opened.knows(three)).toBe(false);
});

test("a file with many changes stays small, and only its owner can read it", () => {
  const opened = marks.open();
  for (let version = 1; version <= 3000; version++) {
    opened.move([at(one, version, a, version === 1 ? null : a)]);
  }
  for (const path of [marks.path, `${marks.path}-wal`]) {
    expect(statSync(path).size).toBeLessThan(5 * 1024 * 1024);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
});
