import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestMarks, type TestMarks } from "./marks.testing.ts";
import { examineWal } from "./marks-wal.ts";

// Logs that SQLite itself wrote for marks, and what a crash or a failing disk makes of them.

const HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;
const digest = "ab".repeat(32);
const idOf = (index: number) =>
  `${index.toString(16).padStart(8, "0")}-1111-4111-8111-111111111111`;
const markOf = (index: number) => ({
  organizationId: idOf(index),
  version: 1,
  digest,
  previousDigest: null,
});

let marks: TestMarks;
let path: string;
/** The database without its log, which has everything since. */
let database: Buffer;
let whole: Buffer;

beforeEach(() => {
  marks = createTestMarks();
  path = `${marks.path}-wal`;
  const opened = marks.open();
  opened.move([markOf(1)]);
  opened.move([markOf(2)]);
  // Enough buckets for a transaction of more than one frame.
  opened.move(Array.from({ length: 100 }, (_, index) => markOf(0x10000 * index + 3)));
  database = readFileSync(marks.path);
  whole = readFileSync(path);
  marks.close();
});

afterEach(() => marks.remove());

function examine(bytes: Uint8Array) {
  writeFileSync(path, bytes);
  return examineWal(path);
}

function flipped(at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  return bytes;
}

/** Where each frame begins, and whether it ends a transaction. */
function frames() {
  const starts: { at: number; isLastOfTransaction: boolean }[] = [];
  for (let at = HEADER_BYTES; at < whole.length; at += FRAME_BYTES) {
    starts.push({ at, isLastOfTransaction: whole.readUInt32BE(at + 4) !== 0 });
  }
  return starts;
}

test("no log, an empty one, and one without transactions are whole", () => {
  rmSync(path, { force: true });
  expect(examineWal(path)).toBe("whole");
  expect(examine(Buffer.alloc(0))).toBe("whole");
  expect(examine(whole.subarray(0, HEADER_BYTES))).toBe("whole");
});

test("what a killed process wrote is whole up to each transaction, and torn in between", () => {
  expect(examine(whole)).toBe("whole");
  const all = frames();
  expect(all.length).toBeGreaterThan(4);
  expect(all.filter(({ isLastOfTransaction }) => !isLastOfTransaction).length).toBeGreaterThan(0);
  for (const { at, isLastOfTransaction } of all) {
    const end = at + FRAME_BYTES;
    expect(examine(whole.subarray(0, end))).toBe(isLastOfTransaction ? "whole" : "torn");
    for (const cut of [at + 1, at + 23, at + 24, end - 1]) {
      expect(examine(whole.subarray(0, cut))).toBe("torn");
    }
  }
});

test("a header that is cut short is torn, and a changed one is damage", () => {
  for (const size of [1, HEADER_BYTES - 1]) expect(examine(whole.subarray(0, size))).toBe("torn");
  for (let at = 0; at < HEADER_BYTES; at++) expect(examine(flipped(at))).toBe("damaged");
  // Also if nothing follows it.
  expect(examine(flipped(24).subarray(0, HEADER_BYTES))).toBe("damaged");
});

test("a changed byte of the last frame is torn, and of any other frame damage", () => {
  const all = frames();
  for (const [index, { at }] of all.entries()) {
    const expected = index === all.length - 1 ? "torn" : "damaged";
    // Every byte of the frame's header, and the page's first, last and a few between.
    const inHeader = Array.from({ length: 24 }, (_, offset) => offset);
    for (const offset of [...inHeader, 24, 27, 28, 1000, 1004, 4088 + 24, FRAME_BYTES - 1]) {
      expect({ index, offset, found: examine(flipped(at + offset)) }).toEqual({
        index,
        offset,
        found: expected,
      });
    }
  }
});

test("frames of an earlier log after the last one are damage", () => {
  const [first] = frames();
  const old = Buffer.from(whole.subarray(first?.at, HEADER_BYTES + 2 * FRAME_BYTES));
  expect(examine(Buffer.concat([whole, old]))).toBe("damaged");
});

test("another file with right checksums is damage: SQLite would take it for no log at all", () => {
  expect(rewritten(whole, 0x377f0682).equals(whole)).toBe(true);
  for (const magic of [0x377f0680, 0x377f0681, 0x477f0682, 0]) {
    expect(examine(rewritten(whole, magic))).toBe("damaged");
  }
});

test("checksums in the other byte order are read too, as SQLite does", () => {
  const big = rewritten(whole, 0x377f0683);
  expect(big.equals(whole)).toBe(false);
  expect(examine(big)).toBe("whole");
  for (const at of [3, HEADER_BYTES + 30, HEADER_BYTES + FRAME_BYTES - 1]) {
    const bytes = Buffer.from(big);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(examine(bytes)).toBe("damaged");
  }
  writeFileSync(marks.path, database);
  writeFileSync(path, big);
  const opened = marks.open();
  for (const index of [1, 2, 3, 0x10003]) expect(opened.knows(idOf(index))).toBe(true);
  marks.close();
});

/** The same log with other checksums, as a machine of the other byte order would have written it. */
function rewritten(log: Buffer, magic: number): Buffer {
  const bytes = Buffer.from(log);
  const isBig = (magic & 1) === 1;
  const word = (at: number) => (isBig ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  const sum: [number, number] = [0, 0];
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at += 8) {
      sum[0] = (sum[0] + word(at) + sum[1]) >>> 0;
      sum[1] = (sum[1] + word(at + 4) + sum[0]) >>> 0;
    }
  };
  const write = (at: number) => {
    bytes.writeUInt32BE(sum[0], at);
    bytes.writeUInt32BE(sum[1], at + 4);
  };
  bytes.writeUInt32BE(magic, 0);
  add(0, 24);
  write(24);
  for (const { at } of frames()) {
    add(at, at + 8);
    add(at + 24, at + FRAME_BYTES);
    write(at + 16);
  }
  return bytes;
}
