import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
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
export function lockDataDirectory(directory: string): DataDirectoryLock {
  return explainFileErrors(directory, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    assertOurs(directory);
    const lock = acquire(directory);
    try {
      writeMarker(directory);
    } catch (error) {
      lock.release();
      throw error;
    }
    return lock;
  });
}

type Owner = { id: string; pid: number; startTime: string | null; bootId: string | null };

const markerName = "keyhearth.json";
const markerLayout = 1;
const lockPattern = /^keyhearth\.lock\.(\d{1,15})$/;

/** What may lie in a directory that we have not marked yet. */
const harmless = /^(signer|lost\+found|\.gitkeep|\.gitignore|keyhearth\.(lock\.\d+|json\..+))$/;

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

function acquire(directory: string): DataDirectoryLock {
  const self: Owner = { id: randomUUID(), pid: process.pid, ...processMarks(process.pid) };
  for (let attempt = 0; attempt < 20; attempt++) {
    const before = listOwners(directory);
    const holder = before.find(({ owner }) => isAlive(owner))?.owner;
    if (holder) throw inUse(directory, holder);

    const number = Math.max(0, ...before.map((entry) => entry.number)) + 1;
    const path = join(directory, `keyhearth.lock.${number}`);
    if (!tryWriteNew(path, self)) continue;

    const after = listOwners(directory);
    const others = after.filter(({ owner }) => owner?.id !== self.id);
    const isStillThere = others.length < after.length;
    if (isStillThere && !others.some(({ owner }) => isAlive(owner))) {
      for (const { path: stale } of others) rmSync(stale, { force: true });
      return { release: () => release(path, self) };
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

function listOwners(directory: string) {
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
  };
}

/** A process id is used again; with the time of its start and the boot it names one process. */
function isAlive(owner: Owner | undefined): boolean {
  if (!owner || owner.pid <= 0) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // EPERM: it lives under another user id.
    if (codeOf(error) !== "EPERM") return false;
  }
  const { startTime, bootId, isZombie } = processMarks(owner.pid);
  if (isZombie) return false;
  if (bootId !== null && owner.bootId !== null && bootId !== owner.bootId) return false;
  return startTime === null || owner.startTime === null || startTime === owner.startTime;
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

function inUse(directory: string, { pid }: Owner): StartError {
  const holder = pid === process.pid ? "by this process" : `by process ${pid}`;
  return new StartError(
    `the data directory ${directory} is already in use ${holder}; stop it, set KEYHEARTH_DATA_DIR to another directory, or set DATABASE_URL to share a PostgreSQL database`,
  );
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
