import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { oldRecord } from "./marks-log.testing.ts";
import { readMarksLog } from "./marks-log.ts";

const DOCUMENT = 1;
const SEGMENT = 2;
const CLOCK = 3;
const one = "11111111111141118111111111111111";
const two = "22222222222242228222222222222222";
const nobody = "00".repeat(16);
const [a, b] = ["aa", "bb"].map((byte) => byte.repeat(32)) as [string, string];

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "keyhearth-marks-log-"));
});

afterAll(() => rmSync(directory, { recursive: true }));

function read(...records: Buffer[]) {
  const path = join(directory, "marks");
  writeFileSync(path, Buffer.concat(records));
  return readMarksLog(path);
}

const document = oldRecord(DOCUMENT, one, 5, a);
const unfinished = { document: { number: 5, digest: a }, segment: null };

function changed(record: Buffer, at: number): Buffer {
  const bytes = Buffer.from(record);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

test("the newest document and segment of each organization count, and the latest clock", () => {
  const log = read(
    oldRecord(DOCUMENT, one, 4, b),
    oldRecord(CLOCK, nobody, 2000, "00".repeat(32)),
    oldRecord(SEGMENT, one, 2, b),
    oldRecord(SEGMENT, two, 9, a),
    document,
    oldRecord(CLOCK, nobody, 1000, "00".repeat(32)),
  );
  expect(log).toEqual({
    clockMs: 2000,
    isTorn: false,
    marks: new Map([
      [one, { document: { number: 5, digest: a }, segment: { number: 2, digest: b } }],
      [two, { document: null, segment: { number: 9, digest: a } }],
    ]),
  });
});

test("a record that is cut short, or broken at the end, is left out and said to be torn", () => {
  const last = oldRecord(DOCUMENT, one, 6, b);
  const torn = [last.subarray(0, 1), last.subarray(0, 60), changed(last, 0), changed(last, 60)];
  for (const end of [...torn, oldRecord(4, one, 6, b), oldRecord(0, one, 6, b)]) {
    expect(read(document, end)).toEqual({
      clockMs: 0,
      isTorn: true,
      marks: new Map([[one, unfinished]]),
    });
  }
});

test("any byte of a record counts", () => {
  for (let at = 0; at < 61; at++) {
    expect(read(document, changed(document, at))?.isTorn).toBe(true);
  }
});

test("a broken record that is not the last, or that is the only one, is damage", () => {
  const broken = changed(document, 30);
  expect(read(document, broken, document)).toBeNull();
  expect(read(document, broken, document.subarray(0, 1))).toBeNull();
  expect(read(broken, document)).toBeNull();
  expect(read(broken)).toBeNull();
  expect(read(document.subarray(0, 60))).toBeNull();
  expect(read()).toBeNull();
});
