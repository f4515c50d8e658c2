import { statSync } from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { type DoorKey, newDoorKey, readDoorKey } from "@keyhearth/outbound/door-key";
import { readOnlyCopy } from "@keyhearth/outbound/state-file";
import { createDurably } from "./durable-file.ts";
import { SignerStateError } from "./state-error.ts";
import { codeOf, hasFile } from "./state-files.ts";

/** A key of the door in a file that only its owner can read: anyone who has it passes for its owner. */
export function readDoorKeyFile(path: string): DoorKey {
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new SignerStateError(
      `the key file ${path} has mode ${mode.toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  const key = readDoorKey(readOnlyCopy(path).toString("latin1"));
  if (key) return key;
  throw new SignerStateError(
    `the file ${path} does not hold a key that \`pair\` made; restore it from a backup, or move it away and pair again`,
  );
}

/** A key that is there is never replaced. */
export function openDoorKeyFile(path: string): DoorKey {
  if (!hasFile(path)) {
    try {
      createDurably(path, encodeUtf8(newDoorKey()));
    } catch (error) {
      // Another command made it meanwhile.
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
  return readDoorKeyFile(path);
}
