import * as primitives from "#primitives";
import { decodeCoseKey } from "./cose.ts";
import { decodeDerSignature } from "./der.ts";
import {
  concatBytes,
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "./encoding.ts";
import { parseStrictJson } from "./json.ts";
import { verifyP256Raw } from "./verify.ts";

/** The members of an `X-Stamp-Webauthn` header, each base64url as it was sent. */
export type WebAuthnStamp = {
  authenticatorData: string;
  clientDataJson: string;
  credentialId: string;
  signature: string;
};

/**
 * The stamp in the value of an `X-Stamp-Webauthn` header: JSON, or base64url of it. Checks its form;
 * nothing is verified yet.
 */
export function parseWebAuthnStamp(header: string): WebAuthnStamp {
  if (header.length > MAX_HEADER_LENGTH) throw malformed();
  const members = parseMembers(header);
  const { authenticatorData, clientDataJson, credentialId, signature } = members;
  const stamp = { authenticatorData, clientDataJson, credentialId, signature };
  // Every member was named, so four members mean these four.
  if (Object.keys(members).length !== 4 || !isStamp(stamp)) throw malformed();
  return stamp;
}

/** The challenge to sign for a body: the text of its hash, as bytes. */
export function webAuthnChallenge(body: Uint8Array): Uint8Array {
  return encodeUtf8(encodeHex(primitives.sha256(body)));
}

/**
 * Whether the holder of a COSE key (ES256 or RS256) asserted this body. The caller has found the key
 * by `credentialId`. With `origins`, the page that asked must be one of them; `*` allows any.
 */
export function verifyWebAuthnStamp(
  stamp: WebAuthnStamp,
  body: Uint8Array,
  cosePublicKey: Uint8Array,
  { origins = ["*"] }: { origins?: readonly string[] } = {},
): boolean {
  try {
    const authenticatorData = decodeBase64Url(stamp.authenticatorData);
    const clientDataJson = decodeBase64Url(stamp.clientDataJson);
    const signature = decodeBase64Url(stamp.signature);
    // WebAuthn L2, 7.2 steps 19 and 20, come first: nothing unsigned is read.
    const signed = concatBytes(authenticatorData, primitives.sha256(clientDataJson));
    return (
      verifyCose(cosePublicKey, signed, signature) &&
      isUserPresent(authenticatorData) &&
      isClientDataOf(clientDataJson, body, origins)
    );
  } catch {
    return false;
  }
}

function verifyCose(
  cosePublicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const key = decodeCoseKey(cosePublicKey);
  switch (key.algorithm) {
    case "ES256":
      return verifyP256Raw(key.publicKey, message, decodeDerSignature(signature));
    case "RS256":
      return primitives.verifyRs256(key.publicKey, message, signature);
  }
}

function isUserPresent(authenticatorData: Uint8Array): boolean {
  // WebAuthn L2, 6.1: the hash of the relying party's id, flags, counter, then extensions.
  if (authenticatorData.length < 37) return false;
  // WebAuthn L2, 7.2 step 16. User verification (step 17) is the client's to ask for.
  return ((authenticatorData[32] as number) & USER_PRESENT) !== 0; // 37 bytes, checked above
}

function isClientDataOf(
  clientDataJson: Uint8Array,
  body: Uint8Array,
  origins: readonly string[],
): boolean {
  // WebAuthn L2, 7.2 steps 9 and 10. Members to come are allowed there (5.8.1).
  const clientData = parseStrictJson(decodeUtf8(clientDataJson));
  if (!isObject(clientData)) return false;
  const { type, challenge, origin } = clientData;
  // WebAuthn L2, 7.2 step 11.
  if (type !== "webauthn.get") return false;
  // WebAuthn L2, 7.2 step 12: the challenge must be the one we issued, here the body's hash.
  if (!challengesOf(body).some((known) => known === challenge)) return false;
  // WebAuthn L2, 7.2 step 13. Step 15, the relying party's id, adds nothing to it: an authenticator
  // signs with a credential of that id alone.
  return origins.some((known) => known === "*" || known === origin);
}

/** React Native clients hand the text over in base64, which is then encoded once more. */
function challengesOf(body: Uint8Array): string[] {
  const challenge = encodeBase64Url(webAuthnChallenge(body));
  // 64 ASCII characters: base64 differs from base64url in the two characters of padding alone.
  const inBase64 = `${challenge}==`;
  return [challenge, encodeBase64Url(encodeUtf8(inBase64))];
}

function parseMembers(header: string): Record<string, unknown> {
  try {
    const text = header.startsWith("{") ? header : decodeUtf8(decodeBase64Url(header));
    const members = parseStrictJson(text, { maxDepth: 1 });
    if (isObject(members)) return members;
  } catch {
    throw malformed();
  }
  throw malformed();
}

function isStamp(stamp: Record<keyof WebAuthnStamp, unknown>): stamp is WebAuthnStamp {
  return Object.values(stamp).every((member) => isBase64Url(member));
}

function isBase64Url(member: unknown): boolean {
  if (typeof member !== "string" || member === "") return false;
  try {
    decodeBase64Url(member);
    return true;
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(): Error {
  return new Error("malformed stamp");
}

const USER_PRESENT = 0x01;
const MAX_HEADER_LENGTH = 8192;
