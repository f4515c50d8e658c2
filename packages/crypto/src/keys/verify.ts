import * as primitives from "#primitives";
import type { Curve } from "../curves.ts";
import { concatBytes, equalBytes } from "../encoding/bytes.ts";
import type { RecoverableSignature } from "./keys.ts";

// Verifying signatures. Not in keys.ts, so that the signer does not load it: the signer only
// verifies stamps, with stamp.ts.

/** Verifies r and s over a digest. A high s is accepted. */
export function verifySecp256k1(
  publicKey: Uint8Array,
  digest: Uint8Array,
  { r, s }: { r: Uint8Array; s: Uint8Array },
): boolean {
  const key = importOrNothing("CURVE_SECP256K1", publicKey);
  if (key === undefined || r.length !== 32) return false;
  return primitives.verifySecp256k1(key, digest, concatBytes(r, s));
}

/** The compressed public key that made the signature. */
export function recoverSecp256k1(
  digest: Uint8Array,
  { r, s, recovery }: RecoverableSignature,
): Uint8Array {
  if (r.length !== 32) throw new Error("cannot recover key");
  return primitives.recoverSecp256k1(digest, concatBytes(r, s), recovery);
}

export function verifyEd25519(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = importOrNothing("CURVE_ED25519", publicKey);
  return key !== undefined && primitives.verifyEd25519(key, message, signature);
}

/** Verifies r || s over the SHA-256 of a message. The public key may be compressed or not. */
export function verifyP256Raw(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = importOrNothing("CURVE_P256", compressed(publicKey));
  if (key === undefined) return false;
  // The y of an uncompressed point must be the one that belongs to its x and parity.
  if (
    publicKey.length === 65 &&
    !equalBytes(publicKey, primitives.uncompressPublicKey("CURVE_P256", key.bytes))
  ) {
    return false;
  }
  return primitives.verifyP256(key, message, signature);
}

/** Compresses an uncompressed key. Returns anything else as it is. */
function compressed(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length !== 65 || publicKey[0] !== 4) return publicKey;
  const sign = ((publicKey[64] as number) & 1) + 2; // 65 bytes, checked above
  return concatBytes(Uint8Array.of(sign), publicKey.subarray(1, 33));
}

function importOrNothing(curve: Curve, publicKey: Uint8Array) {
  try {
    return primitives.importPublicKey(curve, publicKey);
  } catch {
    return undefined;
  }
}
