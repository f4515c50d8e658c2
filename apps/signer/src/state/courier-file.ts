import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { ApiError } from "@keyhearth/engine/errors";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { replaceDurably } from "./durable-file.ts";
import { SignerStateError } from "./state-error.ts";
import { hasFile } from "./state-files.ts";

/** The courier to whom messages are sealed. */
export type TrustedCourier = {
  /** Its uncompressed public key. Null if none is trusted yet. */
  key(): Uint8Array | null;
  /** The host says which courier it uses. Throws if it is not the trusted one. */
  offer(publicKey: string): void;
};

/**
 * The file holds the public key in hex. A key is trusted once and not replaced: a host that could bring
 * another one would read every code. `mayTrust` says whether the host may name the first one.
 */
export function openTrustedCourier(path: string, mayTrust: () => boolean): TrustedCourier {
  let trusted = hasFile(path) ? read(path) : null;
  return {
    key: () => trusted,
    offer(publicKey) {
      const offered = parseCourierKey(publicKey);
      if (!offered) throw refused("the courier's public key is malformed");
      if (!trusted && mayTrust()) {
        trustCourier(path, publicKey);
        trusted = offered;
      }
      if (trusted && encodeHex(trusted) === encodeHex(offered)) return;
      const whom = trusted ? "seals messages to another courier" : "trusts no courier yet";
      throw refused(
        `the signer ${whom}; to have it trust this one, stop the signer, run \`npm run signer -- trust-courier ${encodeHex(offered)}\` on its machine, and start it again`,
      );
    },
  };
}

/** The key of the trusted courier in hex, or null. */
export function readTrustedCourier(path: string): string | null {
  return hasFile(path) ? encodeHex(read(path)) : null;
}

/** Replaces the key. Messages that were sealed before open only with the courier's old key. */
export function trustCourier(path: string, publicKey: string) {
  if (!parseCourierKey(publicKey)) {
    throw new SignerStateError(
      "the courier's public key must be an uncompressed P-256 key: 130 hex characters that begin with 04; `npm run courier -- describe` prints it",
    );
  }
  replaceDurably(path, encodeUtf8(`${publicKey}\n`));
}

function read(path: string): Uint8Array {
  const key = parseCourierKey(readStateFile(path).toString("utf8").trim());
  if (key) return key;
  throw new SignerStateError(
    `the file ${path} does not hold the public key of a courier; restore it from a backup, or run \`npm run signer -- trust-courier <public key>\``,
  );
}

function parseCourierKey(text: unknown): Uint8Array | null {
  if (typeof text !== "string" || !/^04[0-9a-f]{128}$/.test(text)) return null;
  try {
    return uncompressedPublicKey("CURVE_P256", decodeHex(text));
  } catch {
    return null;
  }
}

function refused(sentence: string): ApiError {
  return new ApiError("PERMISSION_DENIED", "REQUEST_NOT_AUTHORIZED", sentence);
}
