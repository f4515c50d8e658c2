import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  ECDH,
  hash,
  type KeyObject,
  pbkdf2Sync,
  randomFillSync,
  sign,
  verify,
} from "node:crypto";

import { type Curve, isScalar, publicKeyLength } from "../curves.ts";
import {
  concatBytes,
  decodeBase64Url,
  encodeBase64Url,
  encodeUtf8,
  isWellFormed,
  wipe,
} from "../encoding/bytes.ts";
import { decodeDerSignature, encodeDerSignature } from "../encoding/der.ts";
import {
  assertCurve,
  assertDigest,
  assertPrivateKey,
  assertSealing,
  isEcdsaSignature,
  type PrivateKey,
  type PublicKey,
  parity,
  type RsaPublicKey,
  type Sealing,
} from "./checks.ts";
import { loadLibsecp256k1, type Secp256k1Binding } from "./node-libsecp256k1.ts";
import * as shared from "./shared.ts";

// The fast twin of portable.ts. It uses OpenSSL through `node:crypto`, and libsecp256k1 if its
// binding loads. Besides the other files node-*.ts, no file of this package depends on Node.

export type { PrivateKey, PublicKey, RsaPublicKey, Sealing } from "./checks.ts";

export { keccak256 } from "./node-keccak.ts";
export { signP256Deterministically, signP256Digest } from "./node-p256.ts";
// What `node:crypto` and libsecp256k1 do not have, or do not do better.
export { addScalars, importPrivateKey, isPrivateKey } from "./shared.ts";

export function sha256(data: Uint8Array): Uint8Array {
  return plain(hash("sha256", data, "buffer"));
}

/** In hex, of bytes or of a text. A buffer outside of the heap costs more than the hash of a request, and its collection again. */
export function sha256Hex(data: Uint8Array | string): string {
  assertText(data);
  return hash("sha256", data, "hex");
}

export function sha512(data: Uint8Array): Uint8Array {
  return plain(hash("sha512", data, "buffer"));
}

// Node takes much longer with a key given as bytes than with a KeyObject, even one made for a
// single use. The same holds for ciphers.
export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createHmac("sha256", createSecretKey(key)).update(data).digest());
}

const BLOCK = 64;
const DIGEST = 32;

/** The blocks of RFC 2104 that begin with the key, each followed by what is hashed with it. */
const inner = new Uint8Array(BLOCK + 16 * 1024);
const outer = new Uint8Array(BLOCK + DIGEST);
const encoder = new TextEncoder();

/**
 * In hex, for tags, ids and other results that are not secret: a text cannot be wiped. Two plain hashes take a quarter of
 * the time of an object for the key and one for the HMAC.
 */
export function hmacSha256Hex(key: Uint8Array, data: Uint8Array | string): string {
  assertText(data);
  const most = typeof data === "string" ? 3 * data.length : data.length;
  if (key.length > BLOCK || most > inner.length - BLOCK) {
    return createHmac("sha256", createSecretKey(key)).update(data).digest("hex");
  }
  try {
    for (let i = 0; i < BLOCK; i++) {
      const byte = key[i] ?? 0;
      inner[i] = byte ^ 0x36;
      outer[i] = byte ^ 0x5c;
    }
    const room = inner.subarray(BLOCK);
    let { length } = data;
    if (typeof data === "string") length = encoder.encodeInto(data, room).written;
    else room.set(data);
    const digest = hash("sha256", inner.subarray(0, BLOCK + length), "binary");
    for (let i = 0; i < DIGEST; i++) outer[BLOCK + i] = digest.charCodeAt(i);
    return hash("sha256", outer, "hex");
  } finally {
    inner.fill(0, 0, BLOCK);
    outer.fill(0, 0, BLOCK);
  }
}

/** A lone surrogate has no bytes, and would be hashed as another character. */
function assertText(data: Uint8Array | string) {
  if (typeof data === "string" && !isWellFormed(data)) throw new Error("malformed text");
}

export function hmacSha512(key: Uint8Array, data: Uint8Array): Uint8Array {
  return plain(createHmac("sha512", createSecretKey(key)).update(data).digest());
}

export function pbkdf2Sha512(
  password: Uint8Array,
  salt: Uint8Array,
  { iterations, length }: { iterations: number; length: number },
): Uint8Array {
  return plain(pbkdf2Sync(password, salt, iterations, length, "sha512"));
}

export function randomBytes(length: number): Uint8Array {
  return randomFillSync(new Uint8Array(length));
}

