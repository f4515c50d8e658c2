import { bech32 } from "@scure/base";
import { compressedPublicKey } from "../keys/keys.ts";
import { hash160 } from "./hash160.ts";

/** The address of a chain of the Cosmos family, such as `cosmos` or `sei` (ADR-028). */
export function cosmosAddress(prefix: string, publicKey: Uint8Array): string {
  const key = compressedPublicKey("CURVE_SECP256K1", publicKey);
  return bech32.encode(prefix, bech32.toWords(hash160(key)));
}
