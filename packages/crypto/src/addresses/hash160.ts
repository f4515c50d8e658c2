import { ripemd160 } from "@noble/hashes/legacy";
import { sha256 } from "#primitives";

/** RIPEMD-160 of SHA-256, 20 bytes: how Bitcoin and its relatives shorten keys and scripts. */
export function hash160(data: Uint8Array): Uint8Array {
  return ripemd160(sha256(data));
}
