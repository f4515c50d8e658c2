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
import {
  decodeEthereumTransaction,
  encodeSignedTransaction,
  ethereumSigningDigest,
} from "@keyhearth/crypto/transactions/ethereum";
import { decodeRlp } from "@keyhearth/crypto/transactions/rlp";
import { decodeSolanaTransaction, solanaMessage } from "@keyhearth/crypto/transactions/solana";
import {
  decodeTronTransaction,
  encodeSignedTronTransaction,
  tronSigningDigest,
} from "@keyhearth/crypto/transactions/tron";
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

/** Whether the signed transaction is the unsigned one with a signature of this key. */
export function verifyTransaction(
  { publicKey }: Signer,
  type: TransactionType,
  { unsigned, signed }: { unsigned: string; signed: string },
): Verdict {
  if (publicKey === undefined) return undefined;
  try {
    const key = decodeHex(publicKey);
    const [before, after] = [decodeHex(unsigned), decodeHex(signed)];
    if (type === "TRANSACTION_TYPE_ETHEREUM") return isSignedEthereum(key, before, after);
    if (type === "TRANSACTION_TYPE_SOLANA") return isSignedSolana(key, before, after);
    if (type === "TRANSACTION_TYPE_TRON") return isSignedTron(key, before, after);
    return undefined;
  } catch {
    return false;
  }
}

function isSignedEthereum(key: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const transaction = decodeEthereumTransaction(before);
  // A typed transaction starts with its type, and a list with a byte of at least 0xc0.
  const offset = (after[0] ?? 0) < 0xc0 ? 1 : 0;
  const items = decodeRlp(after.slice(offset), { subject: "transaction" });
  if (items instanceof Uint8Array) return false;
  const [r, s] = [items.at(-2), items.at(-1)];
  if (!(r instanceof Uint8Array && s instanceof Uint8Array)) return false;
  const halves = { r: word(r), s: word(s) };
  const recovery = ([0, 1] as const).find((each) =>
    equalBytes(encodeSignedTransaction(transaction, { ...halves, recovery: each }), after),
  );
  return (
    recovery !== undefined &&
    isSignedBy(key, ethereumSigningDigest(transaction), { ...halves, recovery })
  );
}

function word(bytes: Uint8Array): Uint8Array {
  const padded = new Uint8Array(32);
  padded.set(bytes, 32 - bytes.length);
  return padded;
}

function isSignedSolana(key: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const message = solanaMessage(decodeSolanaTransaction(before));
  if (!equalBytes(solanaMessage(decodeSolanaTransaction(after)), message)) return false;
  const count = (after.length - message.length - 1) / 64;
  return Array.from({ length: count }, (_, slot) =>
    after.slice(1 + 64 * slot, 65 + 64 * slot),
  ).some((signature) => verifyEd25519(key, message, signature));
}

function isSignedTron(key: Uint8Array, before: Uint8Array, after: Uint8Array): boolean {
  const transaction = decodeTronTransaction(before);
  const signature = after.slice(-65);
  const halves = { r: signature.slice(0, 32), s: signature.slice(32, 64) };
  const recovery = signature[64] === 27 ? 0 : 1;
  return (
    equalBytes(encodeSignedTronTransaction(transaction, { ...halves, recovery }), after) &&
    isSignedBy(key, tronSigningDigest(transaction), { ...halves, recovery })
  );
}
