import * as primitives from "#primitives";
import {
  concatBytes,
  decodeBase64Url,
  decodeUtf8,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "../encoding/bytes.ts";
import { decodeDerSignature } from "../encoding/der.ts";
import { parseStrictJson } from "../encoding/json.ts";
import { verifyP256Raw } from "../keys/verify.ts";
import { decodeCoseKey } from "./cose.ts";

/** The members of an `X-Stamp-Webauthn` header, each in base64url as it was sent. */
export type WebAuthnStamp = {
  authenticatorData: string;
  clientDataJson: string;
  credentialId: string;
  signature: string;
};

/**
 * Parses the value of an `X-Stamp-Webauthn` header: JSON, or base64url of JSON. Checks only its
 * form, not the signature.
 */
export function parseWebAuthnStamp(header: string): WebAuthnStamp {
  if (header.length > MAX_HEADER_LENGTH) throw malformed();
  const members = parseMembers(header);
  const { authenticatorData, clientDataJson, credentialId, signature } = members;
  const stamp = { authenticatorData, clientDataJson, credentialId, signature };
  // All four are required by name, so there is no other one.
  if (Object.keys(members).length !== 4 || !isStamp(stamp)) throw malformed();
  return stamp;
}

/** The challenge to sign for a body: the hex text of its hash, as bytes. */
export function webAuthnChallenge(body: Uint8Array): Uint8Array {
  return encodeUtf8(encodeHex(primitives.sha256(body)));
}

/**
 * Whether the holder of a COSE key (ES256 or RS256) signed this body. The caller has found the key
 * by `credentialId`. The page that asked for the signature must be in `origins`; `*` allows any
 * page.
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
    // WebAuthn L2, 7.2 steps 19 and 20, come first, so that nothing unverified is read.
    const signed = concatBytes(authenticatorData, primitives.sha256(clientDataJson));
    return (
      verifyCose(cosePublicKey, signed, signature) &&
      isUserPresent(authenticatorData) &&
      isClientDataOf(clientDataJson, body) &&
      isFromRelyingParty(clientDataJson, authenticatorData, origins)
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

/** WebAuthn L2, 7.2 steps 9 and 10. Unknown members are allowed (5.8.1). */
export function parseClientData(clientDataJson: Uint8Array): Record<string, unknown> {
  const clientData = parseStrictJson(decodeUtf8(clientDataJson));
  if (!isObject(clientData)) throw malformed();
  return clientData;
}

/**
 * Whether a page, or an app, of `origins` asked for this (WebAuthn L2, 7.2 steps 13 and 15). `*`
 * stands for all of them. The relying party's id is the host of a page or a parent domain of it. An
 * app's is that of one of the pages.
 */
export function isFromRelyingParty(
  clientDataJson: Uint8Array,
  authenticatorData: Uint8Array,
  origins: readonly string[],
): boolean {
  if (origins.includes("*")) return true;
  const { origin } = parseClientData(clientDataJson);
  if (typeof origin !== "string" || !origins.includes(origin)) return false;
  const pages = hostOf(origin) === undefined ? origins : [origin];
  return relyingPartyHashes(pages).has(encodeHex(authenticatorData.subarray(0, 32)));
}

/** The longest name that DNS has. */
export const MAX_HOST_LENGTH = 253;

const hashesOfPages = new Map<string, ReadonlySet<string>>();
/** 20 pages of the longest hosts have 2,500 relying parties, whose hashes take 400 kB. */
const MAX_KEPT_LISTS = 32;

/**
 * The hashes, in hex, of the ids of all relying parties of pages. One request can have a thousand passkeys, all of the
 * same pages.
 */
function relyingPartyHashes(pages: readonly string[]): ReadonlySet<string> {
  const name = pages.join(" ");
  const known = hashesOfPages.get(name);
  if (known) return known;
  const ids = pages.flatMap((page) => relyingPartiesOf(hostOf(page)));
  const hashes = new Set(ids.map((id) => encodeHex(primitives.sha256(encodeUtf8(id)))));
  for (const oldest of hashesOfPages.keys()) {
    if (hashesOfPages.size < MAX_KEPT_LISTS) break;
    hashesOfPages.delete(oldest);
  }
  hashesOfPages.set(name, hashes);
  return hashes;
}

/** The host of a page's origin. Undefined for apps and anything else. */
function hostOf(origin: string): string | undefined {
  return /^https?:\/\/([a-z0-9.-]+)(:[0-9]{1,5})?$/.exec(origin)?.[1];
}

/** The host and its parent domains, but no top-level domain. */
function relyingPartiesOf(host: string | undefined): string[] {
  if (host === undefined) return [];
  const labels = host.split(".");
  const parents = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join("."));
  return [host, ...parents];
}

export function isUserPresent(authenticatorData: Uint8Array): boolean {
  // WebAuthn L2, 6.1: the hash of the relying party's id, then flags, counter and extensions.
  if (authenticatorData.length < 37) return false;
  // WebAuthn L2, 7.2 step 16. Requiring user verification (step 17) is up to the client.
  return ((authenticatorData[32] as number) & USER_PRESENT) !== 0; // 37 bytes, checked above
}

function isClientDataOf(clientDataJson: Uint8Array, body: Uint8Array): boolean {
  const { type, challenge } = parseClientData(clientDataJson);
  // WebAuthn L2, 7.2 step 11.
  if (type !== "webauthn.get") return false;
  // WebAuthn L2, 7.2 step 12: the challenge must be the expected one, here the hash of the body.
  return challengesOf(body).some((known) => known === challenge);
}

/** React Native clients pass the challenge in base64, so it is encoded twice. */
function challengesOf(body: Uint8Array): string[] {
  const challenge = encodeBase64Url(webAuthnChallenge(body));
  // For 64 ASCII characters, base64 differs from base64url only in its two characters of padding.
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
