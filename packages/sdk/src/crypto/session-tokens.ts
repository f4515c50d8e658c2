import {
  decodeBase64Url,
  decodeHex,
  encodeUtf8,
  equalBytes,
} from "@keyhearth/crypto/encoding/bytes";
import { isValidPublicKey, uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { verifyP256Raw } from "@keyhearth/crypto/keys/verify";
import { sha256 } from "@keyhearth/crypto/primitives";
import { verifyReadOnlySession as verifyToken } from "@keyhearth/crypto/tokens/read-only-session";
import { asObject } from "../errors/as-object.ts";
import { SessionEnded, Unverified } from "../errors/errors.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import { parseSession, type VerifiedSession } from "./session-claims.ts";

/** How to check a session or a token. */
export type SessionTokenOptions = {
  /** The signer's key for sessions, 65 bytes in hex: `sessionPublicKey` of `/.well-known/keyhearth.json`. */
  sessionPublicKey: string;
  /** The current time in milliseconds. Default: this machine's clock. */
  nowMs?: number;
};

/**
 * Verifies the `session` that a login returns. It proves that the signer started this session for this
 * user. It proves neither that whoever shows it has the session's key, nor that the session has not
 * been ended since. For that, forward a request that the key has stamped, such as `whoami`.
 *
 * Throws `Unverified` if the signer did not make it, and `SessionEnded` if it has expired.
 */
export function verifySessionJwt(jwt: string, options: SessionTokenOptions): VerifiedSession {
  const publicKey = keyOf(options);
  const isJwt = typeof jwt === "string" && jwt.length <= 2048 && isSigned(jwt, publicKey);
  const session = isJwt ? parseSession(jwt) : undefined;
  if (!session) throw unverified("session");
  assertNotExpired(session.expiresAtMs, options);
  return session;
}

/** Who may read with a token. */
export type VerifiedReadOnlySession = {
  organizationId: string;
  userId: string;
  expiresAtMs: number;
};

/**
 * Verifies the token of `create_read_only_session`. Anyone who has such a token may read, so treat it like a
 * password. If its user logged out everywhere, it has ended earlier, which only the service knows.
 *
 * Throws `Unverified` if the signer did not make it, and `SessionEnded` if it has expired.
 */
export function verifyReadOnlySession(
  token: string,
  options: SessionTokenOptions,
): VerifiedReadOnlySession {
  const publicKey = keyOf(options);
  const session = typeof token === "string" ? verifyToken(token, publicKey) : null;
  if (!session) throw unverified("token");
  const { organizationId, userId, expiresAtMs } = session;
  assertNotExpired(expiresAtMs, options);
  return { organizationId, userId, expiresAtMs };
}

function isSigned(jwt: string, publicKey: Uint8Array): boolean {
  const end = jwt.lastIndexOf(".");
  try {
    const digest = sha256(encodeUtf8(jwt.slice(0, end)));
    return verifyP256Raw(publicKey, digest, decodeBase64Url(jwt.slice(end + 1)));
  } catch {
    return false;
  }
}

function keyOf(options: SessionTokenOptions): Uint8Array {
  const { sessionPublicKey, nowMs } = asObject(options);
  if (nowMs !== undefined && !Number.isFinite(nowMs)) {
    throw invalidFields({ field: "nowMs", message: "must be a time in milliseconds" });
  }
  if (typeof sessionPublicKey === "string" && /^04[0-9a-f]{128}$/i.test(sessionPublicKey)) {
    const point = decodeHex(sessionPublicKey);
    const sign = 2 + ((point[64] ?? 0) & 1);
    const compressed = Uint8Array.of(sign, ...point.subarray(1, 33));
    const isPoint =
      isValidPublicKey("CURVE_P256", compressed) &&
      equalBytes(uncompressedPublicKey("CURVE_P256", compressed), point);
    if (isPoint) return point;
  }
  throw invalidFields({
    field: "sessionPublicKey",
    message:
      "must be the signer's key for sessions: an uncompressed point on P-256, 65 bytes in hex",
  });
}

function assertNotExpired(expiresAtMs: number, { nowMs = Date.now() }: SessionTokenOptions): void {
  if (nowMs < expiresAtMs) return;
  const message = `The session expired at ${new Date(expiresAtMs).toISOString()}. Log in again`;
  throw new SessionEnded(message, { code: "SESSION_ENDED" });
}

function unverified(field: string): Unverified {
  return new Unverified(
    `The ${field} was not made by the signer that has this sessionPublicKey. Do not trust it, and let the user log in again`,
    { code: "UNVERIFIED", field },
  );
}
