import { decodeBase64Url, decodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { STAMP_SCHEMES } from "@keyhearth/crypto/stamps/stamp";
import { ApiError, shorten, unauthenticated } from "@keyhearth/engine/errors";
import {
  type IsBy,
  parseStamp,
  type Stamp,
  type StampHeader,
  verifierOf,
} from "@keyhearth/engine/people/authenticate";
import { whyUnreadable } from "../wire/unreadable-json.ts";

/** A stamp as it was sent, and as it was read. */
export type SentStamp<Read = { stamp: Stamp }> = {
  header: StampHeader | null;
  /** The stamp, or what is wrong with it: what else is wrong with a request may be reported first. */
  read: Read | { error: ApiError };
};

/** A stamp and the bytes that it was made over. */
export type Stamped = {
  stamp: Stamp;
  body: Uint8Array;
  /** Whether this public key made the stamp. */
  isBy: IsBy;
};

/** Parses the stamp of a request, once for all who look at it. */
export function readStamp(header: StampHeader | null, takesAttested = false): SentStamp {
  try {
    return { header, read: { stamp: parse(header, takesAttested) } };
  } catch (error) {
    if (error instanceof ApiError) return { header, read: { error } };
    throw error;
  }
}

/** The stamp together with the body that came after it. */
export function stampOver(body: Uint8Array, { header, read }: SentStamp): SentStamp<Stamped> {
  if ("error" in read) return { header, read };
  const { stamp } = read;
  return { header, read: { stamp, body, isBy: verifierOf(stamp, body) } };
}

/** The stamp, if nothing is wrong with it. */
export function goodStamp<Read extends { stamp: Stamp }>(read: SentStamp<Read>["read"]): Read {
  if ("error" in read) throw read.error;
  return read;
}

/**
 * Parses a stamp, and says which part of it is malformed. The parser itself only accepts or refuses,
 * because it also runs where the keys are.
 */
function parse(header: StampHeader | null, takesAttested: boolean): Stamp {
  try {
    return parseStamp(header, takesAttested);
  } catch (error) {
    const isMalformed = error instanceof ApiError && error.reason === "STAMP_MALFORMED";
    if (!isMalformed || header?.name.toLowerCase() !== "x-stamp") throw error;
    throw unauthenticated(
      "STAMP_MALFORMED",
      `malformed activity stamp: could not extract api key stamp: ${whyMalformed(header.value)}; expected base64url of {publicKey, scheme, signature}`,
    );
  }
}

const MAX_LENGTH = 1024;

function whyMalformed(value: string): string {
  if (value === "") return "the header is empty";
  if (value.length > MAX_LENGTH) {
    return `the header has ${value.length} characters, and a stamp has at most ${MAX_LENGTH}`;
  }
  const text = decode(value);
  if (text === null) return "the header is not base64url without padding";
  const unreadable = whyUnreadable(text);
  if (unreadable !== null) return `its JSON cannot be read: ${unreadable}`;
  const parts = parseStrictJson(text);
  if (typeof parts !== "object" || parts === null || Array.isArray(parts)) {
    return "its JSON is not an object";
  }
  return whyWrongParts(new Map(Object.entries(parts)));
}

function whyWrongParts(parts: Map<string, unknown>): string {
  const names = ["publicKey", "scheme", "signature"];
  const missing = names.find((name) => !parts.has(name));
  if (missing !== undefined) return `\`${missing}\` is missing`;
  const unknown = [...parts.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) return `\`${shorten(unknown)}\` is not a part of a stamp`;
  const scheme = parts.get("scheme");
  if (!STAMP_SCHEMES.some((known) => known === scheme)) {
    const given = typeof scheme === "string" ? `\`${shorten(scheme)}\`` : "not a string";
    return `\`scheme\` is ${given}; accepted: ${STAMP_SCHEMES.join(", ")}`;
  }
  const digits = scheme === "SIGNATURE_SCHEME_TK_API_ED25519" ? 64 : 66;
  const publicKey = parts.get("publicKey");
  if (!isHex(publicKey) || publicKey.length !== digits) {
    return `\`publicKey\` must be ${digits} hex characters, a compressed key for ${scheme}`;
  }
  return digits === 64
    ? "`signature` must be 128 hex characters"
    : "`signature` must be a DER signature in hex";
}

function decode(value: string): string | null {
  try {
    return decodeUtf8(decodeBase64Url(value));
  } catch {
    return null;
  }
}

function isHex(value: unknown): value is string {
  return typeof value === "string" && /^([0-9a-fA-F]{2})+$/.test(value);
}
