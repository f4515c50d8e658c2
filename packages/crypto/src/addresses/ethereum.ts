import { keccak256 } from "#primitives";
import { encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { uncompressedPublicKey } from "../keys/keys.ts";

/** The EIP-55 address of a secp256k1 public key, compressed or not. */
export function ethereumAddress(publicKey: Uint8Array): string {
  const point = uncompressedPublicKey("CURVE_SECP256K1", publicKey);
  return checksumAddress(encodeHex(keccak256(point.subarray(1)).subarray(12)));
}

/** Writes 40 lower-case hex characters as an address whose letter case is a checksum (EIP-55). */
export function checksumAddress(hex: string): string {
  const checksum = encodeHex(keccak256(encodeUtf8(hex)));
  let text = "0x";
  for (let i = 0; i < hex.length; i++) {
    const isUpper = checksum.charAt(i) >= "8";
    text += isUpper ? hex.charAt(i).toUpperCase() : hex.charAt(i);
  }
  return text;
}
