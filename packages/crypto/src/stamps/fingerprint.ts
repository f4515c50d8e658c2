import { sha256Hex } from "#primitives";

/** The fingerprint of an activity: a hash of the exact bytes of the request body. */
export function fingerprint(body: Uint8Array): string {
  return `sha256:${sha256Hex(body)}`;
}
