import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** Files that must survive a power cut once they are written: the disk is synced before anything else. */

/** Throws if the file exists. */
export function createDurably(path: string, bytes: Uint8Array) {
  writeSynced(path, "wx", bytes);
  syncDirectoryOf(path);
}

/** Writes a new file and renames it, so that a crash leaves the old file or the new one, never half. */
export function replaceDurably(path: string, bytes: Uint8Array) {
  const temporary = `${path}.new`;
  writeSynced(temporary, "w", bytes);
  renameDurably(temporary, path);
}

export function renameDurably(from: string, to: string) {
  renameSync(from, to);
  syncDirectoryOf(to);
}

function writeSynced(path: string, flag: "w" | "wx", bytes: Uint8Array) {
  const file = openSync(path, flag, 0o600);
  try {
    // A single write may be cut short.
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** The name of a file is part of its directory, which has to be synced too. */
export function syncDirectoryOf(path: string) {
  // Windows cannot open a directory.
  if (process.platform === "win32") return;
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
