import { encodeBase58 } from "@keyhearth/crypto/encoding/base58";
import { concatBytes, decodeHex, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { taprootOutputKey } from "@keyhearth/crypto/keys/taproot";
import {
  recoverSecp256k1,
  verifyEd25519,
  verifyP256Raw,
  verifySecp256k1,
} from "@keyhearth/crypto/keys/verify";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import { isSignedTransaction } from "@keyhearth/crypto/transactions/signed-transaction";
import { parseTypedData } from "@keyhearth/crypto/transactions/typed-data";
import { hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";
import type { SignRawPayloadResult, TransactionType } from "@keyhearth/sdk";
import { schnorr } from "@noble/curves/secp256k1";
import type { Payload, Signer } from "./messages.ts";

// Checks here what the service answered: this key signed exactly this. Loaded with the first signature.

/** `undefined` where this page cannot tell, such as for a public key that is not proven, or a digest that it does not compute. */
export type Verdict = boolean | undefined;

export function verifyMessage(
  { curve, publicKey, format }: Signer,
  payload: Payload,
  { r, s, v }: Pick<SignRawPayloadResult, "r" | "s" | "v">,
): Verdict {
  if (publicKey === undefined) return undefined;
  try {
    const key = decodeHex(publicKey);
    const halves = { r: decodeHex(r), s: decodeHex(s) };
    const signature = concatBytes(halves.r, halves.s);
    if (curve === "CURVE_ED25519") return verifyEd25519(key, bytesOf(payload), signature);
    if (curve === "CURVE_P256") {
      // The library hashes by itself, with SHA-256.
      return payload.hashFunction === "HASH_FUNCTION_SHA256"
        ? verifyP256Raw(key, bytesOf(payload), signature)
        : undefined;
    }
    const digest = digestOf(payload);
    if (format?.endsWith("_P2TR")) return schnorr.verify(signature, digest, taprootOutputKey(key));
    const recovery = v === "00" ? 0 : v === "01" ? 1 : undefined;
    return recovery !== undefined && isSignedBy(key, digest, { ...halves, recovery });
  } catch {
    return false;
  }
}

/** Contracts and other programs learn the signer from `v`: with the other one, they would find somebody else. */
function isSignedBy(
  key: Uint8Array,
  digest: Uint8Array,
  signature: { r: Uint8Array; s: Uint8Array; recovery: 0 | 1 },
): boolean {
  return (
    verifySecp256k1(key, digest, signature) && equalBytes(recoverSecp256k1(digest, signature), key)
  );
}

function bytesOf({ payload, encoding }: Payload): Uint8Array {
  return encoding === "PAYLOAD_ENCODING_HEXADECIMAL" ? decodeHex(payload) : encodeUtf8(payload);
}

function digestOf(payload: Payload): Uint8Array {
  if (payload.encoding === "PAYLOAD_ENCODING_EIP712") {
    return hashTypedData(parseTypedData(payload.payload));
  }
  const bytes = bytesOf(payload);
  if (payload.hashFunction === "HASH_FUNCTION_KECCAK256") return keccak256(bytes);
  return payload.hashFunction === "HASH_FUNCTION_SHA256" ? sha256(bytes) : bytes;
}

/** The signature as the chain's programs take it. */
export function textOfSignature(
  { curve, format }: Signer,
  { r, s, v }: SignRawPayloadResult,
): string {
  if (format === "ADDRESS_FORMAT_ETHEREUM" || format === "ADDRESS_FORMAT_TRON") {
    return `0x${r}${s}${v === "00" ? "1b" : "1c"}`;
  }
  if (curve === "CURVE_ED25519" && format === "ADDRESS_FORMAT_SOLANA") {
    return encodeBase58(decodeHex(r + s));
  }
  return r + s;
}

/** Whether the signed transaction is the unsigned one with all signatures of this key that it asks for. */
export function verifyTransaction(
  { signWith, curve, publicKey }: Signer,
  type: TransactionType,
  { unsigned, signed }: { unsigned: string; signed: string },
): Verdict {
  if (publicKey === undefined) return undefined;
  try {
    // An id is not an address, so it names all inputs of the key.
    const key = { address: signWith, curve, publicKey: decodeHex(publicKey) };
    return isSignedTransaction({ type, unsignedTransaction: unsigned }, signed, key);
  } catch {
    return false;
  }
}
