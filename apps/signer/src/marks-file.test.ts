import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding";
import { hmacSha256, randomBytes } from "@keyhearth/crypto/primitives";
import { createKeyring } from "@keyhearth/engine/keys/keyring";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createTestMarks, type TestMarks } from "./marks.testing.ts";
import { createMarksFile, keyOf, openMarksFile } from "./marks-file.ts";
import { oldRecord } from "./marks-log.testing.ts";
import { LostMarksError, SignerStateError } from "./state-error.ts";

const digest = "ab".repeat(32);

let marks: TestMarks;

beforeEach(() => {
  marks = createTestMarks();
});

afterEach(() => marks.remove());

const idOf = (index: number) =>
  `${(index * 40503).toString(16).padStart(8, "0")}-1111-4111-8111-111111111111`;

const markOf = (index: number, version = 2) => ({
  organizationId: idOf(index),
  version,
  digest,
  previousDigest: digest,
});

const TOLD = 40;

/** Marks that were answered, as a killed process leaves them: some in the database, some in its log. */
function leaveMarks() {
  const opened = marks.open();
  for (let index = 0; index < TOLD / 2; index++) opened.move([markOf(index)]);
  opened.rememberClock(1000);
  for (let index = TOLD / 2; index < TOLD; index++) opened.move([markOf(index)]);
  const copies = [marks.path, `${marks.path}-wal`].map((path) => ({
    path,
    bytes: readFileSync(path),
  }));
  marks.close();
  return () => {
    for (const { path, bytes } of copies) writeFileSync(path, bytes);
    return copies;
  };
}

/** How many of the marks are there. Each of the others is unknown. */
function countKnown(): number {
  const opened = marks.open();
  let known = 0;
  for (let index = 0; index < TOLD; index++) {
    if (!opened.knows(idOf(index))) continue;
    expect(opened.isConfirmed(markOf(index))).toBe(true);
    known += 1;
  }
  marks.close();
  return known;
}

/** What a damaged file leads to: a refusal to start, or the number of marks that are there. */
function outcome(): number | "refused" {
  marks.events.length = 0;
  try {
    return countKnown();
  } catch (error) {
    marks.close();
    expect(error).toBeInstanceOf(SignerStateError);
    expect(String(error)).toContain(marks.path);
    return "refused";
  }
}

describe("marks that a killed process left", () => {
  test("are all there", () => {
    const putBack = leaveMarks();
    putBack();
    expect(outcome()).toBe(TOLD);
    expect(marks.events).toEqual([]);
  });

  test("without the end of the last one are there up to that one, and the log says so", () => {
    const putBack = leaveMarks();
    for (const cut of [1, 24, 4096, 4119]) {
      const [, log] = putBack();
      truncateSync(`${marks.path}-wal`, (log?.bytes.length ?? 0) - cut);
      const known = outcome();
      expect(known).toBe(TOLD - 1);
      expect(marks.events).toEqual([
        { event: "the last mark was cut short and is dropped", path: marks.path },
      ]);
    }
  });

  test("with any bit of the log flipped lose no more than the last one, which the log says", () => {
    const putBack = leaveMarks();
    const length = putBack()[1]?.bytes.length ?? 0;
    for (let at = 0; at < length; at += 997) {
      const [, log] = putBack();
      writeFileSync(`${marks.path}-wal`, flipped(log?.bytes ?? Buffer.alloc(0), at));
      const end = outcome();
      if (end === "refused" || end === TOLD) continue;
      expect({ at, end, events: marks.events.length }).toEqual({ at, end: TOLD - 1, events: 1 });
    }
  });

  test("with any bit of the database flipped are all there, or stop the start", () => {
    const putBack = leaveMarks();
    // First with the log, which has newer copies of most pages, and then without it.
    for (const isClosed of [false, true]) {
      const [database] = putBack();
      if (isClosed) expect(outcome()).toBe(TOLD);
      const bytes = isClosed ? readFileSync(marks.path) : (database?.bytes ?? Buffer.alloc(0));
      let refused = 0;
      for (let at = 0; at < bytes.length; at += at < 100 ? 1 : 149) {
        if (isClosed) rmSync(`${marks.path}-wal`, { force: true });
        else putBack();
        writeFileSync(marks.path, flipped(bytes, at));
        const end = outcome();
        if (end === "refused") refused += 1;
        else expect({ at, end }).toEqual({ at, end: TOLD });
      }
      expect(refused).toBeGreaterThan(isClosed ? 20 : 10);
    }
  });

  test("cut anywhere in the database stop the start", () => {
    const putBack = leaveMarks();
    const length = putBack()[0]?.bytes.length ?? 0;
    for (let size = 0; size < length; size += 509) {
      putBack();
      truncateSync(marks.path, size);
      // The log holds newer copies of some pages, so a short cut may lose nothing.
      expect({ size, end: outcome() }).toEqual({ size, end: expect.toSatisfy(isSafe) });
    }
  });
});

