import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { SignerStateError } from "../state/state-error.ts";
import { createTestMarks, idOf, markOf, type TestMarks } from "./marks.testing.ts";

// Marks that are damaged anywhere. What each check refuses is in the other tests of the marks.

let marks: TestMarks;

beforeEach(() => {
  marks = createTestMarks();
});

afterEach(() => marks.remove());

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

function isSafe(end: unknown): boolean {
  return end === "refused" || end === TOLD;
}

function flipped(whole: Buffer, at: number): Buffer {
  const bytes = Buffer.from(whole);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  return bytes;
}
