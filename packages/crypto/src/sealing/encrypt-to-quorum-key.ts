import * as primitives from "#primitives";
import { concatBytes, wipe } from "../encoding/bytes.ts";
import {
  compressedPublicKey,
  generatePrivateKey,
  publicKeyOf,
  uncompressedPublicKey,
} from "../keys/keys.ts";
import { aadOfMessage, deriveMessageKey, NONCE_LENGTH } from "./quorum-message.ts";

// The client's side of messages to a quorum key. The signer loads none of it.

const CURVE = "CURVE_P256";

/** Encrypts to a P-256 public key in either form. Throws "invalid public key". */
export function encryptToQuorumKey(receiver: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const receiverPoint = uncompressedPublicKey(CURVE, receiver);
  const ephemeralKey = generatePrivateKey(CURVE);
  const senderPoint = uncompressedPublicKey(CURVE, publicKeyOf(CURVE, ephemeralKey));
  const shared = primitives.ecdhP256(ephemeralKey, compressedPublicKey(CURVE, receiverPoint));
  const key = deriveMessageKey({ senderPoint, receiverPoint, shared });
  const nonce = primitives.randomBytes(NONCE_LENGTH);
  try {
    const aad = aadOfMessage(senderPoint, receiverPoint);
    const ciphertext = primitives.aes256GcmEncrypt({ key, nonce, aad, plaintext });
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, ciphertext.length, true);
    return concatBytes(nonce, senderPoint, length, ciphertext);
  } finally {
    wipe(key);
    wipe(ephemeralKey);
  }
}
