import { orderOf } from "@keyhearth/crypto/curves";
import {
  decodeBase64Url,
  decodeHex,
  decodeUtf8,
  encodeBase64Url,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { decodeDerSignature } from "@keyhearth/crypto/encoding/der";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import {
  type ApiKeyStamp,
  keyCurve,
  STAMP_SCHEMES,
  verifyApiKeyStamp,
} from "@keyhearth/crypto/stamps/stamp";
import { decodeCoseKey } from "@keyhearth/crypto/webauthn/cose";
import {
  parseClientData,
  verifyWebAuthnStamp,
  type WebAuthnStamp,
  webAuthnChallenge,
} from "@keyhearth/crypto/webauthn/webauthn";
import { sha256 } from "@noble/hashes/sha2.js";
import { isFault, type ReadStamp, readHeader, type StampFault } from "./read-header.ts";

/** A stamp taken apart, and whether it is valid for the body. */
export type Inspected = {
  read: ReadStamp;
  /** The two halves of the signature; null for RSA. */
  signature: { r: string; s: string; isHighS: boolean } | null;
  passkey: PasskeyParts | null;
  body: BodyParts | null;
  verdict: Verdict;
};

export type PasskeyParts = {
  type: string;
  challenge: string;
  /** The text of the challenge, if it is 64 hex characters: the digest of the body that was signed. */
  digest: string | null;
  origin: string;
  isCrossOrigin: boolean;
  rpIdHash: string;
  /** The host of the origin, or a parent domain of it, whose hash that is. */
  rpId: string | null;
  flags: Record<"UP" | "UV" | "BE" | "BS" | "AT" | "ED", boolean>;
  signCount: number;
};

/** What the bytes of a body say. `request` is null if they are not the JSON that the API accepts. */
export type BodyParts = {
  size: number;
  digest: string;
  request: {
    type: string | null;
    organizationId: string | null;
    timestampMs: string | null;
  } | null;
};

/** Why a stamp is not valid, as far as it can be found out. */
export type Reason =
  | "blanks"
  | "serialized again"
  | "keys in another order"
  | "hashed twice"
  | "signed the digest's text"
  | "other body"
  | "challenge is raw"
  | "not a get"
  | "nobody present"
  | "other scheme"
  | "other key"
  | "other key or body";

export type Verdict =
  | { answer: "valid" }
  | { answer: "open"; needs: "body" | "passkey's key" }
  | { answer: "invalid"; reason: Reason; scheme?: string };

/** The public key of a passkey as somebody gave it: COSE in base64url or hex. Null if it is no such key. */
export function readCoseKey(text: string): Uint8Array | null {
  const trimmed = text.trim();
  for (const decode of [decodeHex, decodeBase64Url]) {
    try {
      const bytes = decode(trimmed.replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_"));
      decodeCoseKey(bytes);
      return bytes;
    } catch {
      // Perhaps it has the other form.
    }
  }
  return null;
}

/** `body` is empty if none was given, and `coseKey` null. */
export function inspectStamp(
  header: string,
  body: string,
  coseKey: Uint8Array | null,
): Inspected | StampFault {
  const read = readHeader(header);
  if (isFault(read)) return read;
  const bytes = body === "" ? null : new TextEncoder().encode(body);
  const known = { read, body: bytes && bodyParts(body, bytes) };
  if (read.kind === "passkey") {
    const passkey = passkeyParts(read.stamp);
    if ("kind" in passkey) return passkey;
    const verdict = verdictOfPasskey(read.stamp, passkey, bytes, coseKey);
    return { ...known, passkey, verdict, signature: ecdsaParts(read.stamp.signature) };
  }
  const verdict = bytes ? verdictOf(read.stamp, body, bytes) : open("body");
  return { ...known, passkey: null, verdict, signature: halves(read.stamp) };
}

function open(needs: "body" | "passkey's key"): Verdict {
  return { answer: "open", needs };
}

function bodyParts(body: string, bytes: Uint8Array): BodyParts {
  const known = { size: bytes.length, digest: encodeHex(sha256(bytes)) };
  try {
    const value = parseStrictJson(body);
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return { ...known, request: null };
    }
    const members: Record<string, unknown> = { ...value };
    const text = (name: string) => (typeof members[name] === "string" ? members[name] : null);
    const [type, organizationId] = [text("type"), text("organizationId")];
    return { ...known, request: { type, organizationId, timestampMs: text("timestampMs") } };
  } catch {
    return { ...known, request: null };
  }
}

function verdictOf(stamp: ApiKeyStamp, body: string, bytes: Uint8Array): Verdict {
  if (verifyApiKeyStamp(stamp, bytes)) return { answer: "valid" };
  const isValid = (signed: Uint8Array) => verifyApiKeyStamp(stamp, signed);
  for (const [reason, variant] of variantsOf(body)) {
    if (isValid(encodeUtf8(variant))) return { answer: "invalid", reason };
  }
  const digest = sha256(bytes);
  if (isValid(digest)) return { answer: "invalid", reason: "hashed twice" };
  if (isValid(encodeUtf8(encodeHex(digest)))) {
    return { answer: "invalid", reason: "signed the digest's text" };
  }
  const scheme = STAMP_SCHEMES.find((other) => {
    const isSameForm = keyCurve(other) !== "CURVE_ED25519" && stamp.publicKey.length === 66;
    return isSameForm && verifyApiKeyStamp({ ...stamp, scheme: other }, bytes);
  });
  return { answer: "invalid", ...(scheme ? { reason: "other scheme", scheme } : neither) };
}

const neither = { reason: "other key or body" } as const;

/** The body as other programs would have written it: the one that was signed may be among them. */
function variantsOf(body: string): [Reason, string][] {
  const variants: [Reason, string][] = [
    ["blanks", body.trim()],
    ["blanks", `${body}\n`],
    ["blanks", body.replaceAll("\r\n", "\n")],
    ["blanks", body.replaceAll("\n", "\r\n")],
  ];
  try {
    const value: unknown = JSON.parse(body);
    const compact = JSON.stringify(value);
    variants.push(
      ["serialized again", compact],
      ["serialized again", JSON.stringify(value, null, 2)],
      ["serialized again", JSON.stringify(value, null, 4)],
      ["serialized again", JSON.stringify(value, null, "\t")],
      // Python's way, unless it is told otherwise.
      ["serialized again", spaced(compact)],
      ["keys in another order", JSON.stringify(sorted(value))],
      ["keys in another order", spaced(JSON.stringify(sorted(value)))],
    );
  } catch {
    // It is not JSON, so nobody has written it again.
  }
  return variants.filter(([, variant]) => variant !== body && variant.isWellFormed());
}

/** A blank after each colon and comma outside of texts. */
function spaced(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|[:,]/g, (part) => (part.length === 1 ? `${part} ` : part));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}

