import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { StartError } from "./start-error.ts";

/** Small JSON files, and explanations of file errors for the person who starts the service. */

/** Throws if the file exists. */
export function writeNew(path: string, value: object) {
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, `${JSON.stringify(value)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
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
  EROFS: "is on a file system that is mounted read-only; set KEYHEARTH_DATA_DIR to another one",
  ENOSPC: "is on a file system that is full; free some space",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
