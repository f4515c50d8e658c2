import * as primitives from "#primitives";
import { decodeBase64Url, decodeUtf8, encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";
import { parseStrictJson } from "../encoding/json.ts";
import { exactly, type Guard, literal, matching, uuid } from "../encoding/shape.ts";
import { compressedPublicKey } from "../keys/keys.ts";

// The proof that somebody read a one-time code at a contact: an ordinary JWT (RFC 7519), which standard
// libraries verify. The same key signs the bundles that codes are encrypted to. Those begin with `{`, and
// what a token signs never does.

export type OtpType = "OTP_TYPE_EMAIL" | "OTP_TYPE_SMS";

export type VerificationClaims = {
  /** A UUID version 7, so it says when the token was made. */
  id: string;
  verification_type: OtpType;
  /** The email address, or the phone number in E.164 form. */
  contact: string;
  /** The organization in which the code was verified. */
  organization_id: string;
  /** The compressed public key of whoever verified, in hex. Empty if none was given. */
  public_key: string;
  /** In milliseconds, as a string of digits. */
  exp: string;
};

/** Imported once, because every login verifies a token. */
export type VerificationKey = {
  privateKey: primitives.PrivateKey;
  publicKey: primitives.PublicKey;
};

export function importVerificationKey(bytes: Uint8Array): VerificationKey {
  const publicKey = primitives.publicKeyOf("CURVE_P256", bytes);
  return {
    privateKey: primitives.importPrivateKey("CURVE_P256", bytes),
    publicKey: primitives.importPublicKey("CURVE_P256", publicKey),
  };
}

/** The part that verifies, from an uncompressed public key. */
export function importVerificationPublicKey(bytes: Uint8Array): Pick<VerificationKey, "publicKey"> {
  const compressed = compressedPublicKey("CURVE_P256", bytes);
  return { publicKey: primitives.importPublicKey("CURVE_P256", compressed) };
}

export function createVerificationToken(
  claims: VerificationClaims,
  { privateKey }: VerificationKey,
): string {
  const text = textOf(claims);
  return `${text}.${encodeBase64Url(primitives.signP256(privateKey, encodeUtf8(text)))}`;
}

const isClaims = exactly<VerificationClaims>({
  id: uuid,
  verification_type: oneOf(literal("OTP_TYPE_EMAIL"), literal("OTP_TYPE_SMS")),
  contact: matching(/^.{1,254}$/su),
  organization_id: uuid,
  public_key: matching(/^(0[23][0-9a-f]{64})?$/),
  exp: matching(/^\d{1,15}$/),
});

const MAX_LENGTH = 4096;

/** What a token says, or null unless it is exactly what this key signed. It may have expired. */
export function readVerificationToken(
  token: string,
  { publicKey }: Pick<VerificationKey, "publicKey">,
): VerificationClaims | null {
  const end = token.lastIndexOf(".");
  // The header is not read: no other algorithm exists.
  if (token.length > MAX_LENGTH || !token.startsWith(`${HEADER}.`)) return null;
  try {
    const [signed, signature] = [encodeUtf8(token.slice(0, end)), token.slice(end + 1)];
    if (!primitives.verifyP256(publicKey, signed, decodeBase64Url(signature))) return null;
  } catch {
    return null;
  }
  return peekVerificationToken(token);
}

/** What a token says, whoever signed it. That is only enough to look something up. */
export function peekVerificationToken(token: string): VerificationClaims | null {
  const [, payload, signature, ...rest] = token.split(".");
  if (token.length > MAX_LENGTH || !payload || !signature || rest.length > 0) return null;
  try {
    const claims = parseStrictJson(decodeUtf8(decodeBase64Url(payload)), { maxDepth: 1 });
    return isClaims(claims) ? claims : null;
  } catch {
    return null;
  }
}

const HEADER = encodeBase64Url(encodeUtf8(JSON.stringify({ alg: "ES256", typ: "JWT" })));

function textOf(claims: VerificationClaims): string {
  const { id, verification_type, contact, organization_id, public_key, exp } = claims;
  const named = { id, verification_type, contact, organization_id, public_key, exp };
  return `${HEADER}.${encodeBase64Url(encodeUtf8(plain(JSON.stringify(named))))}`;
}

/** Escapes what base64url would write with `-` or `_`: clients decode the payload with `atob`. */
function plain(json: string): string {
  return json.replace(
    /[^ -=@-}]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function oneOf<A, B>(first: Guard<A>, second: Guard<B>): Guard<A | B> {
  return (value): value is A | B => first(value) || second(value);
}
