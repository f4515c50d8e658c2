import { Overtaken } from "@keyhearth/engine/errors";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestMarks, idOf, type TestMarks } from "./marks.testing.ts";
import { OVERTAKEN_MS } from "./recent-moves.ts";

let marks: TestMarks;
beforeEach(() => {
  marks = createTestMarks();
});
afterEach(() => marks.remove());

const one = idOf(1);
const digestOf = (version: number) => version.toString(16).padStart(2, "0").repeat(32);
const document = (version: number) => ({
  organizationId: one,
  version,
  digest: digestOf(version),
  previousDigest: digestOf(version - 1),
});

/** Whether bringing this document is refused as overtaken. Otherwise it is an alarm. */
function isOvertaken(ask: () => unknown): boolean {
  try {
    ask();
  } catch (error) {
    expect(error).toMatchObject({ reason: "STALE_RECORD" });
    return error instanceof Overtaken;
  }
  throw new Error("it was not refused");
}

test("a document that was just replaced was overtaken, and one that was replaced long ago is an alarm", () => {
  let nowMs = 0;
  const opened = marks.open({ elapsedMs: () => nowMs });
  opened.move([document(5)]);
  // Nothing has been replaced since the start.
  expect(opened.hasMovedLately(one)).toBe(false);
  expect(isOvertaken(() => opened.isConfirmed(document(4)))).toBe(false);

  opened.move([document(6)]);
  nowMs = OVERTAKEN_MS - 1;
  opened.move([document(7)]);
  for (const version of [5, 6]) {
    expect(isOvertaken(() => opened.isConfirmed(document(version)))).toBe(true);
    expect(isOvertaken(() => opened.move([document(version)]))).toBe(true);
  }
  expect(isOvertaken(() => opened.isConfirmed(document(4)))).toBe(false);
  expect(opened.hasMovedLately(one)).toBe(true);
  expect(opened.hasMovedLately(idOf(2))).toBe(false);

  nowMs = OVERTAKEN_MS;
  expect(isOvertaken(() => opened.isConfirmed(document(5)))).toBe(false);
  expect(isOvertaken(() => opened.isConfirmed(document(6)))).toBe(true);
  nowMs = 2 * OVERTAKEN_MS;
  expect(isOvertaken(() => opened.isConfirmed(document(6)))).toBe(false);
  expect(opened.hasMovedLately(one)).toBe(false);
});

test("a document that was never the newest is an alarm, however new its version is", () => {
  const opened = marks.open();
  opened.move([document(5)]);
  opened.move([document(6)]);
  opened.move([document(7)]);
  for (const version of [6, 7]) {
    const forked = { ...document(version), digest: "cd".repeat(32) };
    expect(isOvertaken(() => opened.isConfirmed(forked))).toBe(false);
    expect(isOvertaken(() => opened.move([forked]))).toBe(false);
  }
});

test("after a restart every older document is an alarm", () => {
  const opened = marks.open();
  opened.move([document(5)]);
  opened.move([document(6)]);
  expect(isOvertaken(() => marks.open().isConfirmed(document(5)))).toBe(false);
});
