import { keccak256 } from "#primitives";
import { uncompressedPublicKey } from "../keys/keys.ts";
import { encodeBase58Check } from "./base58check.ts";

const MAINNET_VERSION = 0x41;

/** The address that starts with `T`: the 20 bytes of the Ethereum address in Base58Check. */
export function tronAddress(publicKey: Uint8Array): string {
  const point = uncompressedPublicKey("CURVE_SECP256K1", publicKey);
  return encodeBase58Check(MAINNET_VERSION, keccak256(point.subarray(1)).subarray(12));
}
