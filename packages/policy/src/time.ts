/** Why a literal is refused, and which argument is to blame. */
export type LiteralProblem = {
  readonly problem: string;
  readonly argument: number;
  readonly expected: string;
};

/** A recurring window: fires at local minutes of a zone and stays open for a while. */
export type CronSpan = {
  readonly minutes: readonly boolean[];
  readonly hours: readonly boolean[];
  readonly daysOfMonth: readonly boolean[] | undefined;
  readonly months: readonly boolean[];
  readonly daysOfWeek: readonly boolean[] | undefined;
  readonly durationMs: number;
  readonly zone: Zone;
};

/**
 * A time zone. To ask it for an offset takes much longer than all the rest of a CronSpan, so those at instants that are a
 * `STEP` apart are kept, and the changes between two of them.
 */
export type Zone = {
  /** The offset from UTC, in ms, at an instant. */
  readonly offsetAt: (ms: number) => number;
  /** By the number of the step that begins at the instant. */
  readonly offsets: Map<number, number>;
  /** The first instant with the next offset, by the number of its step. */
  readonly changes: Map<number, number>;
};

/** Nanoseconds since 1970 of an RFC 3339 date-time in UTC. */
export function parseTimestamp(text: string): bigint | LiteralProblem {
  const match = TIMESTAMP.exec(text);
  const fail = (problem: string): LiteralProblem => ({
    problem,
    argument: 0,
    expected: "a date and time in UTC such as `2026-01-31T08:00:00Z`",
  });
  if (!match) return fail("this is not an RFC 3339 date and time in UTC");
  const [, year, month, day, hour, minute, second, fraction = ""] = match;
  const parts = [year, month, day, hour, minute, second].map(Number);
  const date = new Date(0);
  const [y = 0, m = 0, d = 0, h = 0, min = 0, s = 0] = parts;
  date.setUTCFullYear(y, m - 1, d);
  date.setUTCHours(h, min, s, 0);
  const back = [
    date.getUTCFullYear(),
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ];
  if (parts.some((part, i) => part !== back[i])) return fail("there is no such date and time");
  return BigInt(date.getTime()) * 1_000_000n + BigInt(fraction.padEnd(9, "0"));
}

/** Reads `cron`, `duration` and `zone` of a CronSpan. */
export function parseCronSpan(texts: readonly string[]): CronSpan | LiteralProblem {
  const [cron = "", duration = "", zone = ""] = texts;
  const fields = cron.split(" ");
  const parsed = FIELDS.map(({ from, to }, i) => parseCronField(fields[i] ?? "", from, to));
  if (fields.length !== FIELDS.length || parsed.includes("invalid")) {
    const bad = parsed.indexOf("invalid");
    const where = fields.length === FIELDS.length ? ` in its ${FIELDS[bad]?.name}` : "";
    return {
      problem: `this is not a cron expression${where}`,
      argument: 0,
      expected: "minute, hour, day of month, month and day of week: `*`, `5`, `1-5` or `1,3`",
    };
  }
  const durationMs = parseDuration(duration);
  if (durationMs === undefined) {
    return {
      problem: "this is not a duration of at most 7 days",
      argument: 1,
      expected: "days, hours and minutes such as `8h`, `90m` or `1d12h`",
    };
  }
  const known = zoneNamed(zone);
  if (!known) {
    return {
      problem: "there is no such time zone",
      argument: 2,
      expected: "a name such as `Europe/Paris` or `UTC`",
    };
  }
  // Invariant: no field is "invalid" here; undefined stands for `*`.
  const [minutes, hours, daysOfMonth, months, daysOfWeek] = parsed as (boolean[] | undefined)[];
  return {
    minutes: minutes ?? every(0, 59),
    hours: hours ?? every(0, 23),
    daysOfMonth,
    months: months ?? every(1, 12),
    daysOfWeek,
    durationMs,
    zone: known,
  };
}

/** Whether a window is open: some fire f has f <= now < f + duration. */
export function isInside(span: CronSpan, now: bigint): boolean {
  const nowMs = Number(now / 1_000_000n) - (now % 1_000_000n < 0n ? 1 : 0);
  // A fire that started exactly `duration` ago is over.
  const first = nowMs - span.durationMs + 1;
  let to = nowMs;
  while (to >= first) {
    const { since, offset } = stretchAt(span.zone, to);
    const from = Math.max(first, since);
    if (hasFire(span, from + offset, to + offset)) return true;
    to = from - 1;
  }
  return false;
}

const TIMESTAMP =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|[+-]00:00)$/;

const FIELDS = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12 },
  { name: "day of week", from: 0, to: 6 },
];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Zones change their offset rarely: no two changes since 2000 are nearer than that. */
const STEP = 6 * DAY;

