import { sha256 } from "#primitives";
import { encodeBase58 } from "../encoding/base58.ts";
import { concatBytes } from "../encoding/bytes.ts";

/** Appends the first four bytes of the double SHA-256. */
export function withChecksum(body: Uint8Array): Uint8Array {
  return concatBytes(body, sha256(sha256(body)).subarray(0, 4));
}

/** Base58Check in Bitcoin's alphabet, with a version byte. */
export function encodeBase58Check(version: number, payload: Uint8Array): string {
  return encodeBase58(withChecksum(concatBytes(Uint8Array.of(version), payload)));
}
