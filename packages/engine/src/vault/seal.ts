import { decodeBase64Url, encodeBase64Url, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { aes256GcmDecrypt, aes256GcmEncrypt } from "@keyhearth/crypto/primitives";
import { type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import { recordRefused } from "../errors.ts";
import { currentEpoch, type Keyring } from "./keyring.ts";

/** Stored key material: AES-256-GCM under the seal key of an epoch. Bytes are in base64url. */
export type Sealed = { keyEpoch: number; nonce: string; ciphertext: string };

/** The owner of a sealed value, which cannot be opened for any other. */
export type SealedOwner = {
  organizationId: string;
  id: string;
  part: "entropy" | "passphrase" | "seed" | "key" | "import" | "result";
};

export function seal(
  keyring: Keyring,
  owner: SealedOwner,
  plaintext: SecretBytes,
  random: (length: number) => Uint8Array,
): Sealed {
  const { epoch, sealKey } = currentEpoch(keyring);
  const nonce = random(12);
  const ciphertext = aes256GcmEncrypt({ key: sealKey, nonce, aad: aadOf(owner), plaintext });
  return {
    keyEpoch: epoch,
    nonce: encodeBase64Url(nonce),
    ciphertext: encodeBase64Url(ciphertext),
  };
}

/** The caller wipes the result. */
export function unseal(keyring: Keyring, owner: SealedOwner, sealed: Sealed): SecretBytes {
  const epoch = keyring.epochs.find((candidate) => candidate.epoch === sealed.keyEpoch);
  if (!epoch) throw recordRefused("key material is sealed under an epoch the signer does not hold");
  try {
    const plaintext = aes256GcmDecrypt({
      key: epoch.sealKey,
      nonce: decodeBase64Url(sealed.nonce),
      aad: aadOf(owner),
      ciphertext: decodeBase64Url(sealed.ciphertext),
    });
    return secretBytes(plaintext);
  } catch (cause) {
    throw Object.assign(recordRefused("key material does not open for its owner"), { cause });
  }
}

function aadOf({ organizationId, id, part }: SealedOwner): Uint8Array {
  return encodeUtf8(JSON.stringify(["keyhearth.seal.v1", organizationId, id, part]));
}
