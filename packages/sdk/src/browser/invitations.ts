import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import type { Invitation } from "../crypto/invitation-proof.ts";
import { asObject } from "../errors/as-object.ts";
import { invalidFields } from "../errors/invalid-fields.ts";
import type { AcceptInvitationIntentV2 } from "../generated/types.ts";
import { createPasskey, type PasskeyOptions } from "./passkey-registration.ts";

/**
 * Asks for a new passkey, and returns the parameters of accept_invitation. Stamp that request with the new
 * passkey: a `WebAuthnStamper` with its credential id in `allowCredentials`. The token of the invitation is not
 * in the parameters. Throws `InvalidField` if something of the mail is malformed, and what `createPasskey`
 * throws.
 */
export async function prepareAcceptance(
  invitation: Invitation,
  passkey: Omit<PasskeyOptions, "challenge">,
): Promise<AcceptInvitationIntentV2> {
  const { organizationId, invitationId, userId, token } = asObject(invitation);
  // Loaded when it is needed: few pages accept invitations.
  const { createInvitationProof, problemsOf } = await import("../crypto/invitation-proof.ts");
  const problems = problemsOf({ organizationId, invitationId, userId, token });
  if (problems.length > 0) throw invalidFields(...problems);
  const { user, ...options } = asObject(passkey);
  const authenticator = await createPasskey({
    ...options,
    user: { id: encodeUtf8(userId), ...user },
    // Random, also if a program in plain JavaScript gave one.
    challenge: undefined,
  });
  const { attestationObject } = authenticator.attestation;
  const tokenProof = createInvitationProof({
    token,
    organizationId,
    invitationId,
    attestationObject,
  });
  return { invitationId, userId, tokenProof, authenticator };
}