function passkeyParts(stamp: WebAuthnStamp): PasskeyParts | StampFault {
  const data = decodeBase64Url(stamp.authenticatorData);
  if (data.length < 37) return { kind: "part", name: "authenticatorData" };
  let clientData: Record<string, unknown>;
  try {
    clientData = parseClientData(decodeBase64Url(stamp.clientDataJson));
  } catch {
    return { kind: "part", name: "clientDataJson" };
  }
  const text = (name: string) => (typeof clientData[name] === "string" ? clientData[name] : "");
  const [challenge, origin] = [text("challenge"), text("origin")];
  const flags = data[32] ?? 0;
  const hasFlag = (bit: number) => (flags & (1 << bit)) !== 0;
  const rpIdHash = encodeHex(data.subarray(0, 32));
  return {
    type: text("type"),
    challenge,
    digest: digestIn(challenge),
    origin,
    isCrossOrigin: clientData.crossOrigin === true,
    rpIdHash,
    rpId: relyingParty(origin, rpIdHash),
    flags: {
      UP: hasFlag(0),
      UV: hasFlag(2),
      BE: hasFlag(3),
      BS: hasFlag(4),
      AT: hasFlag(6),
      ED: hasFlag(7),
    },
    signCount: new DataView(data.buffer, data.byteOffset).getUint32(33),
  };
}

/** The digest in a challenge. React Native encodes it once more. */
function digestIn(challenge: string): string | null {
  let text = challenge;
  for (let times = 0; times < 2; times++) {
    try {
      text = decodeUtf8(decodeBase64Url(text.replace(/=+$/, "")));
    } catch {
      return null;
    }
    if (/^[0-9a-f]{64}$/.test(text)) return text;
  }
  return null;
}

function relyingParty(origin: string, hash: string): string | null {
  const [, host = ""] = /^https?:\/\/([a-z0-9.-]+)/.exec(origin) ?? [];
  const labels = host.split(".");
  const ids = labels.map((_, index) => labels.slice(index).join("."));
  return ids.find((id) => id !== "" && encodeHex(sha256(encodeUtf8(id))) === hash) ?? null;
}

function verdictOfPasskey(
  stamp: WebAuthnStamp,
  parts: PasskeyParts,
  body: Uint8Array | null,
  coseKey: Uint8Array | null,
): Verdict {
  if (!body) return open("body");
  // What the passkey's owner saw is in plain sight, so it is compared even without the key.
  const reason = reasonInSight(parts, body);
  if (reason) return { answer: "invalid", reason };
  if (!coseKey) return open("passkey's key");
  if (verifyWebAuthnStamp(stamp, body, coseKey)) return { answer: "valid" };
  return { answer: "invalid", reason: "other key" };
}

function reasonInSight({ type, challenge, digest, flags }: PasskeyParts, body: Uint8Array) {
  if (type !== "webauthn.get") return "not a get";
  if (challenge === encodeBase64Url(sha256(body))) return "challenge is raw";
  if (digest !== decodeUtf8(webAuthnChallenge(body))) return "other body";
  return flags.UP ? null : "nobody present";
}

function halves({ scheme, signature }: ApiKeyStamp): Inspected["signature"] {
  const bytes = decodeHex(signature);
  if (scheme === "SIGNATURE_SCHEME_TK_API_ED25519") {
    const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32)];
    return { r: encodeHex(r), s: encodeHex(s), isHighS: false };
  }
  const curve = keyCurve(scheme) === "CURVE_P256" ? "CURVE_P256" : "CURVE_SECP256K1";
  return parted(bytes, curve);
}

function ecdsaParts(signature: string): Inspected["signature"] {
  try {
    return parted(decodeBase64Url(signature), "CURVE_P256");
  } catch {
    // RSA has one number.
    return null;
  }
}

function parted(der: Uint8Array, curve: "CURVE_P256" | "CURVE_SECP256K1"): Inspected["signature"] {
  const bytes = decodeDerSignature(der);
  const [r, s] = [encodeHex(bytes.subarray(0, 32)), encodeHex(bytes.subarray(32))];
  return { r, s, isHighS: BigInt(`0x${s}`) > orderOf(curve) / 2n };
}
