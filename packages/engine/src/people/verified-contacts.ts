import { invalid } from "../errors.ts";
import { type Contact, contactOf, isSameEmail } from "../records/contacts.ts";
import type { User } from "../records/organization.ts";
import { endRecovery } from "../records/sessions.ts";
import { type Proven, proveContact, type StartedBy } from "./proven-facts.ts";
import { readVerificationToken, type TokenReader } from "./verification-tokens.ts";

// A contact is verified while it is the one that a verification token proved. Only a proof makes it so.

/**
 * Sets or removes a contact of the user. A new one is verified only with a proof of it. A recovery ends with
 * the address that its mail went to.
 */
export function setContact(
  user: User,
  { type, contact }: { type: Contact["type"]; contact: string | null },
  proof: Proven<Contact> | null = null,
) {
  const isProven = proof !== null;
  if (proof && !isSame(proof.fact, { type, contact: contact ?? "" })) {
    throw new Error("a proof of another contact");
  }
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

/**
 * The proof of the contact that the field `at` of the request sets. Null without a token, and if the stamp that
 * started the activity is not by the key that the token names. Refuses a token about another contact.
 */
export function readProof(
  context: TokenReader & { readonly startedBy: StartedBy },
  token: string | undefined,
  { at, ...contact }: Contact & { at: string },
): Proven<Contact> | null {
  if (token === undefined) return null;
  const code = readVerificationToken(context, token, field);
  if (isSame(contactOf(code), contact)) return proveContact(code, context.startedBy);
  throw invalid(
    field,
    `invalid verification token: \`${field}\` proves another contact than \`${at}\``,
    "VERIFICATION_TOKEN_INVALID",
  );
}

function isSame(one: Contact, other: Contact): boolean {
  if (one.type !== other.type) return false;
  return one.type === "email"
    ? isSameEmail(one.contact, other.contact)
    : one.contact === other.contact;
}
