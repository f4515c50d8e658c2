import { expect, test } from "vitest";
import { logLine } from "./log-line.ts";

const now = new Date("2026-01-31T09:30:00Z");
const parsed = (event: Parameters<typeof logLine>[0]) => JSON.parse(logLine(event, now));
const time = "2026-01-31T09:30:00.000Z";

test("a line has its time and level first, and the cause of an event", () => {
  expect(logLine({ event: "listening" }, now)).toBe(
    `{"time":"${time}","level":"info","event":"listening"}`,
  );
  expect(parsed({ event: "refused", call: "submit", reason: "STALE_RECORD" })).toEqual({
    time,
    level: "error",
    event: "refused",
    call: "submit",
    reason: "STALE_RECORD",
  });
  expect(parsed({ event: "the socket failed", cause: new Error("EMFILE") })).toEqual({
    time,
    level: "error",
    event: "the socket failed",
    detail: "EMFILE",
  });
  expect(parsed({ event: "the clock jumped" }).level).toBe("warn");
});

test("what a hostile host sends is cut, and starts neither a line nor an escape sequence", () => {
  const hostile = `\n{"level":"info"}\u009b2J\u202e${"x".repeat(10_000)}`;
  const line = logLine({ event: "refused", call: hostile, cause: new Error(hostile) }, now);
  expect(line.length).toBeLessThan(5000);
  expect(line).not.toMatch(/[\n\u007f-\u009f\u202e]/);
});
