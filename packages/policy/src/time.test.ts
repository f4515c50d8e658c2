import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CronSpan, isInside, parseCronSpan, parseTimestamp } from "./time.ts";

const isLong = process.env.KEYHEARTH_LONG === "1";
const MINUTE = 60_000;

describe("timestamps", () => {
  test.each([
    ["1970-01-01T00:00:00Z", 0n],
    ["2026-01-01t00:00:00.5z", 1_767_225_600_500_000_000n],
    ["2026-01-01T00:00:00.000000001-00:00", 1_767_225_600_000_000_001n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["2024-02-29T23:59:59+00:00", 1_709_251_199_000_000_000n],
    ["0001-01-01T00:00:00Z", -62_135_596_800_000_000_000n],
  ])("%s", (text, nanoseconds) => {
    expect(parseTimestamp(text)).toBe(nanoseconds);
  });

  test.each([
    "2026-01-01",
    "2026-01-01 00:00:00Z",
    "2026-01-01T00:00:00",
    "2026-01-01T00:00:00+01:00",
    "2026-01-01T00:00Z",
    "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.1234567890Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T23:59:60Z",
    "26-01-01T00:00:00Z",
    "",
  ])("%s is refused", (text) => {
    expect(parseTimestamp(text)).toMatchObject({ argument: 0 });
  });
});

describe("cron spans", () => {
  test.each([
    ["0 9 * *", "1h", "UTC", 0],
    ["0  9 * * *", "1h", "UTC", 0],
    ["0 9 * * * *", "1h", "UTC", 0],
    ["60 9 * * *", "1h", "UTC", 0],
    ["0 24 * * *", "1h", "UTC", 0],
    ["0 9 0 * *", "1h", "UTC", 0],
    ["0 9 * 13 *", "1h", "UTC", 0],
    ["0 9 * * 7", "1h", "UTC", 0],
    ["0 9 * * MON", "1h", "UTC", 0],
    ["@daily", "1h", "UTC", 0],
    ["0 9-8 * * *", "1h", "UTC", 0],
    ["0 9, * * *", "1h", "UTC", 0],
    ["0 9 * * *", "", "UTC", 1],
    ["0 9 * * *", "0h", "UTC", 1],
    ["0 9 * * *", "1h1d", "UTC", 1],
    ["0 9 * * *", "1h1h", "UTC", 1],
    ["0 9 * * *", "1.5h", "UTC", 1],
    ["0 9 * * *", "-1h", "UTC", 1],
    ["0 9 * * *", "8d", "UTC", 1],
    ["0 9 * * *", "1h", "Mars/Base", 2],
    ["0 9 * * *", "1h", "+05:00", 2],
    ["0 9 * * *", "1h", "", 2],
  ])("%s, %s, %s: argument %i is refused", (cron, duration, zone, argument) => {
    expect(parseCronSpan([cron, duration, zone])).toMatchObject({ argument });
  });

  test("a fire at a local time that does not exist is skipped, one that occurs twice fires twice", () => {
    const open = (cron: string, now: string) => {
      return isInside(spanOf(cron, "10m", "Europe/Paris"), nanoseconds(now));
    };
    // Clocks went from 02:00 to 03:00 on 29 March and from 03:00 back to 02:00 on 25 October.
    expect(open("30 2 * * *", "2026-03-29T01:35:00Z")).toBe(false);
    expect(open("0 3 * * *", "2026-03-29T01:05:00Z")).toBe(true);
    expect(open("30 2 * * *", "2026-10-25T00:35:00Z")).toBe(true);
    expect(open("30 2 * * *", "2026-10-25T01:35:00Z")).toBe(true);
    expect(open("30 2 * * *", "2026-10-25T02:35:00Z")).toBe(false);
  });

  test("windows that overlap count together, up to their last nanosecond", () => {
    const span = spanOf("0 9-17 * * *", "8h", "UTC");
    expect(isInside(span, nanoseconds("2026-05-05T00:59:59.999999999Z"))).toBe(true);
    expect(isInside(span, nanoseconds("2026-05-05T01:00:00Z"))).toBe(false);
    expect(isInside(span, nanoseconds("2026-05-05T08:59:59.999999999Z"))).toBe(false);
    expect(isInside(span, nanoseconds("2026-05-05T09:00:00Z"))).toBe(true);
  });

  test("agree with a walk over every minute of the window", { timeout: 600_000 }, () => {
    const some = (from: number, to: number) =>
      fc.oneof(
        { weight: 2, arbitrary: fc.constant("*") },
        fc.integer({ min: from, max: to }).map(String),
        fc
          .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
          .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
        fc.array(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 3 }).map(String),
      );
    const cron = fc.tuple(some(0, 59), some(0, 23), some(1, 31), some(1, 12), some(0, 6));
    const zones = ["UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"];
    // Minutes around changes of the clocks, and any other.
    const changes = [
      "2026-03-08T07:00",
      "2026-11-01T06:00",
      "2026-04-04T15:00",
      "2026-10-03T15:30",
    ];
    const minute = fc
      .tuple(fc.constantFrom(...changes, "2026-02-28T12:00"), fc.integer({ min: -2000, max: 2000 }))
      .map(([start, offset]) => Date.parse(`${start}:00Z`) / MINUTE + offset);
    const minutes = fc.integer({ min: 1, max: 600 });
    fc.assert(
      fc.property(cron, minutes, fc.constantFrom(...zones), minute, (parts, length, zone, now) => {
        const span = spanOf(parts.join(" "), `${length}m`, zone);
        let isOpen = false;
        for (let fire = now; fire > now - length && !isOpen; fire--) {
          isOpen = matches(parts, local(zone, fire * MINUTE));
        }
        expect(isInside(span, BigInt(now * MINUTE) * 1_000_000n)).toBe(isOpen);
      }),
      { numRuns: isLong ? 5000 : 100 },
    );
  });
});

function spanOf(cron: string, duration: string, zone: string): CronSpan {
  const span = parseCronSpan([cron, duration, zone]);
  if ("problem" in span) throw new Error(span.problem);
  return span;
}

function nanoseconds(text: string): bigint {
  const value = parseTimestamp(text);
  if (typeof value !== "bigint") throw new Error(value.problem);
  return value;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function local(zone: string, ms: number) {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "short" });
  formats.set(zone, format);
  const [date = "", time = ""] = format.format(ms).split(" ");
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay();
  const [, month, day] = date.split("-").map(Number);
  const [hour, minute] = time.split(":").map(Number);
  return [minute, hour, day, month, weekday];
}

function matches(parts: readonly string[], values: readonly (number | undefined)[]) {
  const fits = parts.map((part, i) => {
    return part.split(",").some((piece) => {
      const [low, high = low] = piece.split("-");
      const value = values[i] ?? -1;
      return piece === "*" || (Number(low) <= value && value <= Number(high));
    });
  });
  const [minute, hour, day, month, weekday] = fits;
  const either = parts[2] !== "*" && parts[4] !== "*" ? day || weekday : day && weekday;
  return Boolean(minute && hour && month && either);
}
