import { concatBytes, encodeBase64Url, encodeUtf8, wipe } from "@keyhearth/crypto/encoding/bytes";
import { hmacSha256, hmacSha256Hex } from "@keyhearth/crypto/primitives";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import { INVITATION_TOKEN_LENGTH } from "@keyhearth/crypto/tokens/invitation";
import type { Keyring } from "./keyring.ts";

/** An id in the form of a UUID version 4. Its bits are an HMAC of the name. */
export function deriveId(keyring: Keyring, name: string): string {
  return formatUuid(hmacSha256Hex(keyring.derivationKey, `keyhearth.id.v1|${name}`), 4);
}

/** Names the keyring without telling anything about it. Other ids have a `|` in their names. */
export function installationIdOf(keyring: Keyring): string {
  return deriveId(keyring, "installation");
}

/** A UUID version 7: 48 bits of milliseconds, then bits of an HMAC of the name. */
export function deriveTimeOrderedId(keyring: Keyring, name: string, nowMs: number): string {
  const bits = hmacSha256Hex(keyring.derivationKey, `keyhearth.id.v7|${name}`);
  const time = nowMs.toString(16).padStart(12, "0").slice(-12);
  return formatUuid(time + bits, 7);
}

/** A hash of a one-time code that only this keyring can make, for this code, place and time alone. */
export function deriveCodeHash(
  keyring: Keyring,
  {
    organizationId,
    otpId,
    expiresAtMs,
  }: Record<"organizationId" | "otpId", string> & {
    expiresAtMs: number;
  },
  code: string,
): Uint8Array {
  const text = `keyhearth.otp.v1|${organizationId}|${otpId}|${expiresAtMs}|${code}`;
  return hmacSha256(keyring.derivationKey, encodeUtf8(text));
}

/**
 * The token of an invitation, which the salt makes another one in each proposal. Nothing stores it. The caller
 * wipes the result.
 */
export function deriveInvitationToken(
  keyring: Keyring,
  {
    organizationId,
    invitationId,
    salt,
  }: Record<"organizationId" | "invitationId" | "salt", string>,
): Uint8Array {
  const text = `keyhearth.invitation-token.v1|${organizationId}|${invitationId}|${salt}`;
  const bytes = hmacSha256(keyring.derivationKey, encodeUtf8(text));
  try {
    return bytes.slice(0, INVITATION_TOKEN_LENGTH);
  } finally {
    wipe(bytes);
  }
}

/** What a time-ordered id says besides its time: 74 bits of the HMAC of its name. */
export function nameOf(id: string): string {
  return id.slice("xxxxxxxx-xxxx-".length);
}

/** When a time-ordered id was made. */
export function timeOf(id: string): number {
  return Number.parseInt(id.replace("-", "").slice(0, 12), 16);
}

/** Recognizes a seed within an organization. Without the keyring it shows nothing about the seed. */
export function deriveSeedDigest(
  keyring: Keyring,
  organizationId: string,
  seed: SecretBytes,
): string {
  const message = concatBytes(encodeUtf8(`keyhearth.seed.v1|${organizationId}|`), seed);
  try {
    return encodeBase64Url(hmacSha256(keyring.derivationKey, message).subarray(0, 16));
  } finally {
    wipe(message);
  }
}

/** The first 32 digits. */
function formatUuid(hex: string, version: 4 | 7): string {
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 3) | 8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${version}${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
