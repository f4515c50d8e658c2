import { expect, test } from "vitest";
import { parseWorkers } from "./count.ts";

test("by default one core is left, and there is at least one worker and at most eight", () => {
  const counts = [1, 2, 3, 8, 64].map((cores) => parseWorkers(undefined, cores));
  expect(counts).toEqual([1, 1, 2, 7, 8]);
  expect(parseWorkers(" 4 ", 1)).toBe(4);
  expect(parseWorkers("", 2)).toBe(1);
});
