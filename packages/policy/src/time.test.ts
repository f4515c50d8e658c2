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
    ["1970-01-01T00:00:00.123456789Z", 123_456_789n],
    ["1970-12-31T23:59:59Z", 31_535_999_000_000_000n],
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
    "x2026-01-01T00:00:00Z",
    "2026-01-01T00:00:00Zx",
    "2026-01-01T00:00:00-01:00",
    "2026-01-01T00:00:00+00:01",
    "2026-00-01T00:00:00Z",
    "2026-01-00T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-01-01T00:60:00Z",
    "",
  ])("%s is refused", (text) => {
    const isDate = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text);
    expect(parseTimestamp(text)).toEqual({
      problem: isDate
        ? "there is no such date and time"
        : "this is not an RFC 3339 date and time in UTC",
      argument: 0,
      expected: "a date and time in UTC such as `2026-01-31T08:00:00Z`",
    });
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

  test.each([
    ["0 9 * *", "this is not a cron expression"],
    ["0 9 * * * *", "this is not a cron expression"],
    ["", "this is not a cron expression"],
    ["60 9 * * *", "this is not a cron expression in its minute"],
    ["60 24 * * *", "this is not a cron expression in its minute"],
    ["0 24 * * *", "this is not a cron expression in its hour"],
    ["0 9 0 * *", "this is not a cron expression in its day of month"],
    ["0 9 32 * *", "this is not a cron expression in its day of month"],
    ["0 9 * 0 *", "this is not a cron expression in its month"],
    ["0 9 * 13 *", "this is not a cron expression in its month"],
    ["0 9 * * 7", "this is not a cron expression in its day of week"],
    ["x0 9 * * *", "this is not a cron expression in its minute"],
    ["0x 9 * * *", "this is not a cron expression in its minute"],
    ["000 9 * * *", "this is not a cron expression in its minute"],
    ["1-000 9 * * *", "this is not a cron expression in its minute"],
    ["0-60 9 * * *", "this is not a cron expression in its minute"],
    ["1-2-3 9 * * *", "this is not a cron expression in its minute"],
    ["-1 9 * * *", "this is not a cron expression in its minute"],
    ["1- 9 * * *", "this is not a cron expression in its minute"],
  ])("%s: %s", (cron, problem) => {
    expect(parseCronSpan([cron, "1h", "UTC"])).toEqual({
      problem,
      argument: 0,
      expected: "minute, hour, day of month, month and day of week: `*`, `5`, `1-5` or `1,3`",
    });
  });

  test.each([
    ["1m", 1],
    ["90m", 90],
    ["1h", 60],
    ["1d", 1440],
    ["1d12h", 2160],
    ["1d2h3m", 1563],
    ["7d", 10_080],
    ["000007d", 10_080],
    ["6d23h60m", 10_080],
    ["168h", 10_080],
    ["6d24h1m", undefined],
    ["7d1m", undefined],
    ["10081m", undefined],
    ["0000001m", undefined],
    ["0d0h0m", undefined],
    ["x1m", undefined],
    ["1mx", undefined],
    ["1", undefined],
    ["1s", undefined],
  ])("a duration of %s has %o minutes", (duration, minutes) => {
    const span = parseCronSpan(["0 9 * * *", duration, "UTC"]);
    if (minutes !== undefined) expect(span).toMatchObject({ durationMs: minutes * MINUTE });
    else {
      expect(span).toEqual({
        problem: "this is not a duration of at most 7 days",
        argument: 1,
        expected: "days, hours and minutes such as `8h`, `90m` or `1d12h`",
      });
    }
  });

  test.each(["UTC", "Etc/GMT+5", "America/Argentina/Buenos_Aires", "EST5EDT", "Etc/GMT-14"])(
    "%s is a zone",
    (zone) => {
      expect(parseCronSpan(["0 9 * * *", "1h", zone])).toMatchObject({ durationMs: 60 * MINUTE });
    },
  );

  test.each(["", "Mars/Base", "+05:00", "-05", "UTC/", "/UTC", " UTC", "UTC ", "Europe//Paris"])(
    "%o is not a zone",
    (zone) => {
      expect(parseCronSpan(["0 9 * * *", "1h", zone])).toEqual({
        problem: "there is no such time zone",
        argument: 2,
        expected: "a name such as `Europe/Paris` or `UTC`",
      });
    },
  );

  test("what is missing is refused", () => {
    expect(parseCronSpan([])).toMatchObject({ argument: 0 });
    expect(parseCronSpan(["0 9 * * *"])).toMatchObject({ argument: 1 });
    expect(parseCronSpan(["0 9 * * *", "1h"])).toMatchObject({ argument: 2 });
  });

  // Each row is open from the first instant until just before the second.
  test.each([
    ["59 23 31 12 *", "2m", "UTC", "2026-12-31T23:59:00Z", "2027-01-01T00:01:00Z"],
    ["0 0 1 1 *", "1m", "UTC", "1970-01-01T00:00:00Z", "1970-01-01T00:01:00Z"],
    ["0 0 1 1 *", "1m", "UTC", "1969-01-01T00:00:00Z", "1969-01-01T00:01:00Z"],
    ["0 0 * * *", "1m", "UTC", "2026-05-05T00:00:00Z", "2026-05-05T00:01:00Z"],
    ["59 * * * *", "1m", "UTC", "2026-05-05T10:59:00Z", "2026-05-05T11:00:00Z"],
    ["* 23 * * *", "1m", "UTC", "2026-05-05T23:00:00Z", "2026-05-06T00:00:00Z"],
    ["* 0 * * *", "1m", "UTC", "2026-05-05T00:00:00Z", "2026-05-05T01:00:00Z"],
    ["10,12 9 * * *", "1m", "UTC", "2026-05-05T09:12:00Z", "2026-05-05T09:13:00Z"],
    ["10-12 9 * * *", "1m", "UTC", "2026-05-05T09:10:00Z", "2026-05-05T09:13:00Z"],
    ["5-5 9 * * *", "1m", "UTC", "2026-05-05T09:05:00Z", "2026-05-05T09:06:00Z"],
    ["0 0 1 * *", "7d", "UTC", "2026-05-01T00:00:00Z", "2026-05-08T00:00:00Z"],
    ["* * 31 * *", "1m", "UTC", "2026-05-31T00:00:00Z", "2026-06-01T00:00:00Z"],
    ["* * * 2 *", "1m", "UTC", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"],
    ["* * * 12 *", "1m", "UTC", "2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"],
    ["* * * * 0", "1m", "UTC", "2026-05-03T00:00:00Z", "2026-05-04T00:00:00Z"],
    ["* * * * 6", "1m", "UTC", "2026-05-09T00:00:00Z", "2026-05-10T00:00:00Z"],
    // Of a day of the month and a day of the week, either is enough: the 5th is a Tuesday.
    ["* * 8 * 2", "1m", "UTC", "2026-05-05T00:00:00Z", "2026-05-06T00:00:00Z"],
    ["* * 8 * 2", "1m", "UTC", "2026-05-08T00:00:00Z", "2026-05-09T00:00:00Z"],
    ["0 9 * * *", "8h", "Asia/Kathmandu", "2026-05-05T03:15:00Z", "2026-05-05T11:15:00Z"],
    // The clocks change within the window, which keeps its length.
    ["30 1 8 3 *", "2d", "America/New_York", "2026-03-08T06:30:00Z", "2026-03-10T06:30:00Z"],
    ["30 3 8 3 *", "1h", "America/New_York", "2026-03-08T07:30:00Z", "2026-03-08T08:30:00Z"],
    ["30 0 1 11 *", "1d", "America/New_York", "2026-11-01T04:30:00Z", "2026-11-02T04:30:00Z"],
    ["0 0 5 3 *", "7d", "America/New_York", "2026-03-05T05:00:00Z", "2026-03-12T05:00:00Z"],
    // At the instant at which the clocks change.
    ["59 1 8 3 *", "1m", "America/New_York", "2026-03-08T06:59:00Z", "2026-03-08T07:00:00Z"],
    ["0 3 8 3 *", "1m", "America/New_York", "2026-03-08T07:00:00Z", "2026-03-08T07:01:00Z"],
    ["0 1 1 11 *", "1m", "America/New_York", "2026-11-01T05:00:00Z", "2026-11-01T05:01:00Z"],
    ["0 1 1 11 *", "1m", "America/New_York", "2026-11-01T06:00:00Z", "2026-11-01T06:01:00Z"],
    ["59 1 1 11 *", "1m", "America/New_York", "2026-11-01T05:59:00Z", "2026-11-01T06:00:00Z"],
    ["59 1 1 11 *", "1m", "America/New_York", "2026-11-01T06:59:00Z", "2026-11-01T07:00:00Z"],
    ["0 2 1 11 *", "1m", "America/New_York", "2026-11-01T07:00:00Z", "2026-11-01T07:01:00Z"],
  ])("%s for %s in %s is open from %s until %s", (cron, duration, zone, opens, closes) => {
    const span = spanOf(cron, duration, zone);
    const [from, to] = [nanoseconds(opens), nanoseconds(closes)];
    expect(isInside(span, from - 1n)).toBe(false);
    expect(isInside(span, from)).toBe(true);
    expect(isInside(span, (from + to) / 2n)).toBe(true);
    expect(isInside(span, to - 1n)).toBe(true);
    expect(isInside(span, to)).toBe(false);
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

  test("ask a time zone for a few offsets, whose time is most of what they take, and not again soon", () => {
    for (const [name, most] of [
      ["Asia/Tokyo", 4],
      ["Europe/Paris", 34],
    ] as const) {
      let asked = 0;
      const known = spanOf("0 0 1 1 *", "7d", name);
      const offsetAt = (ms: number) => {
        asked += 1;
        return known.zone.offsetAt(ms);
      };
      const zone = { offsetAt, offsets: new Map(), changes: new Map() };
      const span = { ...known, zone };
      // Within a week after the clocks of Paris changed, where the change is searched for once.
      const now = nanoseconds("2026-03-31T12:00:00Z");
      expect(isInside(span, now)).toBe(false);
      expect(asked).toBeLessThanOrEqual(most);
      const first = asked;
      for (let seconds = 0n; seconds < 3600n; seconds += 60n) {
        expect(isInside(span, now + seconds * 1_000_000_000n)).toBe(false);
      }
      expect(asked).toBe(first);
      // Any other CronSpan of the zone has the same offsets.
      expect(isInside({ ...spanOf("0 0 2 1 *", "6d", name), zone }, now)).toBe(false);
      expect(asked).toBe(first);
    }
    expect(spanOf("0 0 * * *", "1h", "europe/PARIS").zone).toBe(
      spanOf("* * * * *", "2h", "Europe/Paris").zone,
    );
  });

  test("of a zone are kept for a bounded time only", () => {
    const span = spanOf("0 0 1 1 *", "7d", "Europe/Paris");
    for (let year = 1000; year < 3000; year += 1) {
      isInside(span, nanoseconds(`${year}-07-01T00:00:00Z`));
      isInside(span, nanoseconds(`${year}-03-31T00:00:00Z`));
    }
    expect(span.zone.offsets.size).toBeLessThanOrEqual(100);
    expect(span.zone.changes.size).toBeLessThanOrEqual(100);
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
