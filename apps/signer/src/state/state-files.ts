import { lstatSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { RefusedFileError } from "@keyhearth/outbound/state-file";
import { SignerStateError } from "./state-error.ts";

/** Files of the signer's state, and explanations of what is wrong with them. */

/**
 * Whether there is a file. Anything else in its place, such as a link that leads nowhere, is an error
 * and never “missing”: what is missing may be created.
 */
export function hasFile(path: string): boolean {
  const link = lstatSync(path, { throwIfNoEntry: false });
  if (!link) return false;
  const target = link.isSymbolicLink() ? statSync(path, { throwIfNoEntry: false }) : link;
  if (!target) {
    throw new SignerStateError(
      `${path} is a link to a file that does not exist; restore that file, or make its disk available`,
    );
  }
  if (!target.isFile()) {
    throw new SignerStateError(`${path} is not a file; restore the file from a backup`);
  }
  return true;
}

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

/** Turns every error of `open` into a `SignerStateError`, which is one sentence. */
export function explainStateErrors<Result>(directory: string, open: () => Result): Result {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof SignerStateError) throw cause;
    if (cause instanceof RefusedFileError) throw new SignerStateError(cause.message, { cause });
    throw new SignerStateError(
      `the signer's state in ${directory} cannot be opened: ${explain(cause)}`,
      { cause },
    );
  }
}

function explain(cause: unknown): string {
  const code = codeOf(cause) ?? "";
  const path = cause instanceof Error && "path" in cause ? String(cause.path) : "it";
  const explanation = explanations[code];
  if (explanation !== undefined) return `${path} ${explanation}`;
  const message = cause instanceof Error ? cause.message : String(cause);
  return `it is damaged (${message.replaceAll(/\s+/g, " ")}); restore it from a backup`;
}

const notDirectory = "is not a directory, or part of its path is not; correct the path";
const permission =
  "cannot be read and written by this user; change its owner or mode, or run the signer as the user who owns it";

const explanations: Record<string, string> = {
  EACCES: permission,
  EPERM: permission,
  EEXIST: notDirectory,
  ENOTDIR: notDirectory,
  EISDIR: "is a directory, but a file is expected; restore the file from a backup",
  ELOOP: "is a link that leads back to itself; restore the file from a backup",
  ENOENT: "does not exist and cannot be created; correct the path",
  EROFS: "is on a file system that is mounted read-only; make it writable",
  ENOSPC: "is on a disk that is full; free some space",
  EDQUOT: "is on a disk where this user's quota is used up; free some space",
};

export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
