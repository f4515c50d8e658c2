import { ApiError } from "@keyhearth/engine/errors";
import { expect, test } from "vitest";
import { createClock } from "./clock.ts";

function clockAt(floorMs: number) {
  const machine = { ms: 0 };
  const clock = createClock(() => machine.ms, floorMs);
  return {
    clock,
    set(ms: number) {
      machine.ms = ms;
      return clock;
    },
  };
}

test("the clock follows the machine's", () => {
  const { set } = clockAt(0);
  expect(set(1000).now()).toBe(1000);
  expect(set(5000).now()).toBe(5000);
});

test("a step back of up to 30 seconds repeats the last instant", () => {
  const { set } = clockAt(0);
  set(100_000).now();
  for (const ms of [99_999, 70_000]) expect(set(ms).now()).toBe(100_000);
  expect(set(100_001).now()).toBe(100_001);
});

test("a larger step back is refused until the clock is right again", () => {
  const { set, clock } = clockAt(0);
  set(100_000).now();
  const refused = () => set(69_999).now();
  expect(refused).toThrow(
    new ApiError(
      "UNAVAILABLE",
      "CLOCK_BACKWARDS",
      "the signer's clock went back by 30001 ms; it refuses to work until the clock is right again",
    ),
  );
  expect(clock.highest()).toBe(100_000);
  expect(set(100_500).now()).toBe(100_500);
});

test("the instant of an earlier run is the floor", () => {
  const { set, clock } = clockAt(1_000_000);
  expect(clock.highest()).toBe(1_000_000);
  expect(set(990_000).now()).toBe(1_000_000);
  expect(() => set(900_000).now()).toThrow("went back by 100000 ms");
});
