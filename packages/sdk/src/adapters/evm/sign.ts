import {
  concatBytes,
  decodeHex,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
  isWellFormed,
} from "@keyhearth/crypto/encoding/bytes";
import { signRawPayload, signTransaction } from "../../calls/generated/calls.ts";
import type { SignRawPayloadIntentV2 } from "../../generated/types.ts";
import { at, type EvmKey, type Hex, invalid, isSameAddress, unverified } from "./key.ts";
import { type EvmSignature, readSignedTransaction } from "./signed-transaction.ts";
import type { Signed } from "./signer.ts";

// Every signature is verified before it is returned: the key of the address made it, over exactly what
// was to be signed. Otherwise these functions throw `Unverified`.

/** A key whose address is known. */
export type AddressedKey = EvmKey & {
  address: string;
  /** With that of an earlier request, the same request asks for its result. */
  timestampMs?: string | undefined;
  signal?: AbortSignal | undefined;
};

/** Text, or bytes; `raw` bytes may be in hex. */
export type Message = string | Uint8Array | { raw: string | Uint8Array };

/** Signs a digest of 32 bytes as it is. Policies see nothing of what it stands for. */
export function signDigest(key: AddressedKey, digest: string): Promise<EvmSignature> {
  return sign(key, { digest }, digest, "PAYLOAD_ENCODING_HEXADECIMAL");
}

/**
 * Signs a message (EIP-191, version 0x45). The service hashes it, so approvers and policies see the
 * message in the activity: as text if it is UTF-8, otherwise in hex.
 */
export function signMessage(key: AddressedKey, message: Message): Promise<EvmSignature> {
  const bytes = bytesOf(message);
  const prefix = encodeUtf8(`\x19Ethereum Signed Message:\n${bytes.length}`);
  const whole = concatBytes(prefix, bytes);
  const signed = { bytes: whole };
  const text = textOf(whole);
  return text === undefined
    ? sign(key, signed, encodeHex(whole), "PAYLOAD_ENCODING_HEXADECIMAL", "HASH_FUNCTION_KECCAK256")
    : sign(key, signed, text, "PAYLOAD_ENCODING_TEXT_UTF8", "HASH_FUNCTION_KECCAK256");
}

/** Signs typed data (EIP-712), as JSON with `EIP712Domain` in its types. Policies read it. */
export function signTypedData(key: AddressedKey, json: string): Promise<EvmSignature> {
  return sign(key, { typedData: json }, json, "PAYLOAD_ENCODING_EIP712");
}

/** Signs an authorization (EIP-7702). Policies read it. */
export function signAuthorization(
  key: AddressedKey,
  authorization: { chainId: number | bigint; address: string; nonce: number | bigint },
): Promise<EvmSignature> {
  const { chainId, address, nonce } = authorization;
  const json = JSON.stringify({ chainId: String(chainId), address, nonce: String(nonce) });
  return sign(key, { authorization: json }, json, "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION");
}

/**
 * Signs a serialized transaction of any type that the service decodes. Policies read it. Throws
 * `Unverified` if the answer is not this transaction with a signature.
 */
export async function signEvmTransaction(
  key: AddressedKey,
  unsigned: string,
): Promise<{ signed: Hex; signature: EvmSignature }> {
  const { signedTransaction } = await signTransaction(
    key.connection,
    {
      signWith: key.signWith,
      unsignedTransaction: withoutPrefix(unsigned),
      type: "TRANSACTION_TYPE_ETHEREUM",
    },
    at(key),
  );
  const signature = readSignedTransaction(withoutPrefix(unsigned), signedTransaction);
  await assertSigner(key, { bytes: decodeHex(withoutPrefix(unsigned)) }, signature);
  return { signed: `0x${signedTransaction}`, signature };
}

/** The signature as 65 bytes in hex, the last of which is 27 or 28. */
export function signatureHex({ r, s, yParity }: EvmSignature): Hex {
  return `${r}${s.slice(2)}${yParity === 0 ? "1b" : "1c"}` as Hex; // r starts with 0x
}

async function sign(
  key: AddressedKey,
  signed: Signed,
  payload: string,
  encoding: SignRawPayloadIntentV2["encoding"],
  hashFunction: SignRawPayloadIntentV2["hashFunction"] = "HASH_FUNCTION_NO_OP",
): Promise<EvmSignature> {
  const { connection, signWith } = key;
  const parameters = { signWith, payload, encoding, hashFunction };
  const { r, s, v } = await signRawPayload(connection, parameters, at(key));
  if (!isWord(r) || !isWord(s) || (v !== "00" && v !== "01")) {
    throw unverified("The service answered with a signature of the wrong form");
  }
  const signature: EvmSignature = { r: `0x${r}`, s: `0x${s}`, yParity: v === "00" ? 0 : 1 };
  await assertSigner(key, signed, signature);
  return signature;
}

async function assertSigner(
  { address }: AddressedKey,
  signed: Signed,
  signature: EvmSignature,
): Promise<void> {
  const { signerOf } = await import("./signer.ts");
  const signer = signerOf(signed, signature);
  if (signer !== undefined && isSameAddress(signer, address)) return;
  throw unverified(`The service answered with a signature that ${address} did not make over this`);
}

function isWord(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

function bytesOf(message: Message): Uint8Array {
  if (typeof message === "string") {
    if (isWellFormed(message)) return encodeUtf8(message);
    throw invalid("message", "has half of a surrogate pair, so it is not text. Sign bytes instead");
  }
  const raw = "raw" in message ? message.raw : message;
  if (typeof raw !== "string") return raw;
  if (/^0x([0-9a-f]{2})*$/i.test(raw)) return decodeHex(raw.slice(2));
  throw invalid("message.raw", "must be hex that starts with 0x, with two digits a byte");
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeUtf8(bytes);
  } catch {
    return undefined;
  }
}

function withoutPrefix(hex: string): string {
  return hex.replace(/^0x/, "");
}