test("random bytes, an empty file, or marks of another signer stop the start", () => {
  marks.open();
  marks.close();
  const whole = readFileSync(marks.path);
  for (const bytes of [
    Buffer.alloc(0),
    randomBytes(61),
    randomBytes(8192),
    whole.subarray(0, 16),
  ]) {
    writeFileSync(marks.path, bytes);
    expect(outcome()).toBe("refused");
  }
  writeFileSync(marks.path, whole.subarray(0, 14));
  const refusal = "damaged (a record before the last one is broken)";
  expect(() => marks.open()).toThrow(new LostMarksError(marks.path, refusal));
  writeFileSync(marks.path, whole);
  const others = { keyring: createKeyring(randomBytes), log: () => {} };
  expect(() => openMarksFile(marks.path, others)).toThrow(/does not carry this signer's tag/);
});

test("missing marks stop the start with the ways out", () => {
  rmSync(marks.path);
  expect(() => marks.open()).toThrow(new LostMarksError(marks.path, "missing"));
  expect(existsSync(marks.path)).toBe(false);
});

test("a directory in place of the marks stops the start", () => {
  rmSync(marks.path);
  mkdirSync(marks.path);
  expect(() => marks.open()).toThrow(SignerStateError);
});

test("the key of the marks is the keyring's for this purpose", () => {
  // Marks that are on disk already have it.
  const expected = hmacSha256(marks.keyring.derivationKey, encodeUtf8("keyhearth.marks.v1"));
  expect(keyOf(marks.keyring)).toEqual(expected);
});

test("new marks know nobody, and keep the clock that they are given", () => {
  for (const clockMs of [undefined, 1000]) {
    marks.open().move([markOf(1)]);
    marks.close();
    createMarksFile(marks.path, marks.keyring, clockMs);
    const opened = marks.open();
    expect(opened.knows(idOf(1))).toBe(false);
    expect(opened.clockMs()).toBe(clockMs ?? 0);
  }
});

test.runIf(process.platform === "linux")("marks that cannot be read stop the start", () => {
  // A regular file whose first bytes cannot be read, also not by root.
  const path = "/proc/self/mem";
  const held = () =>
    readdirSync("/proc/self/fd").filter((file) => {
      try {
        return readlinkSync(`/proc/self/fd/${file}`).endsWith("/mem");
      } catch {
        // The one of this very list.
        return false;
      }
    });
  const before = held();
  const open = () => openMarksFile(path, { keyring: marks.keyring, log: () => {} });
  const message = `the marks ${path} cannot be read: EIO: i/o error, read; check the owner and mode of the file`;
  expect(open).toThrow(new SignerStateError(message));
  expect(open).toThrow(
    expect.objectContaining({ cause: expect.objectContaining({ code: "EIO" }) }),
  );
  expect(held()).toEqual(before);
});

test("marks that another process has open are left alone", () => {
  marks.open();
  expect(() => openMarksFile(marks.path, { keyring: marks.keyring, log: () => {} })).toThrow(
    `the marks ${marks.path} cannot be opened: another process has them open; stop it first`,
  );
});

describe("a log of an earlier version", () => {
  test("is converted, with its clock", () => {
    writeFileSync(marks.path, oldLog());
    const opened = marks.open();
    expect(opened.isConfirmed(markOf(1, 7))).toBe(true);
    expect(opened.knows(idOf(2))).toBe(true);
    expect(() => opened.extend(idOf(1), null, { number: 3, digest: "cd".repeat(32) })).toThrow(
      "does not follow",
    );
    expect(opened.clockMs()).toBe(5000);
    expect(marks.open().isConfirmed(markOf(1, 7))).toBe(true);
    expect(marks.events).toEqual([]);
  });

  test("is converted with all organizations of a bucket, old ones and new", () => {
    const ids = ["abcd0001", "abcd0002", "abcd0003"].map(
      (start) => `${start}-1111-4111-8111-111111111111`,
    );
    const records = ids.map((id, index) => oldRecord(1, id, index + 2, digest));
    writeFileSync(marks.path, Buffer.concat(records));
    for (let i = 0; i < 2; i++) {
      const opened = marks.open();
      for (const [index, organizationId] of ids.entries()) {
        const document = { organizationId, version: index + 2, digest, previousDigest: digest };
        expect(opened.isConfirmed(document)).toBe(true);
      }
    }
  });

  test("without the end of its last record is converted, and the log says so", () => {
    for (const cut of [1, 60]) {
      writeFileSync(marks.path, oldLog().subarray(0, -cut));
      expect(marks.open().knows(idOf(1))).toBe(true);
      marks.close();
    }
    const event = { event: "the last mark was cut short and is dropped", path: marks.path };
    expect(marks.events).toEqual([event, event]);
  });

  test("with a broken record before its last stops the start, and is left as it is", () => {
    const whole = oldLog();
    for (let at = 0; at < whole.length - 61; at += 7) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] ?? 0) ^ 4;
      writeFileSync(marks.path, bytes);
      expect(outcome()).toBe("refused");
      expect(readFileSync(marks.path)).toEqual(bytes);
    }
  });
});

function isSafe(end: unknown): boolean {
  return end === "refused" || end === TOLD;
}

function flipped(whole: Buffer, at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  return bytes;
}

function oldLog(): Buffer {
  return Buffer.concat([
    oldRecord(1, idOf(1), 6, digest),
    oldRecord(2, idOf(1), 2, digest),
    oldRecord(1, idOf(1), 7, digest),
    oldRecord(3, "00000000-0000-0000-0000-000000000000", 5000, digest),
    oldRecord(1, idOf(2), 1, digest),
    oldRecord(2, idOf(2), 1, digest),
  ]);
}
