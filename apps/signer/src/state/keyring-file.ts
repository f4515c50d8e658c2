import { randomBytes } from "node:crypto";
import { concatBytes, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { aes256GcmDecrypt, aes256GcmEncrypt } from "@keyhearth/crypto/primitives";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { decodeKeyring, encodeKeyring, type Keyring } from "@keyhearth/engine/vault/keyring";
import { readOnlyCopy } from "@keyhearth/outbound/state-file";
import { replaceDurably } from "./durable-file.ts";
import { SignerStateError } from "./state-error.ts";

// The file holds a nonce of 12 bytes, then the keyring, AES-256-GCM under the root key.
const associatedData = encodeUtf8("keyhearth.keyring.v1");

/** It grows by a key with each epoch. */
const MAX_KEYRING_BYTES = 1024 * 1024;

export function readKeyringFile(path: string, rootKey: SecretBytes): Keyring {
  const bytes = new Uint8Array(readOnlyCopy(path, MAX_KEYRING_BYTES));
  let text: Uint8Array;
  try {
    text = aes256GcmDecrypt({
      key: rootKey,
      nonce: bytes.subarray(0, 12),
      aad: associatedData,
      ciphertext: bytes.subarray(12),
    });
  } catch (cause) {
    throw new SignerStateError(
      `keyring ${path} does not open with this root key; restore the root key that it was created with`,
      { cause },
    );
  }
  return decodeKeyring(new TextDecoder().decode(text));
}

export function writeKeyringFile(path: string, rootKey: SecretBytes, keyring: Keyring) {
  const nonce = new Uint8Array(randomBytes(12));
  const plaintext = encodeUtf8(encodeKeyring(keyring));
  const ciphertext = aes256GcmEncrypt({ key: rootKey, nonce, aad: associatedData, plaintext });
  replaceDurably(path, concatBytes(nonce, ciphertext));
}
