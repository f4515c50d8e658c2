import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";

/** The bytes of a base64url text, or undefined if it is something else. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(decodeBase64Url(text));
  } catch {
    return undefined;
  }
}
