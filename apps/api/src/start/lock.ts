import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { StartError } from "./start-error.ts";

export type DataDirectoryLock = { release(): void };

/**
 * Makes the directory ours and ours alone: creates it, refuses one that belongs to something else
 * or to a process that lives, and takes over what a killed process left behind. Throws
 * `StartError`.
 *
 * Each starter announces itself in a numbered file and only then looks for others. Of two that
 * race, the number lets one through; should both ever get a number, each sees the other and
 * neither stays.
 *
 * Invariant: who returns has a file that names it, and no other file names a live process.
 */
export function lockDataDirectory(
  directory: string,
  { patienceMs = 5000 }: { patienceMs?: number } = {},
): DataDirectoryLock {
  return explainFileErrors(directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    assertOurs(directory);
    const lock = acquire(directory, patienceMs);
    try {
      writeMarker(directory);
    } catch (error) {
      lock.release();
      throw error;
    }
    return lock;
  });
}

/**
 * The same without the lock, for a process that keeps neither database nor signer in the directory:
 * several may then use it. Throws `StartError`.
 */
export function prepareDataDirectory(directory: string) {
  explainFileErrors(directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    assertOurs(directory);
    writeMarker(directory);
  });
}

type Owner = {
  id: string;
  pid: number;
  startTime: string | null;
  bootId: string | null;
  /** Process ids of another container mean nothing here. */
  pidNamespace: string | null;
};

type Entry = { path: string; number: number; owner: Owner | undefined };

const heartbeatMs = 2000;

const markerName = "keyhearth.json";
const markerLayout = 1;
const lockPattern = /^keyhearth\.lock\.(\d{1,15})$/;

/** What may lie in a directory that we have not marked yet, such as a signer process's state. */
const harmless =
  /^(signer|root-key|keyring(\.new)?|marks(\..+)?|signer\.sock|lost\+found|\.gitkeep|\.gitignore|keyhearth\.(lock\.\d+|json\..+))$/;

function assertOurs(directory: string) {
  const names = readdirSync(directory);
  if (!names.includes(markerName)) {
    const foreign = names.find((name) => !harmless.test(name));
    if (foreign === undefined) return;
    throw new StartError(
      `the data directory ${directory} holds files that are not Keyhearth's (such as \`${foreign}\`); set KEYHEARTH_DATA_DIR to an empty directory or to one that Keyhearth made`,
    );
  }
  const layout = parseMarker(readFileSync(join(directory, markerName), "utf8"));
  if (layout === undefined) {
    throw new StartError(
      `the file ${markerName} in the data directory ${directory} is not one that Keyhearth wrote; restore it from a backup or set KEYHEARTH_DATA_DIR to another directory`,
    );
  }
  if (layout > markerLayout) {
    throw new StartError(
      `the data directory ${directory} was made by a newer version of Keyhearth; start that version or set KEYHEARTH_DATA_DIR to another directory`,
    );
  }
}

function parseMarker(text: string): number | undefined {
  const marker = parseJson(text);
  const isOurs =
    isRecord(marker) && marker.product === "keyhearth" && Number.isSafeInteger(marker.layout);
  return isOurs ? Number(marker.layout) : undefined;
}

function writeMarker(directory: string) {
  const path = join(directory, markerName);
  if (readdirSync(directory).includes(markerName)) return;
  const draft = `${path}.${randomUUID()}`;
  writeNew(draft, { product: "keyhearth", layout: markerLayout });
  renameSync(draft, path);
}

