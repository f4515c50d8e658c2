import { schnorr } from "@noble/curves/secp256k1";
import { taprootOutputKey } from "./taproot.ts";

/** Verifies a BIP-340 signature by the output key of a public key (BIP-86). Throws if the key is not a point. */
export function verifyTaproot(
  publicKey: Uint8Array,
  digest: Uint8Array,
  signature: Uint8Array,
): boolean {
  return schnorr.verify(signature, digest, taprootOutputKey(publicKey));
}
