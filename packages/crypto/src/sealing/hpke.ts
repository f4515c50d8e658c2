import * as primitives from "#primitives";
import { concatBytes, encodeUtf8, wipe } from "../encoding/bytes.ts";
import {
  compressedPublicKey,
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "../keys/keys.ts";
import { type SecretBytes, secretBytes } from "../secret-bytes.ts";

// Hybrid Public Key Encryption (RFC 9180) in the one form that we use: base mode, DHKEM(P-256,
// HKDF-SHA256), HKDF-SHA256 and AES-256-GCM, one message per encapsulated key. The library for it works
// only asynchronously, and the core does not wait for anything.

const CURVE = "CURVE_P256";
const KEM_SUITE = concatBytes(encodeUtf8("KEM"), Uint8Array.of(0x00, 0x10));
const HPKE_SUITE = concatBytes(
  encodeUtf8("HPKE"),
  Uint8Array.of(0x00, 0x10, 0x00, 0x01, 0x00, 0x02),
);
const VERSION = encodeUtf8("HPKE-v1");
const BASE_MODE = Uint8Array.of(0);
const NOTHING = new Uint8Array(0);

/** An encrypted message: the sender's point, 65 bytes uncompressed, and the ciphertext with its tag. */
export type Encrypted = { encappedPublic: Uint8Array; ciphertext: Uint8Array };

/** What a message is for, and what it belongs to. By default it is a bundle, which has no label. */
export type Purpose = { info: Uint8Array; label: Uint8Array };

const BUNDLE: Purpose = { info: encodeUtf8("turnkey_hpke"), label: NOTHING };

/**
 * Encrypts to a P-256 public key in either form. `ephemeralKey` must be fresh: it is for tests.
 * Throws "invalid public key".
 */
export function hpkeEncrypt(
  receiver: Uint8Array,
  plaintext: Uint8Array,
  ephemeralKey: Uint8Array = generatePrivateKey(CURVE),
  { info, label }: Purpose = BUNDLE,
): Encrypted {
  const receiverPoint = uncompressedPublicKey(CURVE, receiver);
  const encappedPublic = uncompressedPublicKey(CURVE, publicKeyOf(CURVE, ephemeralKey));
  const shared = primitives.ecdhP256(ephemeralKey, compressedPublicKey(CURVE, receiverPoint));
  const points = concatBytes(encappedPublic, receiverPoint);
  const { key, nonce } = deriveKey(shared, points, info);
  const aad = concatBytes(points, label);
  try {
    return {
      encappedPublic,
      ciphertext: primitives.aes256GcmEncrypt({ key, nonce, aad, plaintext }),
    };
  } finally {
    wipe(key);
    wipe(ephemeralKey);
  }
}

/**
 * Decrypts a message to the key of this private key. Throws "invalid public key" if the sender's point
 * is not on the curve, and "decryption failed" if the message was not made for this key.
 */
export function hpkeDecrypt(
  privateKey: Uint8Array,
  encrypted: Encrypted,
  purpose: Purpose = BUNDLE,
): SecretBytes {
  const receiver = publicKeyOf(CURVE, privateKey);
  const sender = compressedPublicKey(CURVE, encrypted.encappedPublic);
  const shared = primitives.ecdhP256(privateKey, sender);
  return hpkeDecryptAgreed({ receiver, shared }, encrypted, purpose);
}

/**
 * What `hpkeDecrypt` does after the agreement, for a private key that somebody else holds, such as a browser. `shared` is
 * the x of the point that the receiver's key and the sender's agree on; it is wiped.
 */
export function hpkeDecryptAgreed(
  { receiver, shared }: { receiver: Uint8Array; shared: Uint8Array },
  { encappedPublic, ciphertext }: Encrypted,
  { info, label }: Purpose = BUNDLE,
): SecretBytes {
  // The compressed form is also a way to write a point, but what is authenticated has 65 bytes.
  const points = concatBytes(
    uncompressedPublicKey(CURVE, encappedPublic),
    uncompressedPublicKey(CURVE, receiver),
  );
  const { key, nonce } = deriveKey(shared, points, info);
  const aad = concatBytes(points, label);
  try {
    return secretBytes(primitives.aes256GcmDecrypt({ key, nonce, aad, ciphertext }));
  } finally {
    wipe(key);
  }
}

/** The key and nonce of the only message. Wipes the shared point. */
function deriveKey(shared: Uint8Array, kemContext: Uint8Array, info: Uint8Array) {
  // RFC 9180, 4.1: ExtractAndExpand.
  const extracted = labeledExtract(KEM_SUITE, NOTHING, "eae_prk", shared);
  const secret = labeledExpand(KEM_SUITE, extracted, "shared_secret", kemContext, 32);
  // 5.1: the key schedule, without a pre-shared key.
  const context = concatBytes(
    BASE_MODE,
    labeledExtract(HPKE_SUITE, NOTHING, "psk_id_hash", NOTHING),
    labeledExtract(HPKE_SUITE, NOTHING, "info_hash", info),
  );
  const schedule = labeledExtract(HPKE_SUITE, secret, "secret", NOTHING);
  const key = labeledExpand(HPKE_SUITE, schedule, "key", context, 32);
  const nonce = labeledExpand(HPKE_SUITE, schedule, "base_nonce", context, 12);
  for (const bytes of [shared, extracted, secret, schedule]) wipe(bytes);
  return { key, nonce };
}

function labeledExtract(
  suite: Uint8Array,
  salt: Uint8Array,
  label: string,
  input: Uint8Array,
): Uint8Array {
  // RFC 5869: an empty salt stands for zeros, which HMAC pads a key with anyway.
  return primitives.hmacSha256(salt, concatBytes(VERSION, suite, encodeUtf8(label), input));
}

/** At most 32 bytes, so HKDF-Expand is one block. */
function labeledExpand(
  suite: Uint8Array,
  secret: Uint8Array,
  label: string,
  info: Uint8Array,
  length: number,
): Uint8Array {
  const labeled = concatBytes(
    Uint8Array.of(length >> 8, length & 0xff),
    VERSION,
    suite,
    encodeUtf8(label),
    info,
    Uint8Array.of(1),
  );
  return primitives.hmacSha256(secret, labeled).slice(0, length);
}
