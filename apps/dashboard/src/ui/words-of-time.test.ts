import { expect, test } from "vitest";
import { inWords, msOf } from "./words-of-time.ts";

const now = Date.UTC(2026, 4, 1);

test.each([
  [-3_000, "just now"],
  [-45_000, "45 seconds ago"],
  [-61_000, "1 minute ago"],
  [-7_200_000, "2 hours ago"],
  [90_000_000, "tomorrow"],
  [-400 * 86_400_000, "last year"],
])("a time %i ms from now is %s", (ms, words) => {
  expect(inWords(now + ms, now)).toBe(words);
});

test("a timestamp of the API is milliseconds", () => {
  expect(msOf({ seconds: "1700000000", nanos: "123456789" })).toBe(1_700_000_000_123);
});
