import { decodeBase64Url, wipe } from "@keyhearth/crypto/encoding/bytes";
import * as invitation from "@keyhearth/crypto/tokens/invitation";
import { asObject } from "../errors/as-object.ts";
import type { FieldProblem } from "../errors/errors.ts";
import { isText } from "../errors/given-values.ts";
import { invalidFields } from "../errors/invalid-fields.ts";

/** What the mail of an invitation says. Never send the token: a proof of it is enough. */
export type Invitation = {
  organizationId: string;
  invitationId: string;
  /** The id that the new user will have. */
  userId: string;
  /** The invitation code, in base64url. */
  token: string;
};

/**
 * Proves that you have the token of an invitation, for `tokenProof` of accept_invitation. The proof counts for
 * this passkey alone, so nobody who reads the request can accept in your place. `attestationObject` is the text
 * that the request has. Throws `InvalidField` if something is malformed.
 */
export function createInvitationProof(
  given: Omit<Invitation, "userId"> & { attestationObject: string },
): string {
  const { token, organizationId, invitationId, attestationObject } = asObject(given);
  const problems = problemsOf({ token, organizationId, invitationId });
  if (!isText(attestationObject, /^[\w-]+$/)) {
    problems.push({ field: "attestationObject", message: "must be base64url without padding" });
  }
  if (problems.length > 0) throw invalidFields(...problems);
  const bytes = decodeBase64Url(token);
  try {
    return invitation.createInvitationProof({
      token: bytes,
      organizationId,
      invitationId,
      attestationObject,
    });
  } finally {
    wipe(bytes);
  }
}

/** No message shows the token. */
export function problemsOf({
  token,
  ...ids
}: Omit<Invitation, "userId"> & { userId?: string }): FieldProblem[] {
  const problems = Object.entries(ids)
    .filter(([, id]) => !isText(id, /^[0-9a-f-]{36}$/))
    .map(([field]) => ({
      field,
      message: "must be the UUID in the mail of the invitation, in lower case",
    }));
  if (!isText(token, /^[\w-]{21}[AQgw]$/)) {
    problems.push({ field: "token", message: "must be the invitation code in the mail" });
  }
  return problems;
}
