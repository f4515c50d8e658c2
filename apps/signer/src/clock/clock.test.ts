import { ApiError } from "@keyhearth/engine/errors";
import { describe, expect, test } from "vitest";
import { createClock, type Jump, readStatedTime } from "./clock.ts";

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

/** A machine whose clock and counters a test moves, and the clock of a signer that last worked at this time. */
function clockAt(latestMs: number, nowMs = latestMs) {
  const ms = { now: nowMs, running: 5000, up: 900_000 };
  const jumps: Jump[] = [];
  const machine = { now: () => ms.now, running: () => ms.running, up: () => ms.up };
  const clock = createClock(machine, latestMs, (jump) => void jumps.push(jump));
  return {
    ...clock,
    ms,
    jumps,
    /** Time passes, and the clock shows it and perhaps more. */
    pass(elapsedMs: number, { more = 0, asleep = 0 } = {}) {
      ms.running += elapsedMs;
      ms.up += elapsedMs + asleep;
      ms.now += elapsedMs + asleep + more;
    },
  };
}

const refused = (reason: "CLOCK_BACKWARDS" | "CLOCK_JUMPED") =>
  expect.objectContaining({ code: "UNAVAILABLE", reason });

function reasonOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

test("the clock follows the machine's", () => {
  const clock = clockAt(START);
  for (const elapsedMs of [1, SECOND, HOUR, 40 * DAY]) {
    clock.pass(elapsedMs);
    expect(clock.now()).toBe(clock.ms.now);
    expect(clock.peek()).toBe(clock.ms.now);
  }
  expect(clock.jumps).toEqual([]);
});

test("a machine that was asleep is no jump, although its fast counter stood still", () => {
  const clock = clockAt(START);
  clock.now();
  clock.pass(SECOND, { asleep: 3 * DAY });
  expect(clock.now()).toBe(START + 3 * DAY + SECOND);
  expect(clock.jumps).toEqual([]);
});

describe("a clock that steps back", () => {
  test("by up to 30 seconds repeats the latest time", () => {
    const clock = clockAt(START);
    clock.now();
    for (const back of [1, 30 * SECOND]) {
      clock.ms.now = START - back;
      expect(clock.now()).toBe(START);
      expect(clock.peek()).toBe(START);
    }
    clock.ms.now = START + 1;
    expect(clock.now()).toBe(START + 1);
  });

  test("by more is refused until it is right again, and the message says what to do in either case", () => {
    const clock = clockAt(START);
    clock.now();
    clock.ms.now = START - 30_001;
    for (const ask of [clock.now, clock.peek]) {
      expect(ask).toThrow(
        new ApiError(
          "UNAVAILABLE",
          "CLOCK_BACKWARDS",
          "the signer's machine says that it is 2025-12-31T23:59:29.999Z, but the signer has worked at 2026-01-01T00:00:00.000Z, and refuses to work before that time; if this is wrong, correct the machine's clock; if it is right, stop the signer and run `npm run signer -- accept-clock` on its machine, which says what it risks",
        ),
      );
    }
    expect(clock.latest()).toBe(START);
    clock.ms.now = START + 500;
    expect(clock.now()).toBe(START + 500);
  });

  test("before the latest time of an earlier run is refused too", () => {
    expect(clockAt(START, START - 10_000).now()).toBe(START);
    expect(reasonOf(clockAt(START, START - HOUR).now)).toEqual(refused("CLOCK_BACKWARDS"));
  });
});

