import {
  closeSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { hasFile } from "./state-files.ts";

/**
 * A file beside a new keyring that has protected nothing yet. It holds the installation's id, and the
 * first document that the signer sees removes it for good. While it is there, an empty database is a
 * first start that has not finished; without it, an empty database is one that was lost.
 *
 * Invariant: a state from which the file was lost, or that is older than this rule, counts as used.
 */
export type NewInstallation = { isNew(): boolean; use(): void };

/** Written before the keyring, so that a killed start does not leave a keyring that counts as used. */
export function markAsNew(path: string, installationId: string) {
  const temporary = `${path}.new`;
  const file = openSync(temporary, "w", 0o600);
  try {
    writeSync(file, `${installationId}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
  syncDirectory(dirname(path));
}

export function openNewInstallation(path: string, installationId: string): NewInstallation {
  let isNew = hasFile(path) && readFileSync(path, "utf8").trim() === installationId;
  return {
    isNew: () => isNew,
    use() {
      if (!isNew) return;
      rmSync(path, { force: true });
      syncDirectory(dirname(path));
      isNew = false;
    },
  };
}

function syncDirectory(path: string) {
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
