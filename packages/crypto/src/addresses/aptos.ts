import { sha3_256 } from "@noble/hashes/sha3";
import { concatBytes, encodeHex } from "../encoding/bytes.ts";
import { uncompressedPublicKey } from "../keys/keys.ts";

/** The scheme of an account with one Ed25519 key, which Aptos hashes after the key. */
const SINGLE_ED25519 = 0x00;

/** The Aptos address: the authentication key that the account starts with. */
export function aptosAddress(publicKey: Uint8Array): string {
  const key = uncompressedPublicKey("CURVE_ED25519", publicKey);
  return `0x${encodeHex(sha3_256(concatBytes(key, Uint8Array.of(SINGLE_ED25519))))}`;
}
