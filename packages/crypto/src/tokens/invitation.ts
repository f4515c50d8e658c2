import { hmacSha256 } from "#primitives";
import { encodeBase64Url, encodeUtf8 } from "../encoding/bytes.ts";

// How somebody shows that they have the token of an invitation without showing the token: a host that carries
// the request, or holds it back, learns nothing that counts for another passkey.

/** The bytes of the token of an invitation. */
export const INVITATION_TOKEN_LENGTH = 16;

/**
 * Proves to the signer that the maker of a passkey has the token of an invitation, in base64url. The
 * attestation object is the text that the request has: it contains the passkey's id and public key.
 */
export function createInvitationProof({
  token,
  organizationId,
  invitationId,
  attestationObject,
}: {
  token: Uint8Array;
  organizationId: string;
  invitationId: string;
  attestationObject: string;
}): string {
  if (token.length !== INVITATION_TOKEN_LENGTH) throw new Error("malformed invitation token");
  const text = `keyhearth.invitation.v1|${organizationId}|${invitationId}|${attestationObject}`;
  return encodeBase64Url(hmacSha256(token, encodeUtf8(text)));
}
