import { keccak256 } from "#primitives";
import { encodeHex, encodeUtf8 } from "../encoding.ts";
import { uncompressedPublicKey } from "../keys.ts";

/** The address of a secp256k1 public key in either form, with the checksum of EIP-55. */
export function ethereumAddress(publicKey: Uint8Array): string {
  const point = uncompressedPublicKey("CURVE_SECP256K1", publicKey);
  return checksumAddress(encodeHex(keccak256(point.subarray(1)).subarray(12)));
}

/** EIP-55: 40 lower-case hex characters as an address whose case is its checksum. */
export function checksumAddress(hex: string): string {
  const checksum = encodeHex(keccak256(encodeUtf8(hex)));
  let text = "0x";
  for (let i = 0; i < hex.length; i++) {
    const isUpper = checksum.charAt(i) >= "8";
    text += isUpper ? hex.charAt(i).toUpperCase() : hex.charAt(i);
  }
  return text;
}
