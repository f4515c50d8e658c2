import { encodeHex } from "@keyhearth/crypto/encoding";
import { sha256 } from "@keyhearth/crypto/primitives";
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

export function digestOfToken(token: Uint8Array): string {
  return encodeHex(sha256(token));
}
