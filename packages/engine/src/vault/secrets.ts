import { decodeUtf8, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { type Curve, isValidPrivateKey } from "@keyhearth/crypto/keys/keys";
import { hmacSha256 } from "@keyhearth/crypto/primitives";
import { openBytes, type SecretBytes, secretBytes } from "@keyhearth/crypto/secret-bytes";

type Random = { random(length: number): Uint8Array };

export function randomSecret(length: number, { random }: Random): SecretBytes {
  return secretBytes(random(length));
}

/** Of the numbers of 32 bytes, one in 2^32 is too large for a key of P-256. */
export function randomPrivateKey(curve: Curve, { random }: Random): SecretBytes {
  for (;;) {
    const bytes = randomSecret(32, { random });
    if (isValidPrivateKey(curve, bytes)) return bytes;
  }
}

/** For each purpose the same. */
export function deriveSecret(secret: SecretBytes, purpose: string): SecretBytes {
  return secretBytes(hmacSha256(secret, encodeUtf8(purpose)));
}

/** The caller wipes the result. */
export function encodeSecret(text: string): SecretBytes {
  return secretBytes(encodeUtf8(text));
}

/** A secret as text, which nothing can wipe. Throws if it is not UTF-8. */
export function decodeSecret(secret: SecretBytes): string {
  return decodeUtf8(openBytes(secret));
}
