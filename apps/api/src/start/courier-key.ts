import { linkSync, lstatSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { generatePrivateKey, publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys";
import type { Config } from "../config/config.ts";
import type { Host } from "../host.ts";
import { explainFileErrors, syncDirectory, writeNew } from "./files.ts";
import { describeSigner } from "./open-signer.ts";
import { StartError } from "./start-error.ts";

/**
 * The private key of the embedded courier, and the agreement with the signer about it. Returns null if
 * this process is not to deliver: the signer seals messages to another process's courier.
 *
 * Invariant: a key that the signer trusts is on disk before the signer learns it, and no key file is
 * ever replaced.
 */
export async function agreeOnCourierKey(config: Config, host: Host): Promise<Uint8Array | null> {
  const path = join(config.dataDirectory, "courier-key");
  const { courierPublicKey: trusted } = await describeSigner(host);
  const key = explainFileErrors(config.dataDirectory, () =>
    prepareKey(path, { mayCreate: trusted === null }),
  );
  if (!key) return keyMissing(config, host, path);

  const publicKey = courierPublicKeyOf(key);
  const refused = await refusalOf(host, publicKey);
  if (!refused) return keep(path, key);
  const { courierPublicKey: other } = await describeSigner(host);
  // The operator decides, on the signer's machine, whether this key is to be trusted.
  if (other === null || hasEntry(path)) {
    keep(path, key);
    throw refused;
  }
  // Another process that starts at the same time was faster.
  rmSync(preparedPath(path), { force: true });
  return keyMissing(config, host, path);
}

/** Hex of the uncompressed point. */
export function courierPublicKeyOf(privateKey: Uint8Array): string {
  return encodeHex(uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", privateKey)));
}

async function refusalOf(host: Host, courierKey: string): Promise<StartError | null> {
  try {
    await describeSigner(host, { courierKey });
    return null;
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
}

function keyMissing({ signer }: Config, { log }: Host, path: string): null {
  const sentence = `the signer seals messages to a courier whose key is not in ${path}`;
  if (signer.kind === "embedded") {
    throw new StartError(
      `${sentence}; restore the file from a backup, or give up the messages that wait: remove the file \`courier\` from the signer's state directory`,
    );
  }
  log.warn(
    `${sentence}: this process delivers no messages; copy the file from the data directory of the process that has it`,
  );
  return null;
}

/** A killed start may have left a prepared key, which the signer may already trust. */
function prepareKey(path: string, { mayCreate }: { mayCreate: boolean }): Uint8Array | null {
  if (hasEntry(path)) return readKey(path);
  const prepared = preparedPath(path);
  if (hasEntry(prepared)) {
    const key = tryReadKey(prepared);
    if (key || !mayCreate) return key;
    rmSync(prepared);
  }
  if (!mayCreate) return null;
  const key = generatePrivateKey("CURVE_P256");
  writeNew(prepared, encodeUtf8(`${encodeHex(key)}\n`));
  syncDirectory(dirname(path));
  return key;
}

function keep(path: string, key: Uint8Array): Uint8Array {
  if (hasEntry(path)) return key;
  // Unlike a rename, a link never replaces a file.
  linkSync(preparedPath(path), path);
  rmSync(preparedPath(path));
  syncDirectory(dirname(path));
  return key;
}

function readKey(path: string): Uint8Array {
  const mode = statSync(path).mode & 0o777;
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw new StartError(
      `the courier's key file ${path} has mode ${mode.toString(8)}, so others could read it; run: chmod 600 ${path}`,
    );
  }
  const key = tryReadKey(path);
  if (key) return key;
  throw new StartError(
    `the courier's key file ${path} does not hold 64 hex characters; restore it from a backup`,
  );
}

function tryReadKey(path: string): Uint8Array | null {
  const text = readFileSync(path, "utf8").trim();
  return /^[0-9a-f]{64}$/.test(text) ? decodeHex(text) : null;
}

function preparedPath(path: string): string {
  return `${path}.new`;
}

/** Also sees a link that leads nowhere. */
function hasEntry(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