/** Steps of a zone that are kept, which is more than a year. A window has at most three, between four instants. */
const MAX_STEPS_KEPT = 100;

function parseCronField(text: string, from: number, to: number) {
  if (text === "*") return undefined;
  const allowed: boolean[] = [];
  for (const part of text.split(",")) {
    const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part);
    const low = Number(match?.[1]);
    const high = Number(match?.[2] ?? match?.[1]);
    if (!match || low < from || high > to || low > high) return "invalid";
    for (let value = low; value <= high; value++) allowed[value] = true;
  }
  return allowed;
}

function parseDuration(text: string) {
  const match = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?$/.exec(text);
  if (!match) return undefined;
  const [days = 0, hours = 0, minutes = 0] = match.slice(1).map((digits) => Number(digits ?? 0));
  const duration = days * DAY + hours * HOUR + minutes * MINUTE;
  return duration > 0 && duration <= 7 * DAY ? duration : undefined;
}

function every(from: number, to: number) {
  const allowed: boolean[] = [];
  for (let value = from; value <= to; value++) allowed[value] = true;
  return allowed;
}

/** In lower case, because names count in any. There are a few hundred, whatever is asked for. */
const zones = new Map<string, Zone>();

function zoneNamed(name: string): Zone | undefined {
  const key = name.toLowerCase();
  const known = zones.get(key);
  if (known) return known;
  const offsetAt = zoneOffset(name);
  if (!offsetAt) return undefined;
  const zone = { offsetAt, offsets: new Map(), changes: new Map() };
  zones.set(key, zone);
  return zone;
}

/** The offset from UTC, in ms, that the zone has at an instant. */
function zoneOffset(zone: string) {
  // Engines also take bare offsets such as `+05:00`; those are not names.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(zone)) return undefined;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
    });
  } catch {
    return undefined;
  }
  return (ms: number) => {
    // A quarter of the time that its parts would take.
    const parts = format.format(ms).match(/\d+/g)?.map(Number) ?? [];
    const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = parts;
    const whole = Math.floor(ms / 1000) * 1000;
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole;
  };
}

/** The offset at an instant, and since when the zone has it, as far as the step of the instant shows. */
function stretchAt(zone: Zone, ms: number): { since: number; offset: number } {
  const step = Math.floor(ms / STEP);
  const [before, after] = [offsetOf(zone, step), offsetOf(zone, step + 1)];
  if (before === after) return { since: step * STEP, offset: before };
  const change = keptIn(zone.changes, step, () => changeIn(zone, step, after));
  return ms < change ? { since: step * STEP, offset: before } : { since: change, offset: after };
}

function offsetOf({ offsets, offsetAt }: Zone, step: number): number {
  return keptIn(offsets, step, () => offsetAt(step * STEP));
}

function keptIn(kept: Map<number, number>, step: number, find: () => number): number {
  const known = kept.get(step);
  if (known !== undefined) return known;
  if (kept.size >= MAX_STEPS_KEPT) kept.clear();
  const found = find();
  kept.set(step, found);
  return found;
}

function changeIn({ offsetAt }: Zone, step: number, after: number): number {
  let [other, known] = [step * STEP, (step + 1) * STEP];
  while (known - other > 1) {
    const middle = Math.floor((known + other) / 2);
    if (offsetAt(middle) === after) known = middle;
    else other = middle;
  }
  return known;
}

/** Whether the span fires between two local times, both included, given as if they were UTC. */
function hasFire(span: CronSpan, from: number, to: number) {
  const firstMinute = Math.ceil(from / MINUTE);
  const lastMinute = Math.floor(to / MINUTE);
  const perDay = DAY / MINUTE;
  for (let day = Math.floor(firstMinute / perDay); day * perDay <= lastMinute; day++) {
    if (!matchesDay(span, day)) continue;
    const low = Math.max(0, firstMinute - day * perDay);
    const high = Math.min(perDay - 1, lastMinute - day * perDay);
    for (let hour = Math.floor(low / 60); hour <= Math.floor(high / 60); hour++) {
      if (!span.hours[hour]) continue;
      const lastOfHour = Math.min(59, high - hour * 60);
      for (let minute = Math.max(0, low - hour * 60); minute <= lastOfHour; minute++) {
        if (span.minutes[minute]) return true;
      }
    }
  }
  return false;
}

function matchesDay({ months, daysOfMonth, daysOfWeek }: CronSpan, day: number) {
  const date = new Date(day * DAY);
  if (!months[date.getUTCMonth() + 1]) return false;
  const inMonth = daysOfMonth?.[date.getUTCDate()] ?? false;
  const inWeek = daysOfWeek?.[date.getUTCDay()] ?? false;
  if (daysOfMonth && daysOfWeek) return inMonth || inWeek;
  if (daysOfMonth) return inMonth;
  return daysOfWeek ? inWeek : true;
}
