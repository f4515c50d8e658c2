import { decodeBase64Url, decodeHex, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { decodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { type Curve, isValidPublicKey } from "@keyhearth/crypto/keys/keys";
import {
  type ApiKeyStamp,
  keyCurve,
  STAMP_SCHEMES,
  type StampScheme,
} from "@keyhearth/crypto/stamps/stamp";
import { parseWebAuthnStamp, type WebAuthnStamp } from "@keyhearth/crypto/webauthn/webauthn";

/** What keeps a text from being a stamp, without words. */
export type StampFault =
  | { kind: "long"; most: number }
  | { kind: "base64" | "encoding" | "json" | "signatureHex" | "keyHex" | "raw" | "der" }
  | { kind: "members"; missing: string[]; unknown: string[] }
  | { kind: "part"; name: string }
  | { kind: "scheme"; given: string }
  | { kind: "keyLength"; scheme: string; given: number; expected: number }
  | { kind: "curve"; scheme: string; given: Curve }
  | { kind: "point"; scheme: string };

/** A stamp by its form. Whether it is valid for a body is another question. */
export type ReadStamp =
  | { kind: "api key"; stamp: ApiKeyStamp; isEncoded: boolean }
  | { kind: "attested"; stamp: ApiKeyStamp; scheme: string; token: string }
  | { kind: "passkey"; stamp: WebAuthnStamp };

/** Takes the value of `X-Stamp`, `X-Stamp-Webauthn` or `X-Stamp-Attested` apart. */
export function readHeader(header: string): ReadStamp | StampFault {
  const text = header
    .trim()
    .replace(/^x-stamp[\w-]*\s*:\s*/i, "")
    .replace(/^(["'])(.*)\1$/s, "$2");
  if (text.length > MOST) return { kind: "long", most: MOST };
  const isEncoded = !text.startsWith("{");
  const members = membersOf(text);
  if ("kind" in members) return members;
  const given = members.members;
  if ("credentialId" in given || "authenticatorData" in given) return readPasskey(given);
  if ("publicKeyAttestation" in given) return readAttested(given);
  const fault = faultOfMembers(given, ["publicKey", "scheme", "signature"]);
  if (fault) return fault;
  const scheme = STAMP_SCHEMES.find((known) => known === given.scheme);
  if (!scheme) return { kind: "scheme", given: String(given.scheme) };
  const stamp = readKeyAndSignature(given, scheme);
  return "kind" in stamp ? stamp : { kind: "api key", stamp, isEncoded };
}

export function isFault(read: ReadStamp | StampFault): read is StampFault {
  return !("stamp" in read);
}

function membersOf(text: string): { members: Record<string, unknown> } | StampFault {
  let json = text;
  if (!text.startsWith("{")) {
    if (!/^[\w+/-]+=*$/.test(text)) return { kind: "encoding" };
    if (/[+/=]/.test(text)) return { kind: "base64" };
    try {
      json = decodeUtf8(decodeBase64Url(text));
    } catch {
      // Its end is missing.
      return { kind: "json" };
    }
  }
  try {
    const value = parseStrictJson(json, { maxDepth: 1 });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { members: { ...value } };
    }
  } catch {
    // Said below.
  }
  return { kind: "json" };
}

function faultOfMembers(given: object, expected: readonly string[]): StampFault | null {
  const missing = expected.filter((name) => !Object.hasOwn(given, name));
  const unknown = Object.keys(given).filter((name) => !expected.includes(name));
  return missing.length + unknown.length > 0 ? { kind: "members", missing, unknown } : null;
}

function readPasskey(given: Record<string, unknown>): ReadStamp | StampFault {
  const names = ["credentialId", "authenticatorData", "clientDataJson", "signature"];
  const fault = faultOfMembers(given, names);
  if (fault) return fault;
  try {
    return { kind: "passkey", stamp: parseWebAuthnStamp(JSON.stringify(given)) };
  } catch {
    return { kind: "part", name: names.find((name) => !isBase64Url(given[name])) ?? "signature" };
  }
}

function readAttested(given: Record<string, unknown>): ReadStamp | StampFault {
  const names = ["publicKeyAttestation", "scheme", "publicKey", "signature"];
  const fault = faultOfMembers(given, names);
  if (fault) return fault;
  if (!ATTESTED.includes(String(given.scheme))) {
    return { kind: "scheme", given: String(given.scheme) };
  }
  const stamp = readKeyAndSignature(given, "SIGNATURE_SCHEME_TK_API_P256");
  if ("kind" in stamp) return stamp;
  const [scheme, token] = [String(given.scheme), String(given.publicKeyAttestation)];
  return { kind: "attested", stamp, scheme, token };
}

function readKeyAndSignature(
  { publicKey, signature }: Record<string, unknown>,
  scheme: StampScheme,
): ApiKeyStamp | StampFault {
  const key = bytesOf(publicKey);
  if (!key || typeof publicKey !== "string") return { kind: "keyHex" };
  const curve = keyCurve(scheme);
  const expected = curve === "CURVE_ED25519" ? 32 : 33;
  if (key.length !== expected) return { kind: "keyLength", scheme, given: key.length, expected };
  if (!isValidPublicKey(curve, key)) {
    const other = CURVES.find((each) => isValidPublicKey(each, key));
    return other ? { kind: "curve", scheme, given: other } : { kind: "point", scheme };
  }
  const bytes = bytesOf(signature);
  if (!bytes || bytes.length === 0 || typeof signature !== "string") {
    return { kind: "signatureHex" };
  }
  if (curve === "CURVE_ED25519") {
    if (bytes.length !== 64) return { kind: "der" };
  } else if (!isDer(bytes)) return { kind: bytes.length === 64 ? "raw" : "der" };
  return { publicKey: publicKey.toLowerCase(), scheme, signature };
}

function isDer(bytes: Uint8Array): boolean {
  try {
    return decodeDerSignature(bytes).length === 64;
  } catch {
    return false;
  }
}

function bytesOf(hex: unknown): Uint8Array | null {
  try {
    return typeof hex === "string" ? decodeHex(hex) : null;
  } catch {
    return null;
  }
}

function isBase64Url(text: unknown): boolean {
  try {
    return typeof text === "string" && decodeBase64Url(text).length > 0;
  } catch {
    return false;
  }
}

/** More than any stamp with a passkey has. */
const MOST = 8192;

const CURVES: readonly Curve[] = ["CURVE_P256", "CURVE_SECP256K1", "CURVE_ED25519"];

const ATTESTED: readonly string[] = [
  "STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN",
  "STAMP_ATTESTED_SCHEME_P256_OIDC",
];
