import { gcm } from "@noble/ciphers/aes";
import { ed25519 } from "@noble/curves/ed25519";
import { p256 } from "@noble/curves/nist";
import { secp256k1 } from "@noble/curves/secp256k1";
import { hmac } from "@noble/hashes/hmac";
import { pbkdf2 } from "@noble/hashes/pbkdf2";
import { sha256 as nobleSha256, sha512 as nobleSha512 } from "@noble/hashes/sha2";
import { randomBytes as nobleRandomBytes } from "@noble/hashes/utils";

import type { Curve } from "../curves.ts";
import { concatBytes, encodeHex, encodeUtf8, equalBytes } from "../encoding/bytes.ts";
import {
  assertCurve,
  assertSealing,
  isEcdsaSignature,
  type PrivateKey,
  type PublicKey,
  type RsaPublicKey,
  type Sealing,
} from "./checks.ts";
import {
  bigEndianOf,
  bigIntOf,
  ECDSA_OPTIONS,
  isPublicKey,
  signP256Deterministically,
} from "./shared.ts";

// The audited primitives that everything else is built on, for places without `node:crypto`. The
// twin, node.ts, has the same exports and gives the same results.

export type { PrivateKey, PublicKey, RsaPublicKey, Sealing } from "./checks.ts";
export {
  addScalars,
  ecdhP256,
  importPrivateKey,
  isPrivateKey,
  isPublicKey,
  keccak256,
  publicKeyOf,
  recoverSecp256k1,
  signP256Deterministically,
  signP256Digest,
  signSchnorr,
  signSecp256k1,
  tweakAddSecp256k1,
  tweakPublicSecp256k1,
  verifySecp256k1,
} from "./shared.ts";

export function sha256(data: Uint8Array): Uint8Array {
  return nobleSha256(data);
}

/** In hex, of bytes or of a text. */
export function sha256Hex(data: Uint8Array | string): string {
  return encodeHex(nobleSha256(bytesOf(data)));
}

function bytesOf(data: Uint8Array | string): Uint8Array {
  return typeof data === "string" ? encodeUtf8(data) : data;
}

export function sha512(data: Uint8Array): Uint8Array {
  return nobleSha512(data);
}

export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmac(nobleSha256, key, data);
}

/** In hex, for tags, ids and other results that are not secret: a text cannot be wiped. */
export function hmacSha256Hex(key: Uint8Array, data: Uint8Array | string): string {
  return encodeHex(hmac(nobleSha256, key, bytesOf(data)));
}

export function hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmac(nobleSha512, key, data);
}

export function pbkdf2Sha512(
  password: Uint8Array,
  salt: Uint8Array,
  { iterations, length }: { iterations: number; length: number },
): Uint8Array {
  return pbkdf2(nobleSha512, password, salt, { c: iterations, dkLen: length });
}

export function randomBytes(length: number): Uint8Array {
  return nobleRandomBytes(length);
}

/** Ciphertext followed by the tag of 16 bytes. */
export function aes256GcmEncrypt({
  key,
  nonce,
  aad,
  plaintext,
}: Sealing & { plaintext: Uint8Array }): Uint8Array {
  assertSealing(key, nonce);
  return gcm(key, nonce, aad).encrypt(plaintext);
}

/** The plaintext of ciphertext that is followed by its tag. Throws if the tag does not verify. */
export function aes256GcmDecrypt({
  key,
  nonce,
  aad,
  ciphertext,
}: Sealing & { ciphertext: Uint8Array }): Uint8Array {
  assertSealing(key, nonce);
  try {
    return gcm(key, nonce, aad).decrypt(ciphertext);
  } catch {
    throw new Error("decryption failed");
  }
}

export function importPublicKey(curve: Curve, bytes: Uint8Array): PublicKey {
  if (!isPublicKey(curve, bytes)) throw new Error("invalid public key");
  return { curve, bytes: new Uint8Array(bytes) };
}

/** The uncompressed form, 65 bytes, of a public key in either form. */
export function uncompressPublicKey(
  curve: Exclude<Curve, "CURVE_ED25519">,
  publicKey: Uint8Array,
): Uint8Array {
  const { Point } = curve === "CURVE_P256" ? p256 : secp256k1;
  try {
    return Point.fromBytes(publicKey).toBytes(false);
  } catch {
    throw new Error("invalid public key");
  }
}

/** ECDSA over SHA-256. `signature` is r || s. A high s is accepted. */
export function verifyP256(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_P256");
  if (!isEcdsaSignature("CURVE_P256", signature)) return false;
  return p256.verify(signature, nobleSha256(message), publicKey.bytes, ECDSA_OPTIONS);
}

/** ECDSA over SHA-256, as r || s. Deterministic here; the twin uses a random nonce. */
export function signP256(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  return signP256Deterministically(privateKey, message);
}

/**
 * Verifies Ed25519 as OpenSSL does: RFC 8032 without the cofactor, comparing R as bytes. So this
 * twin accepts exactly what the other accepts.
 */
export function verifyEd25519(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_ED25519");
  if (signature.length !== 64) return false;
  const { Point } = ed25519;
  const r = signature.subarray(0, 32);
  const s = littleEndian(signature.subarray(32));
  if (s >= Point.Fn.ORDER) return false;
  const k = littleEndian(nobleSha512(concatBytes(r, publicKey.bytes, message))) % Point.Fn.ORDER;
  const minusA = Point.fromBytes(publicKey.bytes).negate();
  const expected = Point.BASE.multiplyUnsafe(s).add(minusA.multiplyUnsafe(k));
  return equalBytes(expected.toBytes(), r);
}

export function signEd25519(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  assertCurve(privateKey, "CURVE_ED25519");
  return ed25519.sign(message, privateKey.bytes);
}

/** Browsers have no pool: it is signed at once. */
export async function signEd25519Aside(
  privateKey: PrivateKey,
  message: Uint8Array,
): Promise<Uint8Array> {
  return signEd25519(privateKey, message);
}

/** RSASSA-PKCS1-v1_5 over SHA-256 (RFC 8017, section 8.2.2). */
export function verifyRs256(
  { modulus, exponent }: RsaPublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== modulus.length) return false;
  const n = bigIntOf(modulus);
  const s = bigIntOf(signature);
  if (s >= n) return false;
  const encoded = bigEndianOf(power(s, bigIntOf(exponent), n), modulus.length);
  const padding = new Uint8Array(modulus.length - 54).fill(0xff);
  const expected = concatBytes(
    Uint8Array.of(0, 1),
    padding,
    Uint8Array.of(0),
    SHA256_DIGEST_INFO,
    nobleSha256(message),
  );
  return equalBytes(encoded, expected);
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  let square = base % modulus;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % modulus;
    square = (square * square) % modulus;
  }
  return result;
}

function littleEndian(bytes: Uint8Array): bigint {
  return bigIntOf(bytes.toReversed());
}

// RFC 8017, section 9.2, note 1.
// biome-ignore format: one line a nesting level
const SHA256_DIGEST_INFO = Uint8Array.of(
  0x30, 0x31,
  0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00,
  0x04, 0x20,
);
