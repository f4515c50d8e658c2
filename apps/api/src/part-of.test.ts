import { expect, test } from "vitest";
import { partOf, partOfNumber } from "./part-of.ts";

const bounds = { bytes: 96, waiting: { total: 10, group: 1 }, waitMs: 10_000 };

test("one worker has all of it", () => {
  expect(partOf(bounds, 1)).toBe(bounds);
});

test("each of several workers has its part, and waits no less", () => {
  expect(partOf(bounds, 4)).toEqual({
    bytes: 24,
    waiting: { total: 3, group: 1 },
    waitMs: 10_000,
  });
});

test("a worker has at least one", () => {
  expect(partOfNumber(2, 8)).toBe(1);
  expect(partOfNumber(16, 8)).toBe(2);
});
