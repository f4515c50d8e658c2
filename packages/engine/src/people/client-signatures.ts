import { decodeHex, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { importPublicKey, verifyP256 } from "@keyhearth/crypto/primitives";
import { invalid } from "../errors.ts";
import type { ClientSignature } from "../fields/schemas.ts";
import type { VerifiedCode } from "./verification-tokens.ts";

/** What a client signs to spend a token: the request's own values, so that it fits no other request. */
export type Usage =
  | { type: "USAGE_TYPE_LOGIN"; login: { publicKey: string } }
  | { type: "USAGE_TYPE_SIGNUP"; signupV2: Record<string, unknown> };

const SHAPES: Record<Usage["type"], string> = {
  USAGE_TYPE_LOGIN: '{"login":{"publicKey"},"tokenId","type":"USAGE_TYPE_LOGIN"}',
  USAGE_TYPE_SIGNUP:
    '{"signupV2":{"apiKeys","authenticators","oauthProviders","email","phoneNumber"},"tokenId","type":"USAGE_TYPE_SIGNUP"}',
};

type Given = { signature: ClientSignature | undefined; field: string };

/**
 * Refuses a request with a token unless the key that the token names has signed what the request asks
 * for. Only a token that names no key needs no signature.
 */
export function checkClientSignature(
  { signature, field }: Given,
  { tokenId, publicKey }: Pick<VerifiedCode, "tokenId" | "publicKey">,
  usage: Usage,
) {
  if (publicKey === null && signature === undefined) return;
  if (publicKey === null) {
    throw refused(
      field,
      "cannot be checked, because the verification token names no key: verify a code with a public key",
    );
  }
  if (signature === undefined) {
    throw refused(field, "is missing: sign with the key that the verification token names");
  }
  if (signature.publicKey.toLowerCase() !== publicKey) {
    throw refused(`${field}.publicKey`, "is not the key that the verification token names");
  }
  if (!isSigned(signature)) {
    throw refused(
      `${field}.signature`,
      "is not a signature of the message by that key: expected 128 hex characters, r and s over the SHA-256 of the message",
    );
  }
  // Compared by value: clients may order members differently.
  if (!isSame(parse(signature.message), { ...usage, tokenId })) {
    throw refused(
      `${field}.message`,
      `does not say what the request asks for: expected JSON of ${SHAPES[usage.type]}, with the values of the request and the token's id`,
    );
  }
}

function isSigned({ publicKey, message, signature }: ClientSignature): boolean {
  if (!/^[0-9a-fA-F]{128}$/.test(signature)) return false;
  try {
    const key = importPublicKey("CURVE_P256", decodeHex(publicKey));
    return verifyP256(key, encodeUtf8(message), decodeHex(signature));
  } catch {
    return false;
  }
}

function parse(message: string): unknown {
  try {
    return parseStrictJson(message);
  } catch {
    return undefined;
  }
}

/** An absent member and an empty list mean the same, also where the contract fills one in. */
function isSame(given: unknown, expected: unknown): boolean {
  if (isObject(given) && isObject(expected)) {
    const names = new Set([...Object.keys(given), ...Object.keys(expected)]);
    return [...names].every((name) => isSame(memberOf(given, name), memberOf(expected, name)));
  }
  if (Array.isArray(given) && Array.isArray(expected)) {
    return given.length === expected.length && given.every((each, i) => isSame(each, expected[i]));
  }
  return given === expected;
}

function memberOf(value: object, name: string): unknown {
  // Strict JSON and the request's own parameters have only own members.
  const member = Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
  return Array.isArray(member) && member.length === 0 ? undefined : member;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(field: string, why: string) {
  return invalid(
    field,
    `invalid client signature: \`${field}\` ${why}`,
    "CLIENT_SIGNATURE_INVALID",
  );
}
