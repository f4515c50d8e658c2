import { blake2b } from "@noble/hashes/blake2";
import { concatBytes, encodeHex } from "../encoding/bytes.ts";
import { uncompressedPublicKey } from "../keys/keys.ts";

/** The signature scheme Ed25519, which Sui hashes before the key. */
const ED25519_FLAG = 0x00;

/** The Sui address: BLAKE2b-256 of the scheme's flag and the key. */
export function suiAddress(publicKey: Uint8Array): string {
  const key = uncompressedPublicKey("CURVE_ED25519", publicKey);
  return `0x${encodeHex(blake2b(concatBytes(Uint8Array.of(ED25519_FLAG), key), { dkLen: 32 }))}`;
}
