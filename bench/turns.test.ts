import { expect, test } from "vitest";
import { inTurns, median, medianRate, medianShare } from "./turns.ts";

test("every second turn has the other order, and the first one does not count", async () => {
  const asked: string[] = [];
  const measured = await inTurns(["a", "b"], 2, async (name, turn) => {
    asked.push(`${name}${turn}`);
    return `${name}${turn}`;
  });
  expect(asked).toEqual(["a0", "b0", "b1", "a1", "a2", "b2"]);
  expect(measured).toEqual({ a: ["a1", "a2"], b: ["b1", "b2"] });
});

test("the median is the middle, by size, and of none there is none", () => {
  expect(median([100, 3, 20])).toBe(20);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
  expect(median([1, Number.NaN, 3])).toBeNaN();
});

test("a share is taken turn by turn", () => {
  // The machine is ten times as fast in the second turn, and the medians alone would say 1.
  const one = [{ perSecond: 50 }, { perSecond: 500 }, { perSecond: 100 }];
  const other = [{ perSecond: 100 }, { perSecond: 1000 }, { perSecond: 100 }];
  expect(medianRate(one)).toBe(100);
  expect(medianShare(one, other)).toBe(0.5);
  expect(medianShare(one, other.slice(1))).toBeNaN();
  expect(medianShare(one, [...other.slice(1), { perSecond: 0 }])).toBeNaN();
});
