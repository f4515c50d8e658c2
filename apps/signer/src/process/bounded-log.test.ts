import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { boundLog } from "./bounded-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const nonsense = { event: "refused", call: "nonsense", reason: "RECORD_REFUSED" };

test("of one kind a hundred lines are written in a minute, then their number, and then it begins again", () => {
  const lines: object[] = [];
  const { log } = boundLog((line) => void lines.push(line));
  for (let i = 0; i < 5000; i++) log(nonsense);
  expect(lines).toHaveLength(100);
  vi.advanceTimersByTime(60_000);
  const kind = "refused nonsense RECORD_REFUSED";
  expect(lines.slice(100)).toEqual([{ event: "left out of the log", kind, lines: 4900 }]);
  log(nonsense);
  expect(lines.at(-1)).toBe(nonsense);
});

test("an alarm is written whatever else there was, and made up names fill nothing", () => {
  const lines: object[] = [];
  const { log } = boundLog((line) => void lines.push(line));
  for (let i = 0; i < 5000; i++) log(nonsense);
  const alarm = { event: "refused", call: "submit", reason: "STALE_RECORD" };
  log(alarm);
  expect(lines.at(-1)).toBe(alarm);
  for (let i = 0; i < 5000; i++) log({ ...nonsense, call: `nonsense ${i}` });
  expect(lines.length).toBeLessThan(500);
  log(alarm);
  expect(lines.at(-1)).toBe(alarm);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(-2)).toMatchObject([{ lines: 4900 }, { kind: "all other kinds" }]);
});

test("names that a host made up first take the place of no alarm", () => {
  const lines: object[] = [];
  const { log } = boundLog((line) => void lines.push(line));
  for (let i = 0; i < 5000; i++) log({ ...nonsense, call: `nonsense ${i}` });
  for (const call of ["submit", "confirm", "attest", "renew", "sign-webhooks", "describe"]) {
    const alarm = { event: "refused", call, reason: "STALE_RECORD" };
    log(alarm);
    expect(lines.at(-1)).toBe(alarm);
  }
  const own = { event: "the clock jumped" };
  log(own);
  expect(lines.at(-1)).toBe(own);
});

test("what happens now and then is written as it comes, with nothing to count", () => {
  const lines: object[] = [];
  const { log } = boundLog((line) => void lines.push(line));
  for (let i = 0; i < 10; i++) {
    log(nonsense);
    vi.advanceTimersByTime(60_000);
  }
  expect(lines).toEqual(Array.from({ length: 10 }, () => nonsense));
});

test("what was left out is written at the end too, and once", () => {
  const lines: object[] = [];
  const { log, close } = boundLog((line) => void lines.push(line));
  for (let i = 0; i < 103; i++) log(nonsense);
  close();
  const kind = "refused nonsense RECORD_REFUSED";
  expect(lines.slice(100)).toEqual([{ event: "left out of the log", kind, lines: 3 }]);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(101);
});
