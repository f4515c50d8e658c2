import { hkdfSync, randomBytes } from "node:crypto";
import { join } from "node:path";
import { encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { isValidPrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import { readOnlyCopy } from "@keyhearth/outbound/state-file";
import { StartError } from "../config/start-error.ts";
import { codeOf, explainFileErrors, makeDirectory, writeNew } from "../directory/files.ts";
import { TryLater } from "../errors.ts";
import type { Log } from "../observability/log.ts";

/** The keys with which the login proxy stamps: one for each organization, of one secret of this service. */
export type ProxyKeys = {
  /** What the organization registers, compressed and in hex. */
  publicKeyOf(organizationId: string): string;
  /** The value of the header `X-Stamp`. */
  stamp(organizationId: string, body: Uint8Array): string;
};

const BYTES = 32;

/** Of a few organizations that log people in. Deriving one takes a tenth of a millisecond. */
const MOST_KEPT = 1000;

/** A key counts in one organization only, so what is stamped for one is refused in every other. */
export function createProxyKeys(secret: Uint8Array): ProxyKeys {
  const kept = new Map<string, { publicKey: string; stamp: (body: Uint8Array) => string }>();
  function keyOf(organizationId: string) {
    const known = kept.get(organizationId);
    if (known) return known;
    const privateKey = derive(secret, organizationId);
    const made = {
      publicKey: encodeHex(publicKeyOf("CURVE_P256", privateKey)),
      stamp: createApiKeyStamper({ privateKey, scheme: "SIGNATURE_SCHEME_TK_API_P256" }),
    };
    if (kept.size >= MOST_KEPT) kept.clear();
    kept.set(organizationId, made);
    return made;
  }
  return {
    publicKeyOf: (organizationId) => keyOf(organizationId).publicKey,
    stamp: (organizationId, body) => keyOf(organizationId).stamp(body),
  };
}

function derive(secret: Uint8Array, organizationId: string): Uint8Array {
  for (let attempt = 0; ; attempt++) {
    const info = encodeUtf8(`keyhearth login proxy ${attempt} ${organizationId}`);
    const bytes = new Uint8Array(hkdfSync("sha256", secret, new Uint8Array(), info, BYTES));
    // One in four billion is none.
    if (isValidPrivateKey("CURVE_P256", bytes)) return bytes;
  }
}

/**
 * Reads the secret at the start, and makes it when somebody first asks for a key, because most services have no proxy.
 * Processes of one service need the same file.
 */
export function openProxyKeys(
  {
    dataDirectory,
    path = join(dataDirectory, "login-proxy-key"),
  }: { dataDirectory: string; path?: string | undefined },
  log: Pick<Log, "error">,
): ProxyKeys {
  const found = explainFileErrors(dataDirectory, () => readIfAny(path));
  let keys = found && createProxyKeys(decode(found, path));
  function get(): ProxyKeys {
    try {
      keys ??= createProxyKeys(readOrMake(dataDirectory, path));
      return keys;
    } catch (cause) {
      log.error({ err: cause, path }, "the login proxy has no key");
      const message = "the login proxy’s key cannot be read; the operator’s log says why";
      throw new TryLater("UNAVAILABLE", "CONFLICT", message, 60);
    }
  }
  return {
    publicKeyOf: (organizationId) => get().publicKeyOf(organizationId),
    stamp: (organizationId, body) => get().stamp(organizationId, body),
  };
}

function readOrMake(dataDirectory: string, path: string): Buffer {
  const known = readIfAny(path);
  if (known) return decode(known, path);
  makeDirectory(dataDirectory);
  try {
    writeNew(path, Buffer.from(`${randomBytes(BYTES).toString("hex")}\n`));
  } catch (error) {
    // Another process made it meanwhile.
    if (codeOf(error) !== "EEXIST") throw error;
  }
  return decode(readOnlyCopy(path), path);
}

function readIfAny(path: string): Buffer | null {
  try {
    return readOnlyCopy(path);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function decode(bytes: Buffer, path: string): Buffer {
  const text = bytes.toString("latin1").trim();
  if (/^[0-9a-f]{64}$/.test(text)) return Buffer.from(text, "hex");
  throw new StartError(
    `${path} does not hold the 64 hex digits of the login proxy’s key; restore it from a backup, or delete it and set FEATURE_NAME_AUTH_PROXY again in each organization that has a login proxy`,
  );
}
