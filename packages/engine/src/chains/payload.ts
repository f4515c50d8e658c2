import { decodeHex, encodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import {
  type PrivateKey,
  type RecoverableSignature,
  signEd25519,
  signP256,
  signSecp256k1,
} from "@keyhearth/crypto/keys/keys";
import { signTaproot } from "@keyhearth/crypto/keys/taproot";
import { keccak256, sha256 } from "@keyhearth/crypto/primitives";
import {
  type Authorization,
  hashAuthorization,
  parseAuthorization,
} from "@keyhearth/crypto/transactions/eip-7702";
import { parseTypedData, type TypedData } from "@keyhearth/crypto/transactions/typed-data";
import { assertTypesNotLong, hashTypedData } from "@keyhearth/crypto/transactions/typed-data-hash";
import * as z from "zod";
import { checkAll, invalid, shorten } from "../errors.ts";
import type { Scheme } from "../keys/key-holder.ts";
import type { Roots } from "../keys/policy-roots.ts";
import { authorizationRoots, typedDataRoots } from "./ethereum-messages.ts";
import { parseField } from "./parse-field.ts";

export const SignWith = z
  .string()
  .min(1, "must not be empty")
  .max(256, "must have at most 256 characters")
  .describe("Address of a wallet account, or address or id of a private key.");

export const Payload = z
  .string()
  .min(1, "must not be empty")
  .describe("What to sign, in the format that `encoding` names. It must not be empty.");

export const PayloadEncoding = z
  .enum(
    [
      "PAYLOAD_ENCODING_HEXADECIMAL",
      "PAYLOAD_ENCODING_TEXT_UTF8",
      "PAYLOAD_ENCODING_EIP712",
      "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION",
    ],
    "invalid payload encoding",
  )
  .describe(
    "The format of the payload. EIP712 is typed data as JSON. EIP7702_AUTHORIZATION is JSON with `chainId`, `address` and `nonce`. The service reads both, shows them to policies and computes their digest.",
  )
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
    "Hash function applied before signing. NO_OP signs a digest of 32 bytes. Use NOT_APPLICABLE for Ed25519 keys, and only for those.",
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
      .describe("Recovery id, `00` or `01`; `00` for Ed25519 keys and Taproot addresses.")
      .meta({ examples: ["01"] }),
  })
  .describe("A signature.")
  .meta({ id: "SignRawPayloadResult" });

export type PayloadParams = {
  payload: string;
  encoding: z.output<typeof PayloadEncoding>;
  hashFunction: z.output<typeof HashFunction>;
};

/** The content of a payload: bytes, or a message that policies can read and the service hashes. */
export type Content =
  | { kind: "bytes"; bytes: Uint8Array }
  | { kind: "typed data"; typedData: TypedData }
  | { kind: "authorization"; authorization: Authorization };

const FIELD = "parameters.payload";

/** Reads a payload for a key of this scheme, if it is known. Refuses one that it cannot sign. */
export function readPayload(
  scheme: Scheme | undefined,
  params: PayloadParams,
  field = FIELD,
): Content {
  const [content] = readPayloads(scheme, params, [{ payload: params.payload, field }]);
  return content as Content; // one content for each payload
}

/** The same for several payloads with one encoding and one hash function. */
export function readPayloads(
  scheme: Scheme | undefined,
  params: Omit<PayloadParams, "payload">,
  payloads: readonly { payload: string; field: string }[],
): Content[] {
  // First, because with another encoding the client would change the hash function and payload too.
  assertEncoding(scheme, params.encoding);
  const contents: Content[] = [];
  checkAll(
    () => assertHashFunction(scheme, params),
    ...payloads.map(({ payload, field }) => () => {
      const content = contentOf({ payload, ...params }, field);
      const isDigest = params.hashFunction === "HASH_FUNCTION_NO_OP" && scheme !== "ed25519";
      if (content.kind === "bytes" && isDigest) assertDigest(content.bytes, field);
      contents.push(content);
    }),
  );
  return contents;
}

/** Only an ECDSA key of secp256k1 signs what the service reads and hashes itself. */
function assertEncoding(scheme: Scheme | undefined, encoding: PayloadParams["encoding"]) {
  if (scheme === undefined || scheme === "ecdsa-secp256k1" || !isStructured(encoding)) return;
  throw invalid(
    "parameters.encoding",
    `invalid payload encoding: \`${encoding}\` needs a key of CURVE_SECP256K1, but \`signWith\` names ${NAMED[scheme]}`,
  );
}

/** The hash function must fit the encoding and the scheme. */
function assertHashFunction(
  scheme: Scheme | undefined,
  { encoding, hashFunction }: Omit<PayloadParams, "payload">,
) {
  if (isStructured(encoding)) {
    if (hashFunction === "HASH_FUNCTION_NO_OP") return;
    throw invalid(
      "parameters.hashFunction",
      `invalid hash function: with \`${encoding}\` the service computes the digest, so the hash function must be HASH_FUNCTION_NO_OP, got \`${hashFunction}\``,
    );
  }
  const isEdwards = scheme === "ed25519";
  if (scheme === undefined || isEdwards === (hashFunction === "HASH_FUNCTION_NOT_APPLICABLE")) {
    return;
  }
  throw invalid(
    "parameters.hashFunction",
    isEdwards
      ? `invalid hash function: an Ed25519 key needs HASH_FUNCTION_NOT_APPLICABLE, got \`${hashFunction}\``
      : "invalid hash function: HASH_FUNCTION_NOT_APPLICABLE is for Ed25519 keys; this key needs HASH_FUNCTION_NO_OP, HASH_FUNCTION_SHA256 or HASH_FUNCTION_KECCAK256",
  );
}

