import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { verifyP256Raw } from "@keyhearth/crypto/keys/verify";
import { sha256 as digest } from "@keyhearth/crypto/primitives";

// What `p256-key.ts` does by WebCrypto, in plain JavaScript. Loaded where there is none, such as in React Native.

export function sha256(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(digest(bytes));
}

/** Whether a key with this uncompressed point, in hex, signed the SHA-256 of these bytes. */
export function verifyP256(point: string, message: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifyP256Raw(decodeHex(point), message, signature);
  } catch {
    return false;
  }
}