describe("a clock that jumps ahead", () => {
  test("by up to half a minute goes on without a word, however often one looks", () => {
    const clock = clockAt(START);
    clock.now();
    for (let i = 0; i < 1000; i++) {
      clock.pass(SECOND, { more: 30 });
      clock.now();
    }
    expect(clock.jumps).toEqual([]);
    clock.pass(SECOND, { more: 5 * SECOND });
    clock.now();
    expect(clock.jumps).toHaveLength(1);
  });

  test("by some minutes is believed and reported", () => {
    const clock = clockAt(START);
    clock.now();
    clock.pass(SECOND, { more: 10 * 60 * SECOND });
    expect(clock.now()).toBe(START + 601 * SECOND);
    expect(clock.jumps).toEqual([{ fromMs: START, toMs: START + 601 * SECOND, byMs: 599_999 }]);
    clock.pass(SECOND);
    clock.now();
    expect(clock.jumps).toHaveLength(1);
  });

  test.each([2 * HOUR, 365 * DAY])("by %i ms is refused, and not remembered", (more) => {
    const clock = clockAt(START);
    clock.now();
    clock.pass(SECOND, { more });
    for (const ask of [clock.now, clock.peek, clock.now]) {
      expect(reasonOf(ask)).toEqual(refused("CLOCK_JUMPED"));
    }
    expect(clock.latest()).toBe(START);
    expect(clock.jumps).toEqual([]);
    // Once it is right, the signer goes on by itself.
    clock.pass(SECOND, { more: -more });
    expect(clock.now()).toBe(START + 2 * SECOND);
  });

  test("again and again is believed for an hour in all, which a day makes up for", () => {
    const clock = clockAt(START);
    clock.now();
    const minutes = 10 * 60 * SECOND;
    const step = () => {
      clock.pass(SECOND, { more: minutes });
      return reasonOf(clock.now);
    };
    for (let i = 0; i < 6; i++) expect(step()).toBeNull();
    expect(step()).toEqual(refused("CLOCK_JUMPED"));
    expect(clock.jumps).toHaveLength(6);
    clock.pass(SECOND, { more: -minutes });
    clock.pass(DAY);
    expect(reasonOf(clock.now)).toBeNull();
    for (let i = 0; i < 6; i++) expect(step()).toBeNull();
  });

  test("by running fast gains no more than by steps", () => {
    const clock = clockAt(START);
    clock.now();
    let gained = 0;
    for (let hour = 0; hour < 24; hour++) {
      clock.pass(HOUR, { more: 0.08 * HOUR });
      if (reasonOf(clock.now)) break;
      gained += 0.08 * HOUR;
    }
    expect(gained).toBeGreaterThan(HOUR / 2);
    expect(gained).toBeLessThan(3 * HOUR);
  });
});

describe("a signer that starts", () => {
  test("believes a clock of up to 30 days later, and reports more than a day", () => {
    for (const [days, reported] of [
      [0.9, 0],
      [3, 1],
      [30, 1],
    ] as const) {
      const clock = clockAt(START, START + days * DAY);
      expect(clock.now()).toBe(START + days * DAY);
      expect(clock.jumps).toHaveLength(reported);
    }
  });

  test("refuses a clock of a year later, remembers nothing, and goes on once it is corrected", () => {
    const clock = clockAt(START, START + 365 * DAY);
    for (const ask of [clock.peek, clock.now]) {
      expect(ask).toThrow(
        new ApiError(
          "UNAVAILABLE",
          "CLOCK_JUMPED",
          "the signer's machine says that it is 2027-01-01T00:00:00.000Z, but the signer last worked at 2026-01-01T00:00:00.000Z, more than 30 days before, and the signer refuses to work until it is sure; if this is wrong, correct the machine's clock; if it is right, stop the signer and run `npm run signer -- accept-clock` on its machine",
        ),
      );
    }
    expect(clock.latest()).toBe(START);
    clock.ms.now = START + HOUR;
    expect(clock.now()).toBe(START + HOUR);
  });

  test("believes any clock if it has never worked", () => {
    expect(clockAt(0, START).now()).toBe(START);
  });

  test("leaves no trace of a time that it only told", () => {
    const clock = clockAt(START, START + 3 * DAY);
    expect(clock.peek()).toBe(START + 3 * DAY);
    expect(clock.latest()).toBe(START);
    expect(clock.jumps).toEqual([]);
    clock.ms.now = START + SECOND;
    expect(clock.now()).toBe(START + SECOND);
  });
});

test("the operator's time must be a time in UTC, about that of the machine", () => {
  expect(readStatedTime("2026-01-01T00:04Z", START)).toBe(START);
  expect(readStatedTime("2025-12-31T23:55:00.000Z", START)).toBe(START);
  for (const wrong of [
    "",
    "now",
    "2026-01-01",
    "2026-01-01T00:00",
    "2026-13-01T00:00Z",
    "1767225600000",
  ]) {
    expect(() => readStatedTime(wrong, START)).toThrow("is not a time in UTC");
  }
  for (const other of ["2026-01-01T00:06Z", "2025-01-01T00:00Z"]) {
    expect(() => readStatedTime(other, START)).toThrow("correct the machine's clock first");
  }
});
