import { readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { StartError } from "../config/start-error.ts";
import { openDataDirectory, writeMarker } from "./data-directory.ts";
import { codeOf, explainFileErrors, writeNewJson } from "./files.ts";
import {
  describeOwner,
  isRunning,
  isVisible,
  newOwner,
  type Owner,
  readOwner,
} from "./lock-owner.ts";

export type DataDirectoryLock = { release(): void };

/**
 * Takes the directory for this process alone. Creates it, refuses one that belongs to something else
 * or to a running process, and takes over what a killed process left behind. Throws `StartError`.
 *
 * Each starting process writes a numbered file and only then looks for others. Of two that race, only
 * one can create the file of a number. If both ever get a number, each sees the other and both give
 * up.
 *
 * Invariant: when this returns, one file names this process and no other file names a live one.
 */
export function lockDataDirectory(
  directory: string,
  { patienceMs = 5000, advice = SHARE }: { patienceMs?: number; advice?: string } = {},
): DataDirectoryLock {
  return explainFileErrors(directory, () => {
    openDataDirectory(directory);
    const lock = acquire(directory, { patienceMs, advice });
    try {
      writeMarker(directory);
    } catch (error) {
      lock.release();
      throw error;
    }
    return lock;
  });
}

/** What to do about a directory that is in use. */
const SHARE =
  "stop it, set KEYHEARTH_DATA_DIR to another directory, or let the processes share a PostgreSQL database (DATABASE_URL) and a signer process (KEYHEARTH_SIGNER)";

type Entry = { path: string; number: number; owner: Owner | undefined };

const HEARTBEAT_MS = 2000;
const ATTEMPTS = 20;

const lockPattern = /^keyhearth\.lock\.(\d{1,15})$/;

type Waiting = { patienceMs: number; advice: string };

function acquire(directory: string, { patienceMs, advice }: Waiting): DataDirectoryLock {
  const self = newOwner();
  const findHolder = createWatch(self, patienceMs);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = listEntries(directory);
    const holder = findHolder(before);
    if (holder) throw inUse(directory, describeOwner(holder, self), advice);

    const number = Math.max(0, ...before.map((entry) => entry.number)) + 1;
    const path = join(directory, `keyhearth.lock.${number}`);
    if (!tryWriteNew(path, self)) continue;

    const after = listEntries(directory);
    const others = after.filter(({ owner }) => owner?.id !== self.id);
    if (others.length < after.length && !findHolder(others, path)) {
      for (const { path: stale } of others) rmSync(stale, { force: true });
      return keepAlive(path, self);
    }
    release(path, self);
    sleep(10 + Math.random() * 40);
  }
  throw new StartError(
    `the data directory ${directory} is being opened by several processes at once; start one of them`,
  );
}

/** Finds the entry of a running process. */
function createWatch(self: Owner, patienceMs: number) {
  // We do not wait again for an owner that was silent for the whole time.
  const dead = new Set<string>();
  return (entries: Entry[], ownPath?: string): Owner | undefined =>
    entries.find(({ owner, path }) => {
      if (!owner || dead.has(owner.id)) return false;
      const isAlive = isVisible(owner, self)
        ? isRunning(owner)
        : hasHeartbeat(path, patienceMs, ownPath);
      if (!isAlive) dead.add(owner.id);
      return isAlive;
    })?.owner;
}

function keepAlive(path: string, self: Owner): DataDirectoryLock {
  const heartbeat = setInterval(() => touch(path), HEARTBEAT_MS).unref();
  return {
    release() {
      clearInterval(heartbeat);
      release(path, self);
    },
  };
}

function release(path: string, self: Owner) {
  if (readOwner(path)?.id === self.id) rmSync(path, { force: true });
}

function listEntries(directory: string): Entry[] {
  return readdirSync(directory).flatMap((name) => {
    const number = lockPattern.exec(name)?.[1];
    if (number === undefined) return [];
    const path = join(directory, name);
    return [{ path, number: Number(number), owner: readOwnerPatiently(path) }];
  });
}

/** Another process may be between creating its file and writing to it, or was killed there. */
function readOwnerPatiently(path: string): Owner | undefined {
  for (let attempt = 0; attempt < 10; attempt++) {
    const owner = readOwner(path);
    if (owner) return owner;
    sleep(20);
  }
  return undefined;
}

/**
 * Of a process in another container or on another machine we see only the file, which the process
 * touches while it runs. Meanwhile we keep touching our own file, for others that watch us.
 */
function hasHeartbeat(path: string, patienceMs: number, ownPath?: string): boolean {
  const initialMs = modifiedMs(path);
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 100) {
    sleep(100);
    if (ownPath !== undefined) touch(ownPath);
    const currentMs = modifiedMs(path);
    if (currentMs === undefined) return false;
    if (currentMs !== initialMs) return true;
  }
  return false;
}

function modifiedMs(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

function touch(path: string) {
  const now = new Date();
  try {
    utimesSync(path, now, now);
  } catch {
    // The file or the disk is gone. Neither is a reason to stop a running service.
  }
}

function tryWriteNew(path: string, value: object): boolean {
  try {
    writeNewJson(path, value);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function inUse(directory: string, holder: string, advice: string): StartError {
  return new StartError(
    `the data directory ${directory} is already in use by ${holder}; ${advice}`,
  );
}

/** Blocks the thread. Nothing else needs it yet during the start. */
function sleep(milliseconds: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