export function aes256GcmEncrypt({
  key,
  nonce,
  aad,
  plaintext,
}: Sealing & { plaintext: Uint8Array }): Uint8Array {
  assertSealing(key, nonce);
  const cipher = createCipheriv("aes-256-gcm", createSecretKey(key), nonce).setAAD(aad);
  const ciphertext = cipher.update(plaintext);
  cipher.final();
  return concatBytes(ciphertext, cipher.getAuthTag());
}

export function aes256GcmDecrypt({
  key,
  nonce,
  aad,
  ciphertext,
}: Sealing & { ciphertext: Uint8Array }): Uint8Array {
  assertSealing(key, nonce);
  if (ciphertext.length < 16) throw new Error("decryption failed");
  const end = ciphertext.length - 16;
  const decipher = createDecipheriv("aes-256-gcm", createSecretKey(key), nonce, {
    authTagLength: 16,
  })
    .setAAD(aad)
    .setAuthTag(ciphertext.subarray(end));
  const plaintext = decipher.update(ciphertext.subarray(0, end));
  try {
    decipher.final();
  } catch {
    wipe(plaintext);
    throw new Error("decryption failed");
  }
  return plain(plaintext);
}

export function importPublicKey(curve: Curve, bytes: Uint8Array): PublicKey {
  if (curve !== "CURVE_P256") {
    if (!isPublicKey(curve, bytes)) throw new Error("invalid public key");
    return { curve, bytes: new Uint8Array(bytes) };
  }
  const publicKey = { curve, bytes: new Uint8Array(bytes) };
  if (bytes.length !== 33) throw new Error("invalid public key");
  try {
    // OpenSSL checks the point when it parses the key, so this checks and caches at once.
    publicKeyObject(publicKey);
  } catch {
    throw new Error("invalid public key");
  }
  return publicKey;
}

export function isPublicKey(curve: Curve, bytes: Uint8Array): boolean {
  if (bytes.length !== publicKeyLength(curve)) return false;
  switch (curve) {
    case "CURVE_P256":
      return isConvertible(bytes);
    case "CURVE_SECP256K1":
      return native()?.publicKeyVerify(bytes) ?? shared.isPublicKey(curve, bytes);
    case "CURVE_ED25519":
      // OpenSSL accepts any 32 bytes and checks them only when it verifies.
      return shared.isPublicKey(curve, bytes);
  }
}

export function publicKeyOf(curve: Curve, privateKey: Uint8Array): Uint8Array {
  assertPrivateKey(curve, privateKey);
  switch (curve) {
    case "CURVE_P256": {
      const ecdh = createECDH("prime256v1");
      ecdh.setPrivateKey(privateKey);
      return plain(ecdh.getPublicKey(null, "compressed"));
    }
    case "CURVE_SECP256K1":
      return native()?.publicKeyCreate(privateKey, true) ?? shared.publicKeyOf(curve, privateKey);
    case "CURVE_ED25519": {
      const publicKey = createPublicKey(privateKeyObject(curve, privateKey));
      const { x } = publicKey.export({ format: "jwk" });
      if (x === undefined) throw new Error("invalid private key");
      return decodeBase64Url(x);
    }
  }
}

export function uncompressPublicKey(
  curve: Exclude<Curve, "CURVE_ED25519">,
  publicKey: Uint8Array,
): Uint8Array {
  const first = publicKey[0];
  const isCompressed = publicKey.length === 33 && (first === 2 || first === 3);
  // libsecp256k1 and OpenSSL also accept the hybrid form of SEC 1, a second encoding.
  if (!isCompressed && !(publicKey.length === 65 && first === 4)) {
    throw new Error("invalid public key");
  }
  try {
    const binding = curve === "CURVE_SECP256K1" ? native() : undefined;
    if (binding !== undefined) return binding.publicKeyConvert(publicKey, false);
    const name = curve === "CURVE_P256" ? "prime256v1" : "secp256k1";
    const point = ECDH.convertKey(publicKey, name, undefined, undefined, "uncompressed");
    return Uint8Array.from(point as Uint8Array); // no output encoding was asked for
  } catch {
    throw new Error("invalid public key");
  }
}

export function ecdhP256(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  assertPrivateKey("CURVE_P256", privateKey);
  if (publicKey.length !== 33) throw new Error("invalid public key");
  const ecdh = createECDH("prime256v1");
  ecdh.setPrivateKey(privateKey);
  try {
    return plain(ecdh.computeSecret(publicKey));
  } catch {
    throw new Error("invalid public key");
  }
}

export function verifyP256(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_P256");
  if (!isEcdsaSignature("CURVE_P256", signature)) return false;
  // Node's own conversion from r || s would take half as long as the verification.
  return verify("sha256", message, publicKeyObject(publicKey), encodeDerSignature(signature));
}

export function signP256(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  assertCurve(privateKey, "CURVE_P256");
  return decodeDerSignature(sign("sha256", message, importedPrivateKeyObject(privateKey)));
}

