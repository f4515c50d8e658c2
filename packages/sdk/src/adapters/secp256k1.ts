import { verifySecp256k1 } from "@keyhearth/crypto/keys/verify";
import { sha256 } from "@keyhearth/crypto/primitives";

// The curve is large, so adapters load this file when they have the first signature to verify.

/** Whether r and s are the key's signature over the SHA-256 digest of the message. */
export function isSecp256k1Signature(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const halves = { r: signature.slice(0, 32), s: signature.slice(32) };
  return signature.length === 64 && verifySecp256k1(publicKey, sha256(message), halves);
}
