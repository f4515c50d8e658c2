import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex, encodeUtf8, isWellFormed } from "@keyhearth/crypto/encoding/bytes";
import { recoverSecp256k1 } from "@keyhearth/crypto/keys/verify";
import { keccak256 } from "@keyhearth/crypto/primitives";
import { asObject } from "../errors/as-object.ts";
import { isText } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";

/** A message, and its signature as `sign_raw_payload` returns it. */
export type SignedPayload = {
  /** The bytes that were signed, or a text, whose UTF-8 was signed. */
  payload: Uint8Array | string;
  /** Hex, 32 bytes. */
  r: string;
  /** Hex, 32 bytes. */
  s: string;
  /** The recovery id: `00` or `01`. */
  v: string;
};

/**
 * The Ethereum address whose key signed a payload with `HASH_FUNCTION_KECCAK256`, or undefined if no key has this
 * signature. Another payload gives another address: compare it with the one that you expect. Throws
 * `InvalidField` if something is malformed.
 */
export function recoverEthereumAddress(given: SignedPayload): string | undefined {
  const { payload, r, s, v } = asObject(given);
  const problems = Object.entries({ r, s })
    .filter(([, half]) => !isText(half, /^[0-9a-f]{64}$/i))
    .map(([field]) => ({ field, message: "must be 32 bytes in hex, without 0x" }));
  if (!isText(v, /^0[01]$/)) problems.push({ field: "v", message: "must be 00 or 01" });
  const bytes = bytesOf(payload);
  if (!bytes) problems.unshift({ field: "payload", message: "must be bytes or a text" });
  if (problems.length > 0) throw invalidFields(...problems);
  const digest = keccak256(bytes as Uint8Array); // without bytes there is a problem
  const recovery = v === "01" ? 1 : 0;
  try {
    const signature = { r: decodeHex(r), s: decodeHex(s), recovery } as const;
    return ethereumAddress(recoverSecp256k1(digest, signature));
  } catch {
    // For some r, there is no point on the curve.
  }
  return undefined;
}

function bytesOf(payload: unknown): Uint8Array | undefined {
  if (payload instanceof Uint8Array) return payload;
  // A lone surrogate has no UTF-8, so no service can have signed it.
  return typeof payload === "string" && isWellFormed(payload) ? encodeUtf8(payload) : undefined;
}