export function verifySecp256k1(
  publicKey: PublicKey,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_SECP256K1");
  assertDigest(digest);
  if (!isEcdsaSignature("CURVE_SECP256K1", signature)) return false;
  const binding = native();
  if (binding === undefined) return shared.verifySecp256k1(publicKey, digest, signature);
  // libsecp256k1 accepts only a low s. (r, s) is valid exactly if (r, n - s) is.
  const normalized = binding.signatureNormalize(new Uint8Array(signature));
  return binding.ecdsaVerify(normalized, digest, publicKey.bytes);
}

export function signSecp256k1(
  privateKey: Uint8Array,
  digest: Uint8Array,
): { signature: Uint8Array; recovery: 0 | 1 } {
  assertPrivateKey("CURVE_SECP256K1", privateKey);
  assertDigest(digest);
  const binding = native();
  // For its nonce, libsecp256k1 does not reduce the digest as RFC 6979, 3.2, requires. So the one
  // digest in 2^128 that is above the order is signed by the other twin's code.
  if (binding === undefined || startsAboveOrder(digest)) {
    return shared.signSecp256k1(privateKey, digest);
  }
  const { signature, recid } = binding.ecdsaSign(digest, privateKey);
  return { signature, recovery: parity(recid) };
}

/**
 * BIP-340, default signing, step by step. libsecp256k1 does the arithmetic, and takes a twentieth of
 * the time of the other twin.
 */
export function signSchnorr(privateKey: Uint8Array, digest: Uint8Array): Uint8Array {
  assertPrivateKey("CURVE_SECP256K1", privateKey);
  assertDigest(digest);
  const binding = native();
  if (binding === undefined) return shared.signSchnorr(privateKey, digest);
  const key = evenKey(binding, privateKey);
  const mask = taggedHash("BIP0340/aux", new Uint8Array(32));
  const masked = key.secret.map((byte, i) => byte ^ (mask[i] as number)); // 32 bytes each
  const random = taggedHash("BIP0340/nonce", masked, key.x, digest);
  let nonce: ReturnType<typeof evenKey> | undefined;
  try {
    // One hash in 2^128 is not below the order. The other twin reduces it.
    if (!isScalar("CURVE_SECP256K1", random)) return shared.signSchnorr(privateKey, digest);
    nonce = evenKey(binding, random);
    const challenge = taggedHash("BIP0340/challenge", nonce.x, key.x, digest);
    if (!isScalar("CURVE_SECP256K1", challenge)) return shared.signSchnorr(privateKey, digest);
    const product = binding.privateKeyTweakMul(key.secret, challenge);
    return concatBytes(nonce.x, binding.privateKeyTweakAdd(product, nonce.secret));
  } finally {
    // The binding computes in place, so `product` and the sum are in the bytes of `key.secret`.
    for (const secret of [key.secret, masked, random, nonce?.secret]) if (secret) wipe(secret);
  }
}

/** The scalar, or its negative, whose point has an even y, and the x of that point. */
function evenKey(binding: Secp256k1Binding, scalar: Uint8Array) {
  const point = binding.publicKeyCreate(scalar, true);
  const secret = new Uint8Array(scalar);
  if (point[0] === 3) binding.privateKeyNegate(secret);
  return { secret, x: point.slice(1) };
}

function taggedHash(tag: string, ...parts: Uint8Array[]): Uint8Array {
  const prefix = sha256(encodeUtf8(tag));
  return sha256(concatBytes(prefix, prefix, ...parts));
}

export function recoverSecp256k1(
  digest: Uint8Array,
  signature: Uint8Array,
  recovery: 0 | 1,
): Uint8Array {
  assertDigest(digest);
  const binding = native();
  if (binding === undefined) return shared.recoverSecp256k1(digest, signature, recovery);
  if (!isEcdsaSignature("CURVE_SECP256K1", signature)) throw new Error("cannot recover key");
  try {
    return binding.ecdsaRecover(signature, recovery, digest, true);
  } catch {
    throw new Error("cannot recover key");
  }
}

export function tweakAddSecp256k1(privateKey: Uint8Array, tweak: Uint8Array): Uint8Array {
  assertPrivateKey("CURVE_SECP256K1", privateKey);
  const binding = native();
  if (binding === undefined) return shared.tweakAddSecp256k1(privateKey, tweak);
  try {
    return binding.privateKeyTweakAdd(new Uint8Array(privateKey), tweak);
  } catch {
    throw new Error("invalid tweak");
  }
}

