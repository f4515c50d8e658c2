import { type Curve, isScalar } from "../curves.ts";
import type { SecretBytes } from "../secret-bytes.ts";

// The parameters of both twins, and the checks that both make first.

/** A public key that was checked: a point of its curve, and not infinity. */
export type PublicKey = { readonly curve: Curve; readonly bytes: Uint8Array };

/** A private key that was checked to be in range. Its owner wipes `bytes`. */
export type PrivateKey = { readonly curve: Curve; readonly bytes: SecretBytes };

/** An RSA public key. Both numbers are big-endian, without leading zeros. */
export type RsaPublicKey = { readonly modulus: Uint8Array; readonly exponent: Uint8Array };

export type Sealing = {
  key: Uint8Array;
  nonce: Uint8Array;
  aad: Uint8Array;
};

export function isInRange(curve: Curve, bytes: Uint8Array): boolean {
  return curve === "CURVE_ED25519" ? bytes.length === 32 : isScalar(curve, bytes);
}

export function isEcdsaSignature(
  curve: Exclude<Curve, "CURVE_ED25519">,
  signature: Uint8Array,
): boolean {
  return (
    signature.length === 64 &&
    isScalar(curve, signature.subarray(0, 32)) &&
    isScalar(curve, signature.subarray(32))
  );
}

export function assertPrivateKey(curve: Curve, bytes: Uint8Array): void {
  if (!isInRange(curve, bytes)) throw new Error("invalid private key");
}

export function assertCurve(key: PublicKey | PrivateKey, curve: Curve): void {
  if (key.curve !== curve) throw new Error("wrong curve");
}

export function assertDigest(digest: Uint8Array): void {
  if (digest.length !== 32) throw new Error("digest must be 32 bytes");
}

export function assertSealing(key: Uint8Array, nonce: Uint8Array): void {
  if (key.length !== 32 || nonce.length !== 12) throw new Error("malformed key or nonce");
}

/** A recovery id above 1 means that r overflowed, which never happens in practice. */
export function parity(recovery: number): 0 | 1 {
  if (recovery !== 0 && recovery !== 1) throw new Error("signing failed");
  return recovery;
}
