import * as primitives from "#primitives";
import { concatBytes, encodeUtf8, wipe } from "../encoding/bytes.ts";
import { compressedPublicKey, publicKeyOf, uncompressedPublicKey } from "../keys/keys.ts";
import { type SecretBytes, secretBytes } from "../secret-bytes.ts";

// How released clients encrypt to the first half of a quorum public key: ECDH on P-256, a key by HMAC-SHA512, and
// AES-256-GCM. The message is the nonce, the sender's point, the length of the ciphertext (u32, little endian), and the
// ciphertext with its tag.

const CURVE = "CURVE_P256";
export const NONCE_LENGTH = 12;
const POINT_LENGTH = 65;
const TAG_LENGTH = 16;
const HEAD_LENGTH = NONCE_LENGTH + POINT_LENGTH + 4;
const PURPOSE = encodeUtf8("qos_encryption_hmac_message");

/** The bytes of a message beside its text. */
export const QUORUM_MESSAGE_OVERHEAD = HEAD_LENGTH + TAG_LENGTH;

/**
 * What was encrypted to the key of this private key. The caller wipes it. Throws "malformed message", "invalid public key",
 * or "decryption failed" if it was not encrypted to this key.
 */
export function decryptQuorumMessage(privateKey: Uint8Array, message: Uint8Array): SecretBytes {
  const length = message.length - HEAD_LENGTH;
  if (length < TAG_LENGTH) throw new Error("malformed message");
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  if (view.getUint32(HEAD_LENGTH - 4, true) !== length) throw new Error("malformed message");
  const nonce = message.slice(0, NONCE_LENGTH);
  const senderPoint = message.slice(NONCE_LENGTH, NONCE_LENGTH + POINT_LENGTH);
  // What is authenticated is the point in its long form, so there is no other way to write it.
  if (senderPoint[0] !== 4) throw new Error("malformed message");
  const receiverPoint = uncompressedPublicKey(CURVE, publicKeyOf(CURVE, privateKey));
  const shared = primitives.ecdhP256(privateKey, compressedPublicKey(CURVE, senderPoint));
  const key = deriveMessageKey({ senderPoint, receiverPoint, shared });
  try {
    const aad = aadOfMessage(senderPoint, receiverPoint);
    const ciphertext = message.slice(HEAD_LENGTH);
    return secretBytes(primitives.aes256GcmDecrypt({ key, nonce, aad, ciphertext }));
  } finally {
    wipe(key);
  }
}

/** Wipes the shared point. */
export function deriveMessageKey({
  senderPoint,
  receiverPoint,
  shared,
}: Record<"senderPoint" | "receiverPoint" | "shared", Uint8Array>): Uint8Array {
  const preimage = concatBytes(senderPoint, receiverPoint, shared);
  const mac = primitives.hmacSha512(preimage, PURPOSE);
  try {
    return mac.slice(0, 32);
  } finally {
    for (const bytes of [shared, preimage, mac]) wipe(bytes);
  }
}

export function aadOfMessage(senderPoint: Uint8Array, receiverPoint: Uint8Array): Uint8Array {
  const length = Uint8Array.of(POINT_LENGTH);
  return concatBytes(senderPoint, length, receiverPoint, length);
}
