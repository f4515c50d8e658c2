import { decodeBase64Url, decodeHex, encodeHex, equalBytes } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
import { notFound } from "../errors.ts";
import {
  findUser,
  type InvitationLine,
  type OrganizationDocument,
} from "../records/organization.ts";

/** A week. */
export const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

export const INVITATION_TOKEN_BYTES = 16;

/**
 * The invitations that can be accepted. One lapses after a week by the signer's clock, and with the
 * user who sent or created it, so that nobody whose access ended leaves a way in behind.
 */
export function openInvitations(document: OrganizationDocument, nowMs: number): InvitationLine[] {
  return document.invitations.filter(
    ({ createdAtMs, senderUserId, creatorUserId }) =>
      nowMs < createdAtMs + INVITATION_LIFETIME_MS &&
      [senderUserId, creatorUserId].every((userId) => findUser(document, userId)),
  );
}

/** One that was accepted, was deleted or has lapsed is as unknown as one that never was. */
export function findOpenInvitation(
  document: OrganizationDocument,
  { invitationId, nowMs, field }: { invitationId: string; nowMs: number; field: string },
): InvitationLine {
  const open = openInvitations(document, nowMs);
  const found = open.find((line) => line.invitationId === invitationId);
  if (found) return found;
  throw notFound(field, "invitation", invitationId);
}

export function digestOfToken(token: Uint8Array): string {
  return encodeHex(sha256(token));
}

/** `given` is in base64url. The comparison takes as long whatever it is. */
export function isTokenOf({ tokenDigest }: InvitationLine, given: string): boolean {
  let token: Uint8Array;
  try {
    token = decodeBase64Url(given);
  } catch {
    return false;
  }
  return equalBytes(sha256(token), decodeHex(tokenDigest));
}
