import { keccak256 } from "#primitives";
import { encodeHex, encodeUtf8 } from "../encoding.ts";
import { uncompressedPublicKey } from "../keys.ts";

/** The address of a secp256k1 public key in either form, with the checksum of EIP-55. */
export function ethereumAddress(publicKey: Uint8Array): string {
  const point = uncompressedPublicKey("CURVE_SECP256K1", publicKey);
  const address = encodeHex(keccak256(point.subarray(1)).subarray(12));
  const checksum = encodeHex(keccak256(encodeUtf8(address)));
  let text = "0x";
  for (let i = 0; i < address.length; i++) {
    const isUpper = checksum.charAt(i) >= "8";
    text += isUpper ? address.charAt(i).toUpperCase() : address.charAt(i);
  }
  return text;
}
