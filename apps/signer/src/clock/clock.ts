import { uptime } from "node:os";
import { ApiError } from "@keyhearth/engine/errors";

/** What the machine says about time, in milliseconds. */
export type Machine = {
  /** The time of day. Anyone who controls the machine or its time servers can set it. */
  now(): number;
  /** Since some instant. Nobody can set it. It may stand still while the machine sleeps. */
  running(): number;
  /** Since the machine was switched on, asleep or awake. Nobody can set it, and it takes longer to read. */
  up(): number;
};

export const theMachine: Machine = {
  now: Date.now,
  running: () => performance.now(),
  up: () => uptime() * 1000,
};

export type Jump = { fromMs: number; toMs: number; byMs: number };

export type Clock = {
  /** The time of a decision. */
  now(): number;
  /** The same, for answers that decide nothing. Leaves no trace. */
  peek(): number;
  /** The time of the latest decision. The caller keeps it across restarts. */
  latest(): number;
};

/** How far the clock may step back. The signer repeats the latest time until it is reached again. */
const TOLERANCE_MS = 30_000;

/** By how much a clock may go faster than the machine's counters, which have oscillators of their own. */
const MAX_DRIFT = 0.001;

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Steps ahead that are believed, in all. A day makes up for as much again. */
const MAX_STEPS_MS = HOUR_MS;

/** How long the signer may have been stopped. */
const MAX_ABSENCE_MS = 30 * DAY_MS;

/** A shorter absence is not worth a line in the log. */
const LONG_ABSENCE_MS = DAY_MS;

const ADVICE =
  "if this is wrong, correct the machine's clock; if it is right, stop the signer and run `npm run signer -- accept-clock` on its machine";

/**
 * The signer's clock (decision 5). Lifetimes and replay windows are measured with it, so it never runs backwards by itself,
 * and a wrong time that was believed once would be a floor for good. So a time is believed only if it follows
 * from the latest one: in one run, by the machine's counters, which nobody can set; across a stop, if it was not
 * too long. Small steps ahead are believed and reported. Otherwise the signer refuses to work, remembers nothing,
 * and goes on by itself as soon as the clock is right.
 */
export function createClock(
  machine: Machine,
  latestMs: number,
  onJump: (jump: Jump) => void = () => {},
): Clock {
  let lastMs = latestMs;
  let stepsMs = MAX_STEPS_MS;
  /** Where this run believed the clock. Null before its first decision: the time since the last run is not known. */
  let base: { nowMs: number; runningMs: number; upMs: number } | null = null;

  /** Whether the time follows from the latest one by the counter that is fast to read. */
  function isSteady(readMs: number): boolean {
    if (!base) return false;
    return readMs <= base.nowMs + grown(machine.running() - base.runningMs) + TOLERANCE_MS;
  }

  /** How far a time is beyond what follows from the latest one. Throws if that is not believed. */
  function judge(readMs: number): number {
    if (!base) {
      const byMs = lastMs > 0 ? readMs - lastMs : 0;
      if (byMs > MAX_ABSENCE_MS) throw tooLate(readMs, lastMs);
      return byMs > LONG_ABSENCE_MS ? byMs : 0;
    }
    const elapsedMs = machine.up() - base.upMs;
    const expectedMs = base.nowMs + grown(elapsedMs);
    const byMs = readMs - expectedMs;
    if (byMs <= TOLERANCE_MS) return 0;
    if (byMs > stepsLeft(elapsedMs)) throw ahead(readMs, expectedMs);
    return byMs;
  }

  function stepsLeft(elapsedMs: number): number {
    return Math.min(MAX_STEPS_MS, stepsMs + (elapsedMs / DAY_MS) * MAX_STEPS_MS);
  }

  /** Measures from here on, so that drift does not add up. A clock that is ahead by a little stays ahead by it. */
  function believe(readMs: number, byMs: number) {
    const upMs = machine.up();
    const elapsedMs = base ? upMs - base.upMs : 0;
    stepsMs = stepsLeft(elapsedMs) - (base ? byMs : 0);
    const steadyMs = base && byMs === 0 ? base.nowMs + grown(elapsedMs) : readMs;
    base = { nowMs: Math.min(readMs, steadyMs), runningMs: machine.running(), upMs };
    if (byMs > 0) onJump({ fromMs: lastMs, toMs: readMs, byMs });
  }

  function read(): number {
    const readMs = machine.now();
    if (readMs < lastMs - TOLERANCE_MS) throw backwards(readMs, lastMs);
    return readMs;
  }

  return {
    now() {
      const readMs = read();
      const isRecent = base !== null && machine.running() - base.runningMs < HOUR_MS;
      if (!isRecent || !isSteady(readMs)) believe(readMs, judge(readMs));
      lastMs = Math.max(lastMs, readMs);
      return lastMs;
    },
    peek() {
      const readMs = read();
      if (!isSteady(readMs)) judge(readMs);
      return Math.max(lastMs, readMs);
    },
    latest: () => lastMs,
  };
}

const STATED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/;
const STATED_TOLERANCE_MS = 5 * 60 * 1000;

/** The machine's time, if the operator states about the same: a clock that is wrong should not be accepted. */
export function readStatedTime(stated: string, nowMs: number): number {
  const statedMs = STATED.test(stated) ? Date.parse(stated) : Number.NaN;
  if (Number.isNaN(statedMs)) {
    throw new Error(
      `\`${stated}\` is not a time in UTC: state what time it is by another clock, such as 2026-01-31T09:30Z`,
    );
  }
  if (Math.abs(statedMs - nowMs) <= STATED_TOLERANCE_MS) return nowMs;
  throw new Error(
    `this machine says that it is ${timeOf(nowMs)}, which is more than five minutes from ${timeOf(statedMs)}: correct the machine's clock first; nothing was changed`,
  );
}

function grown(elapsedMs: number): number {
  return elapsedMs * (1 + MAX_DRIFT);
}

function backwards(readMs: number, lastMs: number): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "CLOCK_BACKWARDS",
    `the signer's machine says that it is ${timeOf(readMs)}, but the signer has worked at ${timeOf(lastMs)}, and refuses to work before that time; ${ADVICE}, which says what it risks`,
  );
}

function ahead(readMs: number, expectedMs: number): ApiError {
  return jumped(
    `the signer's machine says that it is ${timeOf(readMs)}, but by the time that has passed it is about ${timeOf(expectedMs)}`,
  );
}

function tooLate(readMs: number, lastMs: number): ApiError {
  return jumped(
    `the signer's machine says that it is ${timeOf(readMs)}, but the signer last worked at ${timeOf(lastMs)}, more than ${MAX_ABSENCE_MS / DAY_MS} days before`,
  );
}

function jumped(what: string): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "CLOCK_JUMPED",
    `${what}, and the signer refuses to work until it is sure; ${ADVICE}`,
  );
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
