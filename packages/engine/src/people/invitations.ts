import { decodeBase64Url, encodeUtf8, equalBytes } from "@keyhearth/crypto/encoding/bytes";
import { createInvitationProof } from "@keyhearth/crypto/tokens/invitation";
import { invalid, notFound } from "../errors.ts";
import type { AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { isFromFuture } from "../records/future.ts";
import {
  findUser,
  type InvitationLine,
  type OrganizationDocument,
} from "../records/organization.ts";

/** A week. */
export const INVITATION_LIFETIME_MS = 7 * 24 * 60 * 60 * 1000;

/** Random, so that the token of a proposal that is not committed is worth nothing. */
export const INVITATION_SALT_BYTES = 16;

/**
 * The invitations that can be accepted. One lapses after a week by the signer's clock, and with the
 * user who sent or created it, so that nobody whose access ended leaves a way in behind.
 */
export function openInvitations(document: OrganizationDocument, nowMs: number): InvitationLine[] {
  return document.invitations.filter(
    ({ createdAtMs, senderUserId, creatorUserId }) =>
      nowMs < createdAtMs + INVITATION_LIFETIME_MS &&
      !isFromFuture({ createdAtMs }, nowMs) &&
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

/** How a request shows that whoever made its passkey has the token of the invitation. */
type Acceptance = { tokenProof: string; authenticator: AuthenticatorParamsV2 };

/**
 * Refuses a request whose proof is not that of the invitation's token for the passkey that it registers, and
 * one that has the token itself as the challenge: anyone who reads that could accept in its place.
 */
export function checkTokenProof(
  { invitationId }: InvitationLine,
  { tokenProof, authenticator }: Acceptance,
  { token, organizationId }: { token: Uint8Array; organizationId: string },
) {
  if (isToken(token, authenticator.challenge)) {
    throw invalid(
      "parameters.authenticator.challenge",
      "`parameters.authenticator.challenge` is the token of this invitation, which must never be sent: register the passkey with a random challenge, and send the token's HMAC as `parameters.tokenProof`; ask for another invitation, because others may have read the token of this one",
    );
  }
  const { attestationObject } = authenticator.attestation;
  const expected = createInvitationProof({
    token,
    organizationId,
    invitationId,
    attestationObject,
  });
  if (equalBytes(encodeUtf8(expected), encodeUtf8(tokenProof))) return;
  // Without the token, nobody learns more about the invitation.
  throw invalid(
    "parameters.tokenProof",
    "`parameters.tokenProof` does not prove that you have the token of this invitation: it must be the HMAC with the token as the key over the organization's id, the invitation's id and `parameters.authenticator.attestation.attestationObject`, as the documentation of the field says",
  );
}

function isToken(token: Uint8Array, given: string): boolean {
  try {
    return equalBytes(decodeBase64Url(given), token);
  } catch {
    return false;
  }
}
