import { encodeBase58 } from "../encoding/base58.ts";

/** The address of an Ed25519 public key: the key itself in base58. */
export function solanaAddress(publicKey: Uint8Array): string {
  if (publicKey.length !== 32) throw new Error("invalid public key");
  return encodeBase58(publicKey);
}
