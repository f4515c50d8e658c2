import { expect, test } from "vitest";
import { createPace } from "./pace.ts";

function paced(perSecond: number, atOnce: number) {
  const clock = { nowMs: 1000 };
  return { clock, pace: createPace({ perSecond, atOnce }, () => clock.nowMs) };
}

test("so much at once is not waited for, and then so much a second", () => {
  const { clock, pace } = paced(10, 30);
  pace.use("ada", 30);
  expect(pace.waitMs("ada")).toBe(0);
  pace.use("ada", 20);
  expect(pace.waitMs("ada")).toBe(2000);
  clock.nowMs += 1500;
  expect(pace.waitMs("ada")).toBe(500);
  clock.nowMs += 500;
  expect(pace.waitMs("ada")).toBe(0);
  // A long rest earns no more than what is allowed at once.
  clock.nowMs += 60_000;
  pace.use("ada", 40);
  expect(pace.waitMs("ada")).toBe(1000);
});

test("nobody waits for what others use", () => {
  const { pace } = paced(10, 10);
  pace.use("ada", 1000);
  expect(pace.waitMs("grace")).toBe(0);
});

test("who used no more than an eighth used little, and twice as much at once is waited for later", () => {
  const { clock, pace } = paced(10, 80);
  expect(pace.usedLittle("ada")).toBe(true);
  pace.use("ada", 10);
  expect(pace.usedLittle("ada")).toBe(true);
  pace.use("ada", 160);
  expect(pace.usedLittle("ada")).toBe(false);
  expect([pace.waitMs("ada"), pace.waitMs("ada", 2)]).toEqual([9000, 1000]);
  clock.nowMs += 16_000;
  expect(pace.usedLittle("ada")).toBe(true);
});

test("what would be waited for longer than the bound is forgotten", () => {
  const clock = { nowMs: 1000 };
  const pace = createPace({ perSecond: 10, atOnce: 30, longestMs: 2000 }, () => clock.nowMs);
  pace.use("all", 1_000_000);
  expect(pace.waitMs("all")).toBe(2000);
  clock.nowMs += 500;
  expect(pace.waitMs("all")).toBe(1500);
  pace.use("all", 1);
  expect(pace.waitMs("all")).toBe(1600);
});

test("a wait is remembered, however many others come", () => {
  const { clock, pace } = paced(10, 10);
  pace.use("ada", 1_000_000);
  const before = pace.waitMs("ada");
  for (let i = 0; i < 5000; i++) {
    clock.nowMs += 1;
    pace.use(`other ${i}`, 0.001);
  }
  expect(pace.waitMs("ada")).toBe(before - 5000);
});
