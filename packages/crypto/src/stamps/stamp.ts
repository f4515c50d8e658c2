import * as primitives from "#primitives";
import { type Curve, publicKeyLength } from "../curves.ts";
import {
  concatBytes,
  decodeBase64Url,
  decodeHex,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { decodeDerSignature, MAX_DER_LENGTH } from "../encoding/der.ts";
import { parseStrictJson } from "../encoding/json.ts";

/** The schemes of API-key stamps. */
export const STAMP_SCHEMES = [
  "SIGNATURE_SCHEME_TK_API_P256",
  "SIGNATURE_SCHEME_TK_API_SECP256K1",
  "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191",
  "SIGNATURE_SCHEME_TK_API_ED25519",
] as const;

export type StampScheme = (typeof STAMP_SCHEMES)[number];

export type ApiKeyCurve =
  | "API_KEY_CURVE_P256"
  | "API_KEY_CURVE_SECP256K1"
  | "API_KEY_CURVE_ED25519";

/** The members of an `X-Stamp` header: `publicKey` in lower-case hex, `signature` as sent. */
export type ApiKeyStamp = {
  publicKey: string;
  scheme: StampScheme;
  signature: string;
};

/** A public key that `importStampKey` checked, for many verifications. */
export type StampKey = {
  readonly publicKey: string;
  readonly scheme: StampScheme;
  readonly imported: primitives.PublicKey;
};

/** The curve that an API key must have for its stamps to use a scheme. */
export function curveOfScheme(scheme: StampScheme): ApiKeyCurve {
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return "API_KEY_CURVE_P256";
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
      return "API_KEY_CURVE_SECP256K1";
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return "API_KEY_CURVE_ED25519";
  }
}

/** Parses the value of an `X-Stamp` header. Checks only its form, not the signature. */
export function parseApiKeyStamp(header: string): ApiKeyStamp {
  if (header.length > MAX_HEADER_LENGTH) throw malformed();
  return readApiKeyStamp(parseMembers(header));
}

/** Checks the form of a stamp's members, as far as they are parsed. Throws if one is malformed. */
export function readApiKeyStamp({
  publicKey,
  scheme,
  signature,
}: Record<keyof ApiKeyStamp, unknown>): ApiKeyStamp {
  if (!isStampScheme(scheme)) throw malformed();
  if (typeof publicKey !== "string" || typeof signature !== "string") throw malformed();
  if (publicKey.length !== 2 * publicKeyLength(keyCurve(scheme))) throw malformed();
  const isEd25519 = scheme === "SIGNATURE_SCHEME_TK_API_ED25519";
  if (isEd25519 ? signature.length !== 128 : signature.length > 2 * MAX_DER_LENGTH) {
    throw malformed();
  }
  if (signature === "" || !isHex(publicKey) || !isHex(signature)) throw malformed();
  return { publicKey: publicKey.toLowerCase(), scheme, signature };
}

/** Checks a public key in hex once, for all stamps that it will verify. Throws if it is invalid. */
export function importStampKey(publicKey: string, scheme: StampScheme): StampKey {
  const bytes = decodeHex(publicKey);
  const imported = primitives.importPublicKey(keyCurve(scheme), bytes);
  return { publicKey: encodeHex(bytes), scheme, imported };
}

/**
 * Whether the stamp's key signed exactly this body. If `key` is given, the public key is not parsed
 * again; it must be the key of the stamp.
 */
export function verifyApiKeyStamp(stamp: ApiKeyStamp, body: Uint8Array, key?: StampKey): boolean {
  const publicKey = key === undefined ? importOrNothing(stamp) : key.imported;
  if (publicKey === undefined || publicKey.curve !== keyCurve(stamp.scheme)) return false;
  if (key !== undefined && key.publicKey !== stamp.publicKey) return false;
  const signature = signatureOrNothing(stamp);
  if (signature === undefined) return false;
  switch (stamp.scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return primitives.verifyP256(publicKey, body, signature);
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
      return primitives.verifySecp256k1(publicKey, primitives.sha256(body), signature);
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
      return primitives.verifySecp256k1(publicKey, eip191Digest(body), signature);
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return primitives.verifyEd25519(publicKey, body, signature);
  }
}

/** The digest that a wallet's `personal_sign` signs for a message (ERC-191, version 0x45). */
export function eip191Digest(message: Uint8Array): Uint8Array {
  const prefix = encodeUtf8(`\x19Ethereum Signed Message:\n${message.length}`);
  return primitives.keccak256(concatBytes(prefix, message));
}

/** The curve of the key that signs with a scheme. */
export function keyCurve(scheme: StampScheme): Curve {
  switch (scheme) {
    case "SIGNATURE_SCHEME_TK_API_P256":
      return "CURVE_P256";
    case "SIGNATURE_SCHEME_TK_API_SECP256K1":
    case "SIGNATURE_SCHEME_TK_API_SECP256K1_EIP191":
      return "CURVE_SECP256K1";
    case "SIGNATURE_SCHEME_TK_API_ED25519":
      return "CURVE_ED25519";
  }
}

function parseMembers(header: string): Record<string, unknown> {
  try {
    const members = parseStrictJson(decodeUtf8(decodeBase64Url(header)), { maxDepth: 1 });
    // The caller requires three members by name, so there is no other one.
    if (isObject(members) && Object.keys(members).length === 3) return members;
  } catch {
    throw malformed();
  }
  throw malformed();
}

function importOrNothing({ publicKey, scheme }: ApiKeyStamp): primitives.PublicKey | undefined {
  try {
    return importStampKey(publicKey, scheme).imported;
  } catch {
    return undefined;
  }
}

function signatureOrNothing({ scheme, signature }: ApiKeyStamp): Uint8Array | undefined {
  try {
    const bytes = decodeHex(signature);
    return scheme === "SIGNATURE_SCHEME_TK_API_ED25519" ? bytes : decodeDerSignature(bytes);
  } catch {
    return undefined;
  }
}

function isStampScheme(scheme: unknown): scheme is StampScheme {
  return STAMP_SCHEMES.some((known) => known === scheme);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHex(text: string): boolean {
  return text.length % 2 === 0 && /^[0-9a-fA-F]*$/.test(text);
}

function malformed(): Error {
  return new Error("malformed stamp");
}

// The longest stamp without white space has 391 characters.
const MAX_HEADER_LENGTH = 1024;
