import { statSync } from "node:fs";
import { ApiError } from "@keyhearth/engine/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestMarks, type TestMarks } from "./marks.testing.ts";
import { createMarks } from "./marks.ts";
import { openMarksFile } from "./marks-file.ts";
import type { MarksStore } from "./marks-store.ts";

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

const stale = (message: string) =>
  new ApiError(
    "UNAVAILABLE",
    "STALE_RECORD",
    `${message}; if the database was just restored from a backup, stop the signer and run \`npm run signer -- accept-restored-database\` on its machine, otherwise find out who changed the database`,
  );
const olderThan = stale(
  `document version 4 of organization ${one} is older than version 5, which the signer has seen`,
);
const forkedAt = (version: number) =>
  stale(
    `document version ${version} of organization ${one} is not the one the signer has seen: the history was forked`,
  );

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
      expect(() => ask(at(one, 5, b))).toThrow(forkedAt(5));
    }
    opened.move([at(one, 5, a)]);
    expect(opened.isConfirmed(at(one, 5, a))).toBe(true);
    opened = marks.open();
  }
});

test("the next document must follow the marked one by its digest", () => {
  const opened = marks.open();
  opened.move([at(one, 5, a)]);
  expect(() => opened.move([at(one, 6, c, b)])).toThrow(forkedAt(6));
  expect(() => opened.move([at(one, 6, c, null)])).toThrow(forkedAt(6));
  // After a power cut the mark may lag behind. Then the chain cannot be followed.
  opened.move([at(one, 7, c, b)]);
  expect(opened.isConfirmed(at(one, 7, c))).toBe(true);
});

test("documents are moved to all at once, or none of them", () => {
  const opened = marks.open();
  opened.move([at(one, 5, a), at(beside, 1, b), at(two, 1, c)]);
  expect(() => opened.move([at(beside, 2, c, b), at(one, 5, b)])).toThrow(forkedAt(5));
  for (const each of twice(opened)) {
    expect(each.isConfirmed(at(one, 5, a))).toBe(true);
    expect(each.isConfirmed(at(beside, 1, b))).toBe(true);
    expect(each.isConfirmed(at(two, 1, c))).toBe(true);
  }
});

test("several documents of one organization are moved to in their order", () => {
  const opened = marks.open();
  opened.move([at(one, 5, a), at(one, 6, b, a), at(two, 1, c)]);
  for (const each of twice(opened)) {
    expect(each.isConfirmed(at(one, 6, b))).toBe(true);
    expect(each.isConfirmed(at(two, 1, c))).toBe(true);
  }
  expect(() => marks.open().move([at(one, 7, a, b), at(one, 8, b, c)])).toThrow(forkedAt(8));
  expect(marks.open().isConfirmed(at(one, 6, b))).toBe(true);
});

test("segments follow each other, and the newest may be repeated", () => {
  let opened = marks.open();
  const first = { number: 1, digest: a };
  const second = { number: 2, digest: b };
  opened.extend(one, null, first);
  opened.extend(one, null, first);
  opened.extend(one, first, second);
  opened.move([at(one, 1, c)]);
  const refused = (number: number) =>
    stale(
      `segment ${number} of organization ${one} does not follow the newest one the signer has sealed`,
    );
  for (let i = 0; i < 2; i++) {
    for (const [previous, next] of [
      [first, { number: 2, digest: c }],
      [null, { number: 1, digest: c }],
      [null, { number: 3, digest: b }],
      [
        { number: 2, digest: c },
        { number: 3, digest: c },
      ],
      [
        { number: 1, digest: b },
        { number: 3, digest: c },
      ],
    ] as const) {
      expect(() => opened.extend(one, previous, next)).toThrow(refused(next.number));
    }
    opened.extend(one, null, second);
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

/** The real store, and what is asked of it. */
function counted(maxDecoded?: number) {
  marks.close();
  const store = openMarksFile(marks.path, { keyring: marks.keyring, log: () => {} });
  const asked = { reads: 0, writes: 0 };
  const counting: MarksStore = {
    ...store,
    read(bucket) {
      asked.reads += 1;
      return store.read(bucket);
    },
    write(buckets) {
      asked.writes += 1;
      store.write(buckets);
    },
  };
  const opened = createMarks(counting, maxDecoded === undefined ? {} : { maxDecoded });
  /** How often the disk is read or written meanwhile. */
  const during = (work: () => void) => {
    const before = { ...asked };
    work();
    return { reads: asked.reads - before.reads, writes: asked.writes - before.writes };
  };
  return { opened, during, close: () => store.close() };
}

test("what is there already is not written again", () => {
  const { opened, during, close } = counted();
  const segment = { number: 1, digest: a };
  expect(during(() => opened.move([at(one, 5, a), at(two, 1, a)])).writes).toBe(1);
  expect(during(() => opened.extend(one, null, segment)).writes).toBe(1);
  expect(during(() => opened.move([at(one, 5, a), at(two, 1, a)])).writes).toBe(0);
  expect(during(() => opened.move([])).writes).toBe(0);
  expect(during(() => opened.extend(one, null, segment)).writes).toBe(0);
  expect(during(() => opened.move([at(one, 5, a), at(two, 2, b, a)])).writes).toBe(1);
  close();
});

test("what was used last is in memory, and no more than that", () => {
  const { opened, during, close } = counted(2);
  opened.move([at(one, 5, a)]);
  opened.move([at(two, 5, a)]);
  const reads = (...ids: string[]) =>
    during(() => {
      for (const id of ids) expect(opened.isConfirmed(at(id, 5, a))).toBe(true);
    }).reads;
  expect(reads(one, two, one)).toBe(0);
  // The one that was used first makes room.
  opened.move([at(three, 5, a)]);
  expect(reads(three, one)).toBe(0);
  expect(reads(two)).toBe(1);
  expect(reads(one, two)).toBe(0);
  expect(reads(three)).toBe(1);
  close();
});

test("the marks of twenty thousand organizations are kept in memory", () => {
  const { opened, during, close } = counted();
  const ids = Array.from(
    { length: 20_001 },
    (_, index) => `1111${index.toString(16).padStart(4, "0")}-1111-4111-8111-111111111111`,
  );
  const ask = (id: string) => void opened.knows(id);
  const [oldest = "", ...others] = ids;
  expect(during(() => ids.forEach(ask)).reads).toBe(20_001);
  expect(during(() => others.forEach(ask)).reads).toBe(0);
  expect(during(() => ask(oldest)).reads).toBe(1);
  close();
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

test("a mark that nothing could bring back is on the disk at once", () => {
  const opened = marks.open();
  const log = () => statSync(`${marks.path}-wal`).size;
  opened.move([at(one, 1, a)]);
  expect(log()).toBeGreaterThan(0);
  opened.move([{ ...at(two, 1, b), isLasting: true }]);
  expect(log()).toBe(0);
});

test("the newest document reaches itself and earlier versions, and no other document of its version", () => {
  const opened = marks.open();
  expect(opened.reaches(one, { number: 1, digest: a })).toBe(false);
  opened.move([at(one, 5, b)]);
  for (const each of twice(opened)) {
    expect(each.reaches(one, { number: 5, digest: b })).toBe(true);
    expect(each.reaches(one, { number: 4, digest: a })).toBe(true);
    expect(each.reaches(one, { number: 6, digest: c })).toBe(false);
    expect(() => each.reaches(one, { number: 5, digest: c })).toThrow(forkedAt(5));
  }
});
