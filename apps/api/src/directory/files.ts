import { randomUUID } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, resolve } from "node:path";
import { RefusedFileError } from "@keyhearth/outbound/state-file";
import { StartError } from "../config/start-error.ts";

/** Small JSON files, and explanations of file errors for the person who starts the service. */

/** Creates a directory and its parents. Node.js never returns for a path below /proc. */
export function makeDirectory(directory: string) {
  const path = resolve(directory);
  if (statSync(path, { throwIfNoEntry: false })) return;
  if (dirname(path) !== path) makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (codeOf(error) !== "EEXIST" || !statSync(path, { throwIfNoEntry: false })) throw error;
  }
}

/** Throws if the file exists. */
export function writeNew(path: string, bytes: Uint8Array) {
  const file = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

export function writeNewJson(path: string, value: object) {
  writeNew(path, jsonLine(value));
}

/** Replaces a file as a whole, and a link instead of what it leads to. */
export function replaceFile(path: string, bytes: Uint8Array) {
  const draft = `${path}.${randomUUID()}`;
  writeNew(draft, bytes);
  renameSync(draft, path);
}

export function replaceJson(path: string, value: object) {
  replaceFile(path, jsonLine(value));
}

function jsonLine(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

/** After this, a power cut does not undo that a file was created or renamed in the directory. */
export function syncDirectory(path: string) {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** Turns an error that an operator can fix into a `StartError` that says how. */
export function explainFileErrors<Result>(directory: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof RefusedFileError) throw new StartError(cause.message, { cause });
    const explanation = fileErrors[codeOf(cause) ?? ""];
    if (explanation === undefined) throw cause;
    throw new StartError(`the data directory ${directory} ${explanation}`, { cause });
  }
}

const permission =
  "cannot be read and written by this user; change its owner or mode, or set KEYHEARTH_DATA_DIR to another directory";
const notDirectory =
  "is not a directory, or part of its path is not; set KEYHEARTH_DATA_DIR to a directory";

const fileErrors: Record<string, string> = {
  EACCES: permission,
  EPERM: permission,
  EEXIST: notDirectory,
  ENOTDIR: notDirectory,
  ENOENT: "does not exist and cannot be created; set KEYHEARTH_DATA_DIR to another directory",
  EISDIR:
    "holds a directory where a file is expected; remove it, or restore the file from a backup",
  ERR_FS_EISDIR:
    "holds a directory where a file is expected; remove it, or restore the file from a backup",
  ELOOP: "contains a link that leads back to itself; restore the file from a backup",
  EROFS: "is on a file system that is mounted read-only; set KEYHEARTH_DATA_DIR to another one",
  ENOSPC: "is on a disk that is full; free some space",
  EDQUOT: "is on a disk where this user's quota is used up; free some space",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
