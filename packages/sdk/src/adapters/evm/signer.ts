import { ethereumAddress } from "@keyhearth/crypto/addresses/ethereum";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { recoverSecp256k1 } from "@keyhearth/crypto/keys/verify";
import { keccak256 } from "@keyhearth/crypto/primitives";
import { hashAuthorization, parseAuthorization } from "@keyhearth/crypto/transactions/eip-7702";
import { parseTypedData } from "@keyhearth/crypto/transactions/typed-data";
import { hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";
import type { EvmSignature } from "./signed-transaction.ts";

// The curve and the hashes are large, so adapters load this file when they have the first signature to
// verify.

/** What is signed: a digest, bytes that are hashed, or JSON, as the service gets it. */
export type Signed =
  | { digest: string }
  | { bytes: Uint8Array }
  | { typedData: string }
  | { authorization: string };

/** The address of the key that made the signature, or undefined if there is none. */
export function signerOf(
  signed: Signed,
  { r, s, yParity: recovery }: EvmSignature,
): string | undefined {
  try {
    const halves = { r: decodeHex(r.slice(2)), s: decodeHex(s.slice(2)) };
    return ethereumAddress(recoverSecp256k1(digestOf(signed), { ...halves, recovery }));
  } catch {
    return undefined;
  }
}

function digestOf(signed: Signed): Uint8Array {
  if ("digest" in signed) return decodeHex(signed.digest.replace(/^0x/, ""));
  if ("bytes" in signed) return keccak256(signed.bytes);
  if ("typedData" in signed) return hashTypedData(parseTypedData(signed.typedData));
  return hashAuthorization(parseAuthorization(signed.authorization));
}
