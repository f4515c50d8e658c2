import * as primitives from "#primitives";
import type { Curve } from "../curves.ts";

export type { Curve } from "../curves.ts";

/** A private key that was checked once, with what a library prepared for signing with it. */
export type PrivateKey = primitives.PrivateKey;

/** An ECDSA signature whose public key can be recovered. */
export type RecoverableSignature = { r: Uint8Array; s: Uint8Array; recovery: 0 | 1 };

/** The public key of a private key: 33 bytes compressed, 32 bytes for Ed25519. */
export function publicKeyOf(curve: Curve, privateKey: Uint8Array): Uint8Array {
  return primitives.publicKeyOf(curve, privateKey);
}

/** The uncompressed form of a public key, 65 bytes. Ed25519 keys have only one form. */
export function uncompressedPublicKey(curve: Curve, publicKey: Uint8Array): Uint8Array {
  if (curve !== "CURVE_ED25519") return primitives.uncompressPublicKey(curve, publicKey);
  return primitives.importPublicKey(curve, publicKey).bytes;
}

/** The compressed form of a public key, 33 bytes. Ed25519 keys have only one form. */
export function compressedPublicKey(curve: Curve, publicKey: Uint8Array): Uint8Array {
  const point = uncompressedPublicKey(curve, publicKey);
  if (curve === "CURVE_ED25519") return point;
  const compressed = point.slice(0, 33);
  compressed[0] = 2 + ((point[64] ?? 0) & 1);
  return compressed;
}

/** A new private key. If `entropy` is given, it is those 32 bytes, which must be a private key. */
export function generatePrivateKey(curve: Curve, entropy?: Uint8Array): Uint8Array {
  if (entropy !== undefined) {
    if (!primitives.isPrivateKey(curve, entropy)) throw new Error("invalid private key");
    return new Uint8Array(entropy);
  }
  for (;;) {
    const privateKey = primitives.randomBytes(32);
    if (primitives.isPrivateKey(curve, privateKey)) return privateKey;
  }
}

/** Copies the bytes of a private key that signs more than once. The caller wipes the copy. */
export function importPrivateKey(curve: Curve, bytes: Uint8Array): PrivateKey {
  return primitives.importPrivateKey(curve, bytes);
}

export function isValidPrivateKey(curve: Curve, privateKey: Uint8Array): boolean {
  return primitives.isPrivateKey(curve, privateKey);
}

/** Whether the bytes are a compressed public key that can verify signatures. */
export function isValidPublicKey(curve: Curve, publicKey: Uint8Array): boolean {
  return primitives.isPublicKey(curve, publicKey);
}

/** Signs a digest of 32 bytes, with the nonce of RFC 6979 and a low s. */
export function signSecp256k1(
  digest: Uint8Array,
  privateKey: Uint8Array | PrivateKey,
): RecoverableSignature {
  const bytes = bytesOf("CURVE_SECP256K1", privateKey);
  const { signature, recovery } = primitives.signSecp256k1(bytes, digest);
  return { r: signature.slice(0, 32), s: signature.slice(32), recovery };
}

/** Signs a digest of 32 bytes with P-256, with the nonce of RFC 6979 and a low s. */
export function signP256(
  digest: Uint8Array,
  privateKey: Uint8Array | PrivateKey,
): RecoverableSignature {
  const bytes = bytesOf("CURVE_P256", privateKey);
  const { signature, recovery } = primitives.signP256Digest(bytes, digest);
  return { r: signature.slice(0, 32), s: signature.slice(32), recovery };
}

/** Signs a message with Ed25519; the signature has 64 bytes. */
export function signEd25519(message: Uint8Array, privateKey: Uint8Array | PrivateKey): Uint8Array {
  if (!isBytes(privateKey)) return primitives.signEd25519(privateKey, message);
  return withPrivateKey("CURVE_ED25519", privateKey, (key) => primitives.signEd25519(key, message));
}

/**
 * Signs a large message with Ed25519 while this thread does other work. In Node.js a thread of the pool does it, which
 * takes the message as it is now; browsers sign at once.
 */
export function signEd25519Aside(message: Uint8Array, privateKey: PrivateKey): Promise<Uint8Array> {
  return primitives.signEd25519Aside(privateKey, message);
}

/** Signs the SHA-256 of a message with P-256 and the nonce of RFC 6979. Returns r || s, 64 bytes. */
export function signP256Raw(message: Uint8Array, privateKey: Uint8Array): Uint8Array {
  return withPrivateKey("CURVE_P256", privateKey, (key) =>
    primitives.signP256Deterministically(key, message),
  );
}

/** The bytes of a private key in either form. */
function bytesOf(curve: Curve, privateKey: Uint8Array | PrivateKey): Uint8Array {
  if (isBytes(privateKey)) return privateKey;
  if (privateKey.curve !== curve) throw new Error("wrong curve");
  return privateKey.bytes;
}

function isBytes(privateKey: Uint8Array | PrivateKey): privateKey is Uint8Array {
  return !("curve" in privateKey);
}

function withPrivateKey<Result>(
  curve: Curve,
  privateKey: Uint8Array,
  use: (key: primitives.PrivateKey) => Result,
): Result {
  const key = primitives.importPrivateKey(curve, privateKey);
  try {
    return use(key);
  } finally {
    key.bytes.fill(0);
  }
}