function acquire(directory: string, patienceMs: number): DataDirectoryLock {
  const { startTime, bootId } = processMarks(process.pid);
  const pidNamespace = currentPidNamespace();
  const self: Owner = { id: randomUUID(), pid: process.pid, startTime, bootId, pidNamespace };
  // Whoever was silent for the whole of our patience is not waited for again.
  const dead = new Set<string>();

  function findHolder(entries: Entry[], ownPath?: string): Owner | undefined {
    return entries.find((entry) => {
      if (!entry.owner || dead.has(entry.owner.id)) return false;
      const isAlive = isVisible(entry.owner, self)
        ? isRunning(entry.owner)
        : hasHeartbeat(entry.path, patienceMs, ownPath);
      if (!isAlive) dead.add(entry.owner.id);
      return isAlive;
    })?.owner;
  }

  for (let attempt = 0; attempt < 20; attempt++) {
    const before = listEntries(directory);
    const holder = findHolder(before);
    if (holder) throw inUse(directory, holder, self);

    const number = Math.max(0, ...before.map((entry) => entry.number)) + 1;
    const path = join(directory, `keyhearth.lock.${number}`);
    if (!tryWriteNew(path, self)) continue;

    const after = listEntries(directory);
    const others = after.filter(({ owner }) => owner?.id !== self.id);
    if (others.length < after.length && !findHolder(others, path)) {
      for (const { path: stale } of others) rmSync(stale, { force: true });
      const heartbeat = setInterval(() => touch(path), heartbeatMs).unref();
      return {
        release() {
          clearInterval(heartbeat);
          release(path, self);
        },
      };
    }
    release(path, self);
    sleep(10 + Math.random() * 40);
  }
  throw new StartError(
    `the data directory ${directory} is being opened by several processes at once; start one of them`,
  );
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

/** Between creating a file and writing to it a starter may be caught or killed. */
function readOwnerPatiently(path: string): Owner | undefined {
  for (let attempt = 0; attempt < 10; attempt++) {
    const owner = readOwner(path);
    if (owner) return owner;
    sleep(20);
  }
  return undefined;
}

function readOwner(path: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  const owner = parseJson(text);
  if (!isRecord(owner) || typeof owner.id !== "string" || !Number.isSafeInteger(owner.pid)) {
    return undefined;
  }
  return {
    id: owner.id,
    pid: Number(owner.pid),
    startTime: typeof owner.startTime === "string" ? owner.startTime : null,
    bootId: typeof owner.bootId === "string" ? owner.bootId : null,
    pidNamespace: typeof owner.pidNamespace === "string" ? owner.pidNamespace : null,
  };
}

/** Whether the owner's process id means the same process to us: same boot, same container. */
function isVisible(owner: Owner, self: Owner): boolean {
  return owner.bootId === self.bootId && owner.pidNamespace === self.pidNamespace;
}

/** A process id is used again; with the time of its start it names one process. */
function isRunning({ pid, startTime }: Owner): boolean {
  if (pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it lives under another user id.
    if (codeOf(error) !== "EPERM") return false;
  }
  const found = processMarks(pid);
  if (found.isZombie) return false;
  return found.startTime === null || startTime === null || found.startTime === startTime;
}

/**
 * Of a process in another container or on another machine only its file is seen: the holder
 * touches it while it lives. Our own file is kept alive meanwhile, for whoever watches us.
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
    // The file is gone or the disk is; neither is a reason to end a running service.
  }
}

/** Linux tells; elsewhere the process id alone has to do. */
function processMarks(pid: number) {
  const stat = readProc(`/proc/${pid}/stat`);
  // proc(5): the name in parentheses may hold anything; state is field 3, the start time field 22.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return {
    startTime: fields?.[19] ?? null,
    bootId: readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? null,
    isZombie: fields?.[0] === "Z" || fields?.[0] === "X",
  };
}

function currentPidNamespace(): string | null {
  try {
    return readlinkSync("/proc/self/ns/pid");
  } catch {
    return null;
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function tryWriteNew(path: string, value: object): boolean {
  try {
    writeNew(path, value);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

function writeNew(path: string, value: object) {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify(value)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function inUse(directory: string, holder: Owner, self: Owner): StartError {
  return new StartError(
    `the data directory ${directory} is already in use by ${describeOwner(holder, self)}; stop it, set KEYHEARTH_DATA_DIR to another directory, or let the processes share a PostgreSQL database (DATABASE_URL) and a signer process (KEYHEARTH_SIGNER)`,
  );
}

function describeOwner(holder: Owner, self: Owner): string {
  if (!isVisible(holder, self)) return `process ${holder.pid} of another container or machine`;
  return holder.pid === self.pid ? "this process" : `process ${holder.pid}`;
}

function explainFileErrors<Result>(directory: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    const explanation = fileErrors[codeOf(cause) ?? ""];
    if (explanation === undefined) throw cause;
    throw new StartError(`the data directory ${directory} ${explanation}`, { cause });
  }
}

const permission =
  "cannot be read and written by this user; change its owner or mode, or set KEYHEARTH_DATA_DIR to another directory";
const notDirectory =
  "is not a directory, or a part of its path is not; set KEYHEARTH_DATA_DIR to a directory";

const fileErrors: Record<string, string> = {
  EACCES: permission,
  EPERM: permission,
  EEXIST: notDirectory,
  ENOTDIR: notDirectory,
  EROFS: "is on a file system that is mounted read-only; set KEYHEARTH_DATA_DIR to another one",
  ENOSPC: "is on a file system that is full; free some space",
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** Starting is sequential; nothing else waits for this thread yet. */
function sleep(milliseconds: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
