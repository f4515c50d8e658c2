import { randomBytes } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import { readOnlyCopy } from "@keyhearth/outbound/state-file";
import { createDurably } from "../state/durable-file.ts";
import { SignerStateError } from "../state/state-error.ts";

/**
 * The root key in a file: 32 bytes in hex, readable only by its owner. Anyone who can read the file
 * can read every key. If the signer has its own user id, the API process cannot.
 */
export function readRootKeyFile(path: string): SecretBytes {
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new SignerStateError(
      `root key file ${path} has mode ${mode.toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  const text = readOnlyCopy(path).toString("utf8").trim();
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new SignerStateError(
      `root key file ${path} does not hold 64 hex characters; restore it from a backup`,
    );
  }
  return secretBytes(new Uint8Array(Buffer.from(text, "hex")));
}

export function createRootKeyFile(path: string): SecretBytes {
  if (existsSync(path)) throw new SignerStateError(`root key file ${path} already exists`);
  const key = randomBytes(32);
  createDurably(path, encodeUtf8(`${key.toString("hex")}\n`));
  return secretBytes(new Uint8Array(key));
}
