import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256, randomBytes } from "@keyhearth/crypto/primitives";
import { openBytes } from "@keyhearth/crypto/secret-bytes";
import { createKeyring } from "@keyhearth/engine/vault/keyring";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { newClock } from "../clock/accepted-times.ts";
import { LostMarksError, SignerStateError } from "../state/state-error.ts";
import { createTestMarks, digest, idOf, markOf, type TestMarks } from "./marks.testing.ts";
import { createMarksFile, keyOf, openMarksFile } from "./marks-file.ts";
import { oldRecord } from "./marks-log.testing.ts";

let marks: TestMarks;

beforeEach(() => {
  marks = createTestMarks();
});

afterEach(() => marks.remove());

function expectRefused() {
  expect(() => marks.open()).toThrow(SignerStateError);
  expect(() => marks.open()).toThrow(marks.path);
}

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
    expectRefused();
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
  expect(openBytes(keyOf(marks.keyring))).toEqual(expected);
});

test("new marks know nobody, and keep the times that they are given", () => {
  const span = { fromMs: 1, untilMs: 2 };
  const clock = { latestMs: 1000, accepted: [span], refused: [span] };
  const beginning = { atMs: 1000, spans: [{ fromMs: 2000, untilMs: 3000 }] };
  for (const times of [undefined, { clock, beginning }]) {
    marks.open().move([markOf(1)]);
    marks.close();
    createMarksFile(marks.path, marks.keyring, times);
    const opened = marks.open();
    expect(opened.knows(idOf(1))).toBe(false);
    expect(opened.clock()).toEqual(times?.clock ?? newClock(0));
    const before = [0, 1, 1000, 1001, 2000, 3000, 3001].filter(opened.isFromBefore);
    expect(before).toEqual(times ? [0, 1, 1000, 2000, 3000] : [0]);
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

/** Root may read every file, so it becomes another user meanwhile. */
function asNobody(work: () => void) {
  if (process.getuid?.() !== 0) return work();
  process.seteuid?.(65_534);
  try {
    work();
  } finally {
    process.seteuid?.(0);
  }
}

test.runIf(process.platform !== "win32")("marks of another user stop the start", () => {
  chmodSync(dirname(marks.path), 0o755);
  chmodSync(marks.path, 0o000);
  asNobody(() => {
    const { path } = marks;
    const message = `the marks ${path} cannot be read: EACCES: permission denied, open '${path}'; check the owner and mode of the file`;
    expect(() => marks.open()).toThrow(new SignerStateError(message));
  });
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
      expectRefused();
      expect(readFileSync(marks.path)).toEqual(bytes);
    }
  });
});

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