/** The public key, 33 bytes, of a private key to which the tweak was added. */
export function tweakPublicSecp256k1(publicKey: Uint8Array, tweak: Uint8Array): Uint8Array {
  const binding = native();
  if (binding === undefined) return shared.tweakPublicSecp256k1(publicKey, tweak);
  try {
    return binding.publicKeyTweakAdd(publicKey, tweak, true);
  } catch {
    throw new Error("invalid tweak");
  }
}

export function verifyEd25519(
  publicKey: PublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  assertCurve(publicKey, "CURVE_ED25519");
  if (signature.length !== 64) return false;
  return verify(null, message, publicKeyObject(publicKey), signature);
}

export function signEd25519(privateKey: PrivateKey, message: Uint8Array): Uint8Array {
  assertCurve(privateKey, "CURVE_ED25519");
  return plain(sign(null, message, importedPrivateKeyObject(privateKey)));
}

/** The same in a thread of the pool. The message is copied before this returns. */
export function signEd25519Aside(privateKey: PrivateKey, message: Uint8Array): Promise<Uint8Array> {
  assertCurve(privateKey, "CURVE_ED25519");
  return new Promise((resolve, reject) => {
    sign(null, message, importedPrivateKeyObject(privateKey), (error, signature) => {
      if (error) reject(error);
      else resolve(plain(signature));
    });
  });
}

export function verifyRs256(
  publicKey: RsaPublicKey,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (signature.length !== publicKey.modulus.length) return false;
  return verify("sha256", message, rsaKeyObject(publicKey), signature);
}

function isConvertible(bytes: Uint8Array): boolean {
  try {
    uncompressPublicKey("CURVE_P256", bytes);
    return true;
  } catch {
    return false;
  }
}

// Parsed keys. Each lives as long as the imported key that it belongs to.
const publicKeyObjects = new WeakMap<PublicKey | RsaPublicKey, KeyObject>();
const privateKeyObjects = new WeakMap<PrivateKey, KeyObject>();

function publicKeyObject(publicKey: PublicKey): KeyObject {
  const known = publicKeyObjects.get(publicKey);
  if (known !== undefined) return known;
  const prefix = publicKey.curve === "CURVE_P256" ? P256_SPKI : ED25519_SPKI;
  const der = asBuffer(concatBytes(prefix, publicKey.bytes));
  // For anything but a text, Node first finds out by two exceptions that it is not yet a key. They take
  // as long as the import itself.
  const key = createPublicKey(pemOf("PUBLIC KEY", der));
  publicKeyObjects.set(publicKey, key);
  return key;
}

/** RFC 7468: lines of 64 characters. */
function pemOf(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}

function rsaKeyObject(publicKey: RsaPublicKey): KeyObject {
  const known = publicKeyObjects.get(publicKey);
  if (known !== undefined) return known;
  const n = encodeBase64Url(publicKey.modulus);
  const e = encodeBase64Url(publicKey.exponent);
  const key = createPublicKey({ key: { kty: "RSA", n, e }, format: "jwk" });
  publicKeyObjects.set(publicKey, key);
  return key;
}

function importedPrivateKeyObject(privateKey: PrivateKey): KeyObject {
  const known = privateKeyObjects.get(privateKey);
  if (known !== undefined) return known;
  const key = privateKeyObject(privateKey.curve, privateKey.bytes);
  privateKeyObjects.set(privateKey, key);
  return key;
}

function privateKeyObject(curve: Curve, bytes: Uint8Array): KeyObject {
  const der = concatBytes(curve === "CURVE_P256" ? P256_PKCS8 : ED25519_PKCS8, bytes);
  try {
    return createPrivateKey({ key: asBuffer(der), format: "der", type: "pkcs8" });
  } finally {
    wipe(der);
  }
}

let binding: Secp256k1Binding | null | undefined;

/** libsecp256k1, loaded when it is first used. Undefined if no build fits the platform. */
function native(): Secp256k1Binding | undefined {
  if (binding === undefined) binding = loadLibsecp256k1(randomBytes(32));
  return binding ?? undefined;
}

/** True for every number from the order up: the first 15 bytes of the order are 0xff. */
function startsAboveOrder(digest: Uint8Array): boolean {
  for (let i = 0; i < 15; i++) if (digest[i] !== 0xff) return false;
  return true;
}

/** A plain array over the same memory, so that both twins return the same type. */
function plain(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

// The DER of SubjectPublicKeyInfo and PKCS #8 before the key (RFC 5480, 5915, 8410).
const P256_SPKI = hexBytes("3039301306072a8648ce3d020106082a8648ce3d030107032200");
const P256_PKCS8 = hexBytes(
  "3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420",
);
const ED25519_SPKI = hexBytes("302a300506032b6570032100");
const ED25519_PKCS8 = hexBytes("302e020100300506032b657004220420");

function hexBytes(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "hex"));
}
