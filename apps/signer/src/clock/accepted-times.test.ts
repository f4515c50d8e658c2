import { expect, test } from "vitest";
import { beginsSpan, includes, moveClock, type Span, withTime } from "./accepted-times.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

const spanOf = (fromMs: number, untilMs: number): Span => ({ fromMs, untilMs });
const spansOf = (...times: number[]) => times.reduce<Span[]>(withTime, []);

test("times that are near each other are one span, in whatever order they come", () => {
  expect(spansOf(START, START + 50 * MINUTE, START - HOUR, START + 10 * MINUTE)).toEqual([
    spanOf(START - HOUR, START + 50 * MINUTE),
  ]);
  expect(spansOf(START + DAY, START)).toEqual([
    spanOf(START, START),
    spanOf(START + DAY, START + DAY),
  ]);
  expect(spansOf(START, START + 2 * HOUR, START + HOUR)).toEqual([spanOf(START, START + 2 * HOUR)]);
});

test("a time that is far from all spans begins one", () => {
  const spans = spansOf(START);
  expect(beginsSpan([], START)).toBe(true);
  expect(beginsSpan(spans, START + HOUR)).toBe(false);
  expect(beginsSpan(spans, START + HOUR + 1)).toBe(true);
});

test("there are 16 spans at most, and no time is ever left out", () => {
  const times = Array.from({ length: 40 }, (_, day) => START + day * DAY);
  const spans = spansOf(...times);
  expect(spans).toHaveLength(16);
  for (const ms of times) expect(includes(spans, ms)).toBe(true);
  expect(spans[0]).toEqual(spanOf(START, START + 24 * DAY));
});

test("time that goes on forgets nothing and refuses nothing", () => {
  const accepted = spansOf(START);
  expect(moveClock({ latestMs: START, accepted, refused: [] }, START + 60 * DAY)).toEqual({
    latestMs: START + 60 * DAY,
    accepted,
    refused: [],
  });
});

test("what was accepted at a time that is taken back is refused when it could run again", () => {
  const year = START + 365 * DAY;
  const accepted = spansOf(START - DAY, START, START + 10 * MINUTE, year, year + MINUTE);
  // The clock was a year ahead for some minutes.
  const nowMs = START + 20 * MINUTE;
  const { refused, ...rest } = moveClock({ latestMs: year + MINUTE, accepted, refused: [] }, nowMs);
  expect(rest).toEqual({ latestMs: nowMs, accepted: [spanOf(START - DAY, START - DAY)] });
  for (const ms of [START, START + 10 * MINUTE, year, year + MINUTE]) {
    expect(includes(refused, ms)).toBe(true);
  }
  // Nobody has to wait for longer than clocks of clients may be ahead.
  for (const ms of [START + 16 * MINUTE, START + DAY, year - 6 * MINUTE]) {
    expect(includes(refused, ms)).toBe(false);
  }
});

test("time that is taken back again refuses what was refused before", () => {
  const accepted = spansOf(START + 365 * DAY);
  const once = moveClock({ latestMs: START + 365 * DAY, accepted, refused: [] }, START);
  const later = { ...once, latestMs: START + 200 * DAY, accepted: spansOf(START + 200 * DAY) };
  const twice = moveClock(later, START + DAY);
  for (const days of [200, 365]) expect(includes(twice.refused, START + days * DAY)).toBe(true);
});

test("a memory of an earlier version refuses what is near both times", () => {
  const year = START + 365 * DAY;
  const { refused } = moveClock({ latestMs: year, accepted: [], refused: [] }, START);
  for (const ms of [START - 59 * MINUTE, START + 5 * MINUTE, year - HOUR, year + 5 * MINUTE]) {
    expect(includes(refused, ms)).toBe(true);
  }
  for (const ms of [START + 6 * MINUTE, year + 6 * MINUTE])
    expect(includes(refused, ms)).toBe(false);
});
