import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "@keyhearth/crypto/keys/keys";
import { openBytes, type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import { RefusedFileError, readSecretFile } from "@keyhearth/outbound/state-file";

/**
 * The courier's private key: 32 bytes in hex, in a file that only its owner can read. Anyone who can
 * read the file can read every code and link. No key file is ever replaced.
 */

/** One sentence that says what to do. */
export class CourierKeyError extends Error {}

/**
 * The key, or a new one under a name that is not final yet: `keepCourierKey` gives it the final one.
 * Null if there is none and none may be made. A killed start may have left a prepared one.
 */
export function prepareCourierKey(
  path: string,
  { mayCreate }: { mayCreate: boolean },
): SecretBytes | null {
  if (hasCourierKey(path)) return readKey(path);
  const prepared = preparedPath(path);
  if (hasCourierKey(prepared)) {
    const key = tryReadKey(prepared);
    if (key || !mayCreate) return key;
    rmSync(prepared);
  }
  if (!mayCreate) return null;
  const key = newCourierKey();
  writeNew(prepared, encodeUtf8(`${encodeHex(openBytes(key))}\n`));
  syncDirectoryOf(path);
  return key;
}

export function keepCourierKey(path: string) {
  if (hasCourierKey(path)) return;
  // Unlike a rename, a link never replaces a file.
  linkSync(preparedPath(path), path);
  rmSync(preparedPath(path));
  syncDirectoryOf(path);
}

export function dropPreparedKey(path: string) {
  rmSync(preparedPath(path), { force: true });
}

/** Also sees a link that leads nowhere. */
export function hasCourierKey(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A key that is nowhere but in memory. */
export function newCourierKey(): SecretBytes {
  return secretBytes(generatePrivateKey("CURVE_P256"));
}

/** Hex of the uncompressed point. */
export function courierPublicKeyOf(privateKey: SecretBytes): string {
  return encodeHex(uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey)));
}

function readKey(path: string): SecretBytes {
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new CourierKeyError(
      `the courier's key file ${path} has mode ${mode.toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  const key = tryReadKey(path);
  if (key) return key;
  throw new CourierKeyError(
    `the courier's key file ${path} does not hold 64 hex characters; restore it from a backup`,
  );
}

function tryReadKey(path: string): SecretBytes | null {
  const text = readText(path).trim();
  return /^[0-9a-f]{64}$/.test(text) ? secretBytes(decodeHex(text)) : null;
}

function readText(path: string): string {
  try {
    return readSecretFile(path).toString("utf8");
  } catch (cause) {
    if (!(cause instanceof RefusedFileError)) throw cause;
    throw new CourierKeyError(`the courier's key file ${cause.message}`, { cause });
  }
}

function preparedPath(path: string): string {
  return `${path}.new`;
}

function writeNew(path: string, bytes: Uint8Array) {
  const file = openSync(path, "wx", 0o600);
  try {
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function syncDirectoryOf(path: string) {
  // Windows cannot open a directory.
  if (process.platform === "win32") return;
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
