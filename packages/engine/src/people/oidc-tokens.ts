import {
  decodeBase64Url,
  decodeUtf8,
  encodeHex,
  encodeUtf8,
} from "@keyhearth/crypto/encoding/bytes";
import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import { sha256 } from "@keyhearth/crypto/primitives";
import { type ApiError, invalid } from "../errors.ts";
import { isObject } from "../fields/parse.ts";
import { MAX_OIDC_TOKEN_LENGTH, oneLine } from "../fields/schemas.ts";
import type { Identity, User } from "../records/organization.ts";
import { tokensEndedAtMs } from "../records/sessions.ts";
import { identityEndedAtMs } from "./ended-users.ts";

/** What the core reads in a token. It counts once the signer has verified the token's signature. */
export type OidcClaims = Identity & {
  /** What binds the token to a public key, if it is a login. */
  nonces: string[];
  issuedAtMs: number;
  /** As its issuer names the token, if it does. */
  tokenId?: string | undefined;
};

/** Public-key algorithms only: with a shared secret, or none, anybody could write tokens. */
export const TOKEN_ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** How far the clocks of issuers may be off. */
const SKEW_MS = 60_000;

/** Tokens for something other than saying who somebody is have another type, or these members. */
const OTHER_TOKENS = ["events"];

/**
 * Reads the claims of a token that says who somebody is, and compares its times with the core's clock. The
 * text has one reading only: duplicate members and second encodings are refused. Headers that name a key
 * (`jku`, `jwk`, `x5u`, `x5c`) mean nothing.
 */
export function parseOidcToken(token: string, field: string, nowMs: number): OidcClaims {
  const refuse = (why: string): ApiError => refusedToken(field, why);
  if (token.length > MAX_OIDC_TOKEN_LENGTH) {
    throw refuse(`it has ${token.length} characters, and may have ${MAX_OIDC_TOKEN_LENGTH}`);
  }
  const parts = token.split(".");
  const [header, payload] = parts.slice(0, 2).map(decodeObject);
  if (parts.length !== 3 || !header || !payload) {
    throw refuse("expected the compact form of a signed JWT: three parts in base64url with dots");
  }
  checkHeader(header, refuse);
  const claims = readIdentity(payload, refuse);
  const issuedAtMs = readTimes(payload, nowMs, refuse);
  const nonces = [payload.nonce, payload.tknonce].filter((each) => typeof each === "string");
  const tokenId = typeof payload.jti === "string" ? payload.jti : undefined;
  return { ...claims, nonces, issuedAtMs, tokenId };
}

/** The same without an error and without a clock, for those who only look for records. */
export function identityIn(token: string): Identity | null {
  try {
    const payload = decodeObject(token.split(".")[1] ?? "");
    return payload ? readIdentity(payload, (why) => refusedToken("", why)) : null;
  } catch {
    return null;
  }
}

/** The nonce of a token that belongs to this public key: a digest of the text as it was sent. */
export function nonceOfKey(publicKey: string): string {
  return encodeHex(sha256(encodeUtf8(publicKey)));
}

export function refusedToken(field: string, why: string): ApiError {
  return invalid(field, `invalid OIDC token: \`${field}\`: ${why}`, "OIDC_TOKEN_INVALID");
}

type Refuse = (why: string) => ApiError;
type Members = Record<string, unknown>;

function decodeObject(part: string): Members | null {
  try {
    const value = parseStrictJson(decodeUtf8(decodeBase64Url(part)));
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function checkHeader({ alg, typ, crit }: Members, refuse: Refuse) {
  if (typeof alg !== "string" || !TOKEN_ALGORITHMS.includes(alg)) {
    throw refuse(`its \`alg\` must be one of ${TOKEN_ALGORITHMS.join(", ")}`);
  }
  if (typ !== undefined && (typeof typ !== "string" || typ.toUpperCase() !== "JWT")) {
    throw refuse("its `typ` must be JWT: send the ID token, not an access token");
  }
  if (crit !== undefined) throw refuse("its header has `crit`, and no extension is known here");
}

function readIdentity(payload: Members, refuse: Refuse): Identity {
  const { iss, sub } = payload;
  const audience = audienceOf(payload);
  if (!isName(iss)) throw refuse("it needs an issuer (`iss`)");
  if (!isName(sub)) throw refuse("it needs a subject (`sub`)");
  if (!isName(audience)) {
    throw refuse(
      "it needs an audience (`aud`); if there are several, `azp` must be the one that it was made for",
    );
  }
  if (OTHER_TOKENS.some((member) => Object.hasOwn(payload, member))) {
    throw refuse("it is about an event; send the ID token of a login");
  }
  return { issuer: iss, audience, subject: sub };
}

/**
 * A token has one audience here. Of several, it is the client that asked for the token: the others did not,
 * and must not be logged in to with it.
 */
function audienceOf({ aud, azp }: Members): unknown {
  if (!Array.isArray(aud)) return aud;
  return aud.length === 1 ? aud[0] : aud.find((each) => each === azp);
}

/** As claims that a request states have it. */
function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && oneLine.safeParse(value).success;
}

function readTimes({ exp, iat, nbf }: Members, nowMs: number, refuse: Refuse): number {
  if (!isTime(exp) || !isTime(iat) || (nbf !== undefined && !isTime(nbf))) {
    throw refuse("its `exp`, `iat` and `nbf` must be times in seconds; the first two are required");
  }
  if (nowMs >= exp * 1000 + SKEW_MS) throw refuse("it has expired; log in at the provider again");
  if (Math.max(iat, nbf ?? 0) * 1000 > nowMs + SKEW_MS) {
    throw refuse("it is not valid yet; check the clocks of this service and of the issuer");
  }
  return iat * 1000;
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000;
}

/** Whether the token names this public key. */
export function isMadeFor({ nonces }: Pick<OidcClaims, "nonces">, publicKey: string): boolean {
  return nonces.includes(nonceOfKey(publicKey));
}

/** Otherwise whoever sees a token could log in with a key of their own. */
export function assertMadeFor(
  { nonces }: Pick<OidcClaims, "nonces">,
  publicKey: string,
  at: { token: string; key: string },
) {
  if (isMadeFor({ nonces }, publicKey)) return;
  throw invalid(
    at.token,
    `invalid OIDC token: \`${at.token}\`: its \`nonce\`, or \`tknonce\`, must be the SHA-256 digest of the text of \`${at.key}\`, in lower-case hex`,
    "OIDC_TOKEN_INVALID",
  );
}

/** A token lives for an hour, and must not begin sessions for that long after a log-out. */
export function checkIssuedSince(
  moment: Parameters<typeof identityEndedAtMs>[0],
  { issuedAtMs, ...identity }: OidcClaims,
  user: User,
  field: string,
) {
  if (issuedAtMs <= identityEndedAtMs(moment, identity)) {
    throw refusedToken(
      field,
      "it was issued before a user lost the social login, or in the same second; log in at the provider again",
    );
  }
  if (issuedAtMs > tokensEndedAtMs(user)) return;
  throw refusedToken(
    field,
    "it was issued before the user's sessions were ended, or in the same second; log in at the provider again",
  );
}
