import { statSync } from "node:fs";
import { type DoorKey, newDoorKey, readDoorKey } from "@keyhearth/outbound/door-key";
import { RefusedFileError, readGivenSecret } from "@keyhearth/outbound/state-file";
import { StartError } from "../config/start-error.ts";
import { codeOf, writeNew } from "../directory/files.ts";

/** The key that this process proves to signers on other machines. Made at the first start, unless `pair` made it. */
export function openSignerDoorKey(path: string): DoorKey {
  try {
    makeUnlessThere(path);
    return read(path);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    if (cause instanceof RefusedFileError) throw new StartError(cause.message, { cause });
    throw new StartError(
      `the key file ${path}, which the service proves to signers, cannot be read or made (${codeOf(cause) ?? "unknown"}); correct the path in KEYHEARTH_SIGNER_KEY_PATH, or the owner or mode of the file`,
      { cause },
    );
  }
}

function makeUnlessThere(path: string) {
  try {
    writeNew(path, Buffer.from(newDoorKey()));
  } catch (error) {
    // A key is never replaced, and a file that was mounted may be where nobody can write.
    if (!isThere(error, path)) throw error;
  }
}

function isThere(error: unknown, path: string): boolean {
  const isNotNew = ["EEXIST", "EROFS", "EACCES", "EPERM"].includes(codeOf(error) ?? "");
  return isNotNew && statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function read(path: string): DoorKey {
  const { mode } = statSync(path);
  if (process.platform !== "win32" && (mode & 0o007) !== 0) {
    throw new StartError(
      `the key file ${path} has mode ${(mode & 0o777).toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  const key = readDoorKey(readGivenSecret(path).toString("latin1"));
  if (key) return key;
  throw new StartError(
    `${path} does not hold a key that the service or \`pair --api\` made; restore it from a backup, or move it away and pair the service again`,
  );
}