const NAMED: Record<Exclude<Scheme, "ecdsa-secp256k1">, string> = {
  ed25519: "a key of CURVE_ED25519",
  "ecdsa-p256": "a key of CURVE_P256",
  taproot: "a Taproot address",
};

function assertDigest({ length }: Uint8Array, field: string) {
  if (length === 32) return;
  throw invalid(
    field,
    `expected a 32-bytes-long digest, got ${length} bytes: HASH_FUNCTION_NO_OP signs a digest as it is`,
    "DIGEST_INVALID",
  );
}

/** The service reads payloads in these encodings. It signs others without understanding them. */
export function isStructured(encoding: PayloadParams["encoding"]): boolean {
  return (
    encoding === "PAYLOAD_ENCODING_EIP712" || encoding === "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION"
  );
}

/** What policies see of a payload, besides the key. They do not see bytes. */
export function payloadRoots(content: Content): Roots {
  switch (content.kind) {
    case "bytes":
      return {};
    case "typed data":
      return typedDataRoots(content.typedData);
    case "authorization":
      return authorizationRoots(content.authorization);
  }
}

/** Signs deterministically. ECDSA has the nonce of RFC 6979 and a low s. */
export function signPayload(
  content: Content,
  { scheme, hashFunction }: { scheme: Scheme; hashFunction: PayloadParams["hashFunction"] },
  privateKey: PrivateKey,
): z.output<typeof Signature> {
  switch (scheme) {
    case "ed25519":
      return halves(signEd25519(messageOf(content), privateKey));
    case "taproot":
      return halves(signTaproot(digestOf(content, hashFunction), privateKey.bytes));
    case "ecdsa-p256":
      return recoverable(signP256(digestOf(content, hashFunction), privateKey));
    case "ecdsa-secp256k1":
      return recoverable(signSecp256k1(digestOf(content, hashFunction), privateKey));
  }
}

function halves(signature: Uint8Array): z.output<typeof Signature> {
  const hex = encodeHex(signature);
  return { r: hex.slice(0, 64), s: hex.slice(64), v: "00" };
}

function recoverable({ r, s, recovery }: RecoverableSignature): z.output<typeof Signature> {
  return { r: encodeHex(r), s: encodeHex(s), v: recovery === 0 ? "00" : "01" };
}

function messageOf(content: Content): Uint8Array {
  // Invariant: `readPayload` refused other content for Ed25519 keys.
  if (content.kind !== "bytes") throw new Error("content does not apply");
  return content.bytes;
}

function contentOf({ payload, encoding }: PayloadParams, field: string): Content {
  switch (encoding) {
    case "PAYLOAD_ENCODING_TEXT_UTF8":
      return { kind: "bytes", bytes: encodeUtf8(payload) };
    case "PAYLOAD_ENCODING_HEXADECIMAL":
      return { kind: "bytes", bytes: bytesOf(payload, field) };
    case "PAYLOAD_ENCODING_EIP712":
      return { kind: "typed data", typedData: parse(field, () => parseHashable(payload)) };
    case "PAYLOAD_ENCODING_EIP7702_AUTHORIZATION":
      return {
        kind: "authorization",
        authorization: parse(field, () => parseAuthorization(payload)),
      };
  }
}

function parseHashable(payload: string): TypedData {
  const typedData = parseTypedData(payload);
  assertTypesNotLong(typedData);
  return typedData;
}

function parse<T>(field: string, parser: () => T): T {
  const before = "failed to parse payload: ";
  return parseField({ field, before, reason: "TRANSACTION_INVALID" }, parser);
}

function bytesOf(payload: string, field: string): Uint8Array {
  const digits = payload.startsWith("0x") ? payload.slice(2) : payload;
  if (digits === "") {
    throw invalid(field, `must not be empty: \`${field}\` is \`0x\`, which has no digits`);
  }
  try {
    return decodeHex(digits);
  } catch {
    throw invalid(
      field,
      `invalid payload encoding: \`${field}\` is not hexadecimal text: expected two digits for each byte, with or without \`0x\`, got \`${shorten(payload)}\``,
    );
  }
}

function digestOf(content: Content, hashFunction: PayloadParams["hashFunction"]): Uint8Array {
  switch (content.kind) {
    case "typed data":
      return hashTypedData(content.typedData);
    case "authorization":
      return hashAuthorization(content.authorization);
    case "bytes":
      return hash(content.bytes, hashFunction);
  }
}

function hash(bytes: Uint8Array, hashFunction: PayloadParams["hashFunction"]): Uint8Array {
  switch (hashFunction) {
    case "HASH_FUNCTION_NO_OP":
      return bytes;
    case "HASH_FUNCTION_SHA256":
      return sha256(bytes);
    case "HASH_FUNCTION_KECCAK256":
      return keccak256(bytes);
    case "HASH_FUNCTION_NOT_APPLICABLE":
      // Invariant: `readPayload` refused this for ECDSA keys.
      throw new Error("hash function does not apply");
  }
}
