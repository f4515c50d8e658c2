import { statfs } from "node:fs/promises";
import { InputError } from "../errors.ts";
import type { Finding } from "../findings.ts";
import { plain } from "../output.ts";
import { inMb } from "./place.ts";

/** What ends a drill before it is done: a signal of the operating system, or a finding. */
export type Ends = {
  readonly signal: AbortSignal;
  /** What is wrong, if that ended it. */
  readonly finding: () => Finding | undefined;
  readonly stop: () => void;
};

type Limits = {
  /** The folder in which the copies are restored. */
  readonly base: string;
  readonly minutes: number;
  /** Bytes that must stay free, without which the programs of this machine would fail. */
  readonly reserve?: number;
  /** Files that must still fit: a disk has a number of them, whatever their size. */
  readonly reserveFiles?: number;
};

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const LOOK_EVERY_MS = 250;
const RESERVE_BYTES = 512 * 1024 * 1024;
const RESERVE_FILES = 50_000;
/** Of a small disk, this part of its files. */
const RESERVE_PART = 20;

/**
 * A copy that somebody else made can unpack to more than the disk has, or to SQL without end, and would take the disk
 * from the programs of this machine, or hold up a timer that starts a drill every night.
 */
export function watchForEnds({
  base,
  minutes,
  reserve = RESERVE_BYTES,
  reserveFiles,
}: Limits): Ends {
  const controller = new AbortController();
  const end = (finding: Finding) => controller.abort(finding);
  const onSignal = (name: NodeJS.Signals) => controller.abort(name);
  for (const name of SIGNALS) process.on(name, onSignal);
  const timer = setTimeout(() => end(tooLong(minutes)), minutes * 60_000);
  const look = setInterval(async () => {
    // The folder itself is checked elsewhere.
    const found = await statfs(base).catch(() => undefined);
    if (!found) return;
    if (found.bavail * found.bsize < reserve) end(tooLarge(base, reserve));
    const least = reserveFiles ?? Math.min(RESERVE_FILES, Math.floor(found.files / RESERVE_PART));
    // Some file systems have no such number.
    if (found.files > 0 && found.ffree < least) end(tooMany(base, least));
  }, LOOK_EVERY_MS);
  return {
    signal: controller.signal,
    finding: () => {
      const { reason } = controller.signal;
      return typeof reason === "object" ? reason : undefined;
    },
    stop() {
      clearTimeout(timer);
      clearInterval(look);
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

const MOST_MINUTES = 7 * 24 * 60;

export function readMinutes(given: string | undefined, byDefault: number): number {
  if (given === undefined) return byDefault;
  const minutes = /^\d+(\.\d+)?$/.test(given) ? Number(given) : 0;
  if (minutes > 0 && minutes <= MOST_MINUTES) return minutes;
  throw new InputError(
    `--minutes is ${plain(given)}: write a number above 0 and up to ${MOST_MINUTES}, which is a week`,
  );
}

function tooLong(minutes: number): Finding {
  const message = `the drill was not done after ${minutes} minutes: give it more with --minutes, or make the copy again if it is small`;
  return { check: "time", status: "error", message };
}

function tooLarge(base: string, reserve: number): Finding {
  const message = `${plain(base)} has less than ${inMb(reserve)} left, so the copy is not restored: free some space, name a folder on another disk with --directory, or make the copy again if it should be smaller`;
  return { check: "room", status: "error", message };
}

function tooMany(base: string, reserve: number): Finding {
  const message = `${plain(base)} has room for less than ${reserve} more files, so the copy is not restored: name a folder on another disk with --directory, or make the copy again if it should have fewer files`;
  return { check: "room", status: "error", message };
}
