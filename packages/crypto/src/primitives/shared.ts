import { ed25519 } from "@noble/curves/ed25519";
import { p256 } from "@noble/curves/nist";
import { schnorr, secp256k1 } from "@noble/curves/secp256k1";
import { sha256 } from "@noble/hashes/sha2";
import { keccak_256 } from "@noble/hashes/sha3";

import { type Curve, orderOf, publicKeyLength } from "../curves.ts";
import { secretBytes } from "../secret-bytes.ts";
import {
  assertCurve,
  assertDigest,
  assertPrivateKey,
  isEcdsaSignature,
  isInRange,
  type PrivateKey,
  type PublicKey,
  parity,
} from "./checks.ts";

// The part of the portable twin that node.ts uses too: `node:crypto` does not have it, or
// libsecp256k1 has it and may be missing.

export function keccak256(data: Uint8Array): Uint8Array {
  return keccak_256(data);
}

export function importPrivateKey(curve: Curve, bytes: Uint8Array): PrivateKey {
  assertPrivateKey(curve, bytes);
  return { curve, bytes: secretBytes(new Uint8Array(bytes)) };
}

/** The compressed public key. */
export function publicKeyOf(curve: Curve, privateKey: Uint8Array): Uint8Array {
  assertPrivateKey(curve, privateKey);
  switch (curve) {
    case "CURVE_P256":
      return p256.getPublicKey(privateKey, true);
    case "CURVE_SECP256K1":
      return secp256k1.getPublicKey(privateKey, true);
    case "CURVE_ED25519":
      return ed25519.getPublicKey(privateKey);
  }
}

/** Whether the bytes are the canonical encoding of a usable point of the curve. */
export function isPublicKey(curve: Curve, bytes: Uint8Array): boolean {
  if (bytes.length !== publicKeyLength(curve)) return false;
  try {
    switch (curve) {
      case "CURVE_P256":
        p256.Point.fromBytes(bytes).assertValidity();
        return true;
      case "CURVE_SECP256K1":
        secp256k1.Point.fromBytes(bytes).assertValidity();
        return true;
      case "CURVE_ED25519":
        // A key of small order verifies one signature for almost any message.
        return !ed25519.Point.fromBytes(bytes).isSmallOrder();
    }
  } catch {
    return false;
  }
}

/** Whether the bytes are in the range of the curve's private keys. */
export function isPrivateKey(curve: Curve, bytes: Uint8Array): boolean {
  return isInRange(curve, bytes);
}

/** ECDSA over a digest. `signature` is r || s. A high s is accepted. */
export function verifySecp256k1(
  publicKey: PublicKey,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_SECP256K1");
  assertDigest(digest);
  if (!isEcdsaSignature("CURVE_SECP256K1", signature)) return false;
  return secp256k1.verify(signature, digest, publicKey.bytes, ECDSA_OPTIONS);
}

/** BIP-340 over a digest, with zeros for the auxiliary random bytes. The signature has 64 bytes. */
export function signSchnorr(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  assertPrivateKey("CURVE_SECP256K1", privateKey);
  assertDigest(digest);
  return schnorr.sign(digest, privateKey, new Uint8Array(32));
}

/** ECDSA over a digest with the nonce of RFC 6979. Returns r || s with a low s. */
export function signSecp256k1(
  privateKey: Uint8Array,
  digest: Uint8Array,
): { signature: Uint8Array; recovery: 0 | 1 } {
  assertPrivateKey("CURVE_SECP256K1", privateKey);
  assertDigest(digest);
  const signature = secp256k1.sign(digest, privateKey, { lowS: true, prehash: false });
  return { signature: signature.toBytes("compact"), recovery: parity(signature.recovery) };
}

/** The compressed public key of the private key that made a signature r || s. */
export function recoverSecp256k1(
  digest: Uint8Array,
  signature: Uint8Array,
  recovery: 0 | 1,
): Uint8Array {
  assertDigest(digest);
  if (!isEcdsaSignature("CURVE_SECP256K1", signature)) throw new Error("cannot recover key");
  try {
    return secp256k1.Signature.fromBytes(signature, "compact")
      .addRecoveryBit(recovery)
      .recoverPublicKey(digest)
      .toBytes(true);
  } catch {
    throw new Error("cannot recover key");
  }
}

/** `privateKey + tweak` modulo the order, as in BIP-32. Throws if the sum is not a key. */
export function tweakAddSecp256k1(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array {
  return addScalars("CURVE_SECP256K1", privateKey, tweak);
}

/** The public key, 33 bytes, of a private key to which the tweak was added. */
export function tweakPublicSecp256k1(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array {
  const { BASE, Fn } = secp256k1.Point;
  try {
    const point = secp256k1.Point.fromBytes(publicKey);
    const scalar = Fn.fromBytes(tweak);
    const sum = Fn.is0(scalar) ? point : point.add(BASE.multiply(scalar));
    return sum.toBytes(true);
  } catch {
    throw new Error("invalid tweak");
  }
}

/** The sum of two scalars of 32 bytes. Throws if the child key does not exist. */
export function addScalars(
  curve: Exclude<Curve, "CURVE_ED25519">,
  privateKey: Uint8Array,
  tweak: Uint8Array,
): Uint8Array {
  assertPrivateKey(curve, privateKey);
  const order = orderOf(curve);
  const summand = bigIntOf(tweak);
  const sum = (bigIntOf(privateKey) + summand) % order;
  if (tweak.length !== 32 || summand >= order || sum === 0n) throw new Error("invalid tweak");
  return bigEndianOf(sum, 32);
}

/** ECDSA over SHA-256 with the nonce of RFC 6979. Returns r || s; s may be high. */
export function signP256Deterministically(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  assertCurve(privateKey, "CURVE_P256");
  return p256.sign(sha256(message), privateKey.bytes, ECDSA_OPTIONS).toBytes("compact");
}

/** ECDSA over a digest with the nonce of RFC 6979. Returns r || s with a low s. */
export function signP256Digest(
  privateKey: Uint8Array,
  digest: Uint8Array,
): { signature: Uint8Array; recovery: 0 | 1 } {
  assertPrivateKey("CURVE_P256", privateKey);
  assertDigest(digest);
  const signature = p256.sign(digest, privateKey, { lowS: true, prehash: false });
  return { signature: signature.toBytes("compact"), recovery: parity(signature.recovery) };
}

/** The x coordinate of the shared point of a P-256 key and a compressed public key (ECDH). */
export function ecdhP256(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  assertPrivateKey("CURVE_P256", privateKey);
  if (!isPublicKey("CURVE_P256", publicKey)) throw new Error("invalid public key");
  return p256.getSharedSecret(privateKey, publicKey, true).slice(1);
}

export function bigIntOf(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return value;
}

export function bigEndianOf(value: bigint, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let rest = value;
  for (let i = length - 1; i >= 0; i--, rest >>= 8n) bytes[i] = Number(rest & 255n);
  return bytes;
}

export const ECDSA_OPTIONS = { lowS: false, prehash: false, format: "compact" } as const;
