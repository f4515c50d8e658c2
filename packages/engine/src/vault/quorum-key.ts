import { concatBytes, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { publicKeyOf, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { hmacSha512, importPrivateKey, type PrivateKey } from "@keyhearth/crypto/primitives";
import { type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";
import type { Keyring } from "./keyring.ts";

export type QuorumKeys = {
  /** Opens what clients encrypt to the first half of the public key. */
  encryptSecret: SecretBytes;
  signSecret: SecretBytes;
  /** `signSecret`, imported once. */
  signKey: PrivateKey;
  /** The encryption point and the signing point, hex of 130 bytes. */
  publicKey: string;
};

/**
 * Derives the quorum keys from the master seed. Each secret is HKDF-SHA512 (RFC 5869) with the
 * purpose as salt and an empty info.
 */
export function deriveQuorumKeys({ quorumSeed }: Keyring): QuorumKeys {
  const encryptSecret = expand(quorumSeed, "qos_p256_encrypt");
  const signSecret = expand(quorumSeed, "qos_p256_sign");
  const publicKey = encodeHex(concatBytes(pointOf(encryptSecret), pointOf(signSecret)));
  return {
    encryptSecret,
    signSecret,
    signKey: importPrivateKey("CURVE_P256", signSecret),
    publicKey,
  };
}

/** The key that clients pin to check bundles, uncompressed, in hex. */
export function signerPublicKey(keyring: Keyring): string {
  return encodeHex(pointOf(keyring.keys.bundle));
}

/** The key of session tokens, uncompressed, in hex. */
export function sessionPublicKey(keyring: Keyring): string {
  return encodeHex(pointOf(keyring.keys.session));
}

/** The key of verification tokens and of the bundles that codes are encrypted to, uncompressed, in hex. */
export function verificationPublicKey(keyring: Keyring): string {
  return encodeHex(pointOf(keyring.keys.verification));
}

function pointOf(secret: SecretBytes): Uint8Array {
  return uncompressedPublicKey("CURVE_P256", publicKeyOf("CURVE_P256", secret));
}

/** HKDF-SHA512 (RFC 5869) with the purpose as salt and an empty info, 32 bytes. */
export function expand(seed: SecretBytes, salt: string): SecretBytes {
  const pseudorandomKey = hmacSha512(encodeUtf8(salt), seed);
  return secretBytes(hmacSha512(pseudorandomKey, Uint8Array.of(1)).slice(0, 32));
}
