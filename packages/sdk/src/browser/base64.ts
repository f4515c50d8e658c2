import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseObject } from "../connection/answers.ts";

/** The bytes of a base64url text, or undefined if it is something else. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return new Uint8Array(decodeBase64Url(text));
  } catch {
    return undefined;
  }
}

/** The object that a base64url text has as JSON in UTF-8, or undefined if it is something else. */
export function objectFromBase64Url(text: string): Record<string, unknown> | undefined {
  try {
    return parseObject(decodeUtf8(decodeBase64Url(text)));
  } catch {
    return undefined;
  }
}
