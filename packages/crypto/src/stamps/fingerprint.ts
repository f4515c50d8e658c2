import { sha256 } from "#primitives";
import { encodeHex } from "../encoding/bytes.ts";

/** The fingerprint of an activity: a hash of the exact bytes of the request body. */
export function fingerprint(body: Uint8Array): string {
  return `sha256:${encodeHex(sha256(body))}`;
}
