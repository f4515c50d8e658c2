import { base58xrp } from "@scure/base";
import { concatBytes } from "../encoding/bytes.ts";
import { compressedPublicKey } from "../keys/keys.ts";
import { withChecksum } from "./base58check.ts";
import { hash160 } from "./hash160.ts";

/** The classic address of the XRP Ledger: Base58Check in the ledger's own alphabet. */
export function xrpAddress(publicKey: Uint8Array): string {
  const key = compressedPublicKey("CURVE_SECP256K1", publicKey);
  return base58xrp.encode(withChecksum(concatBytes(Uint8Array.of(0), hash160(key))));
}
