import { invalid } from "../errors.ts";
import type { ClientSignature } from "../fields.ts";
import type { User } from "../records/organization.ts";
import { checkClientSignature } from "./client-signatures.ts";
import { contactOf, hasContact } from "./contacts.ts";
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

/** The token proves the contact of one root user, and whoever got it asks for this very user. */
export function checkSignup(
  context: TokenReader,
  { rootUsers, verificationToken, clientSignature }: Signup,
) {
  if (verificationToken === undefined) {
    if (clientSignature === undefined) return;
    throw invalid(signatureAt, `\`${signatureAt}\` must come with \`${tokenAt}\``);
  }
  const proven = readVerificationToken(context, verificationToken, tokenAt);
  const proved = rootUsers.filter(({ userEmail = null, userPhoneNumber = null }) =>
    hasContact({ userEmail, userPhoneNumber }, contactOf(proven)),
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
  checkClientSignature({ signature: clientSignature, field: signatureAt }, proven, {
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

/** Marks the contact that the token proves, once `checkSignup` has accepted it. */
export function markVerified(
  context: TokenReader,
  users: readonly User[],
  verificationToken: string | undefined,
) {
  if (verificationToken === undefined) return;
  const proven = contactOf(readVerificationToken(context, verificationToken, tokenAt));
  for (const user of users.filter((each) => hasContact(each, proven))) {
    const { userEmail, userPhoneNumber } = user;
    const { type } = proven;
    setContact(user, { type, contact: type === "email" ? userEmail : userPhoneNumber }, true);
  }
}
