import { encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";
import type { ApiKeyStamp } from "./stamp.ts";

/** The value of an `X-Stamp` header, which `parseApiKeyStamp` reads. Needs no curve. */
export function encodeApiKeyStamp({ publicKey, scheme, signature }: ApiKeyStamp): string {
  return encodeBase64Url(encodeUtf8(JSON.stringify({ publicKey, scheme, signature })));
}
