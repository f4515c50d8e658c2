import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding";
import { type Curve, signEd25519, signSecp256k1 } from "@keyhearth/crypto/keys";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import * as z from "zod";
import { invalid } from "./errors.ts";
import type { SigningKey } from "./execute.ts";

export const SignWith = z
  .string()
  .min(1, "must not be empty")
  .max(256, "must have at most 256 characters")
  .describe("Address of a wallet account, or address or id of a private key.");

export const Payload = z.string().describe("What to sign, written as `encoding` says.");

export const PayloadEncoding = z
  .enum(["PAYLOAD_ENCODING_HEXADECIMAL", "PAYLOAD_ENCODING_TEXT_UTF8"], "invalid payload encoding")
  .describe("How the payload is written.")
  .meta({ id: "PayloadEncoding" });

export const HashFunction = z
  .enum(
    [
      "HASH_FUNCTION_NO_OP",
      "HASH_FUNCTION_SHA256",
      "HASH_FUNCTION_KECCAK256",
      "HASH_FUNCTION_NOT_APPLICABLE",
    ],
    "invalid hash function",
  )
  .describe(
    "Hash applied before signing. NO_OP signs a digest of 32 bytes; NOT_APPLICABLE is for Ed25519, and only that.",
  )
  .meta({ id: "HashFunction" });

export const Signature = z
  .strictObject({
    r: z
      .string()
      .describe("First half of the signature, 64 hex characters.")
      .meta({ examples: ["2f6f7a1c0d3b5e8894c6d1a7f0e3b2c5d4f6a8b9c0d1e2f3a4b5c6d7e8f90112"] }),
    s: z
      .string()
      .describe("Second half of the signature, 64 hex characters.")
      .meta({ examples: ["1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"] }),
    v: z
      .string()
      .describe("Recovery id, `00` or `01`; `00` for Ed25519.")
      .meta({ examples: ["01"] }),
  })
  .describe("A signature.")
  .meta({ id: "SignRawPayloadResult" });

type PayloadParams = {
  payload: string;
  encoding: z.output<typeof PayloadEncoding>;
  hashFunction: z.output<typeof HashFunction>;
};

/** Everything about the payload that a client can get wrong. */
export function checkPayload({
  curve,
  payload,
  encoding,
  hashFunction,
  field,
}: PayloadParams & { curve: Curve; field: string }) {
  const isEdwards = curve === "CURVE_ED25519";
  if (isEdwards !== (hashFunction === "HASH_FUNCTION_NOT_APPLICABLE")) {
    throw invalid(
      "parameters.hashFunction",
      isEdwards
        ? `invalid hash function: an Ed25519 key needs HASH_FUNCTION_NOT_APPLICABLE, got \`${hashFunction}\``
        : "invalid hash function: HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 keys; this key needs HASH_FUNCTION_NO_OP, HASH_FUNCTION_SHA256 or HASH_FUNCTION_KECCAK256",
    );
  }
  const bytes = decodePayload(payload, encoding, field);
  if (hashFunction === "HASH_FUNCTION_NO_OP" && bytes.length !== 32) {
    throw invalid(
      field,
      `expected a 32-bytes-long digest, got ${bytes.length} bytes: HASH_FUNCTION_NO_OP signs a digest as it is`,
      "DIGEST_INVALID",
    );
  }
}

/** Deterministic: RFC 6979 with low s, or Ed25519. */
export function signPayload(
  key: SigningKey,
  { payload, encoding, hashFunction }: PayloadParams,
): z.output<typeof Signature> {
  const bytes = decodePayload(payload, encoding, "parameters.payload");
  if (key.curve === "CURVE_ED25519") {
    const signature = encodeHex(signEd25519(bytes, key.privateKey()));
    return { r: signature.slice(0, 64), s: signature.slice(64), v: "00" };
  }
  const { r, s, recovery } = signSecp256k1(digestOf(bytes, hashFunction), key.privateKey());
  return { r: encodeHex(r), s: encodeHex(s), v: recovery === 0 ? "00" : "01" };
}

function decodePayload(
  payload: string,
  encoding: PayloadParams["encoding"],
  field: string,
): Uint8Array {
  if (encoding === "PAYLOAD_ENCODING_TEXT_UTF8") return encodeUtf8(payload);
  try {
    return decodeHex(payload.startsWith("0x") ? payload.slice(2) : payload);
  } catch (cause) {
    throw Object.assign(
      invalid(field, `invalid payload encoding: \`${field}\` is not hexadecimal text`),
      { cause },
    );
  }
}

function digestOf(bytes: Uint8Array, hashFunction: PayloadParams["hashFunction"]): Uint8Array {
  switch (hashFunction) {
    case "HASH_FUNCTION_NO_OP":
      return bytes;
    case "HASH_FUNCTION_SHA256":
      return sha256(bytes);
    case "HASH_FUNCTION_KECCAK256":
      return keccak256(bytes);
    case "HASH_FUNCTION_NOT_APPLICABLE":
      // Invariant: `checkPayload` refused this for ECDSA keys.
      throw new Error("hash function does not apply");
  }
}
