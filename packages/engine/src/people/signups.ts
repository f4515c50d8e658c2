import { invalid } from "../errors.ts";
import type { ClientSignature } from "../fields.ts";
import type { User } from "../records/organization.ts";
import { type Contact, contactOf, hasContact } from "./contacts.ts";
import { type Proven, proveContactOfSignup } from "./proven-facts.ts";
import type { NewUser } from "./users.ts";
import { readVerificationToken, type TokenReader } from "./verification-tokens.ts";
import { setContact } from "./verified-contacts.ts";

// Somebody who verified a code becomes the root user of a new sub-organization, with a verified contact.

type Signup = {
  rootUsers: NewUser[];
  verificationToken?: string | undefined;
  clientSignature?: ClientSignature | undefined;
};

const tokenAt = "parameters.verificationToken";
const signatureAt = "parameters.clientSignature";

/**
 * What the token proves: the contact of one root user, and whoever got it asks for this very user. Null without
 * a token.
 */
export function readSignup(
  context: TokenReader,
  { rootUsers, verificationToken, clientSignature }: Signup,
): Proven<Contact> | null {
  if (verificationToken === undefined) {
    if (clientSignature === undefined) return null;
    throw invalid(signatureAt, `\`${signatureAt}\` must come with \`${tokenAt}\``);
  }
  const code = readVerificationToken(context, verificationToken, tokenAt);
  const proved = rootUsers.filter(({ userEmail = null, userPhoneNumber = null }) =>
    hasContact({ userEmail, userPhoneNumber }, contactOf(code)),
  );
  const [user] = proved;
  if (!user || proved.length > 1) {
    const count = proved.length === 0 ? "no root user" : "more than one root user";
    throw invalid(
      tokenAt,
      `invalid verification token: \`${tokenAt}\` proves a contact that ${count} of the request has`,
      "VERIFICATION_TOKEN_INVALID",
    );
  }
  const { apiKeys, authenticators, oauthProviders, userEmail, userPhoneNumber } = user;
  const given = { signature: clientSignature, field: signatureAt };
  return proveContactOfSignup(code, given, {
    type: "USAGE_TYPE_SIGNUP",
    signupV2: {
      apiKeys,
      authenticators,
      oauthProviders,
      email: userEmail,
      phoneNumber: userPhoneNumber,
    },
  });
}

/** Marks the contact of the one new user who has it as verified. */
export function markVerified(users: readonly User[], proof: Proven<Contact> | null) {
  if (!proof) return;
  const { type } = proof.fact;
  for (const user of users.filter((each) => hasContact(each, proof.fact))) {
    const { userEmail, userPhoneNumber } = user;
    setContact(user, { type, contact: type === "email" ? userEmail : userPhoneNumber }, proof);
  }
}
