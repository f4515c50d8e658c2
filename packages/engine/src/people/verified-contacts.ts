import { invalid } from "../errors.ts";
import type { User } from "../records/organization.ts";
import { endRecovery } from "../records/sessions.ts";
import { type Contact, contactOf, isSameEmail } from "./contacts.ts";
import { readVerificationToken, type TokenReader } from "./verification-tokens.ts";

// A contact is verified while it is the one that a verification token proved. Only a token makes it so.

/**
 * Sets or removes a contact of the user. A new one is verified only if it is proven. A recovery ends with
 * the address that its mail went to.
 */
export function setContact(
  user: User,
  { type, contact }: { type: Contact["type"]; contact: string | null },
  isProven = false,
) {
  if (type === "email") {
    if (user.userEmail !== contact) endRecovery(user);
    if (isProven || user.userEmail !== contact) user.isEmailVerified = isProven;
    user.userEmail = contact;
  } else {
    if (isProven || user.userPhoneNumber !== contact) user.isPhoneNumberVerified = isProven;
    user.userPhoneNumber = contact;
  }
}

const field = "parameters.verificationToken";

/** Refuses a token that does not prove the contact which the field `at` of the request sets. */
export function checkProof(
  context: TokenReader,
  token: string | undefined,
  { at, type, contact }: Contact & { at: string },
) {
  if (token === undefined) return;
  const proven = contactOf(readVerificationToken(context, token, field));
  const isSame =
    type === "email" ? isSameEmail(contact, proven.contact) : contact === proven.contact;
  if (proven.type === type && isSame) return;
  throw invalid(
    field,
    `invalid verification token: \`${field}\` proves another contact than \`${at}\``,
    "VERIFICATION_TOKEN_INVALID",
  );
}
