import { rmSync } from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { replaceDurably, syncDirectoryOf } from "./durable-file.ts";
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
  replaceDurably(path, encodeUtf8(`${installationId}\n`));
}

export function openNewInstallation(path: string, installationId: string): NewInstallation {
  let isNew = hasFile(path) && readStateFile(path).toString("utf8").trim() === installationId;
  return {
    isNew: () => isNew,
    use() {
      if (!isNew) return;
      rmSync(path, { force: true });
      syncDirectoryOf(path);
      isNew = false;
    },
  };
}
