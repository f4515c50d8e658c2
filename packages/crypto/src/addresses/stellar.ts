import { base32nopad } from "@scure/base";
import { concatBytes } from "../encoding/bytes.ts";
import { uncompressedPublicKey } from "../keys/keys.ts";
import { crc16 } from "./crc16.ts";

/** The version byte of an account, which makes the address start with `G`. */
const ACCOUNT_VERSION = 6 << 3;

/** The address of a Stellar account (SEP-23). */
export function stellarAddress(publicKey: Uint8Array): string {
  const key = uncompressedPublicKey("CURVE_ED25519", publicKey);
  const body = concatBytes(Uint8Array.of(ACCOUNT_VERSION), key);
  const checksum = crc16(body);
  return base32nopad.encode(concatBytes(body, Uint8Array.of(checksum & 0xff, checksum >> 8)));
}
