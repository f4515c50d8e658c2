import { ApiError, invalid } from "../errors.ts";
import type { ClientSignature } from "../fields/schemas.ts";
import { type Contact, contactOf, hasContact } from "../records/contacts.ts";
import type { User } from "../records/organization.ts";
import { type Proven, proveContactOfSignup } from "./proven-facts.ts";
import type { PersonTools } from "./tools.ts";
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

/** A token and what it proves: the contact of the only root user, if whoever got it asks for this very user. */
export type SignupToken = { tokenId: string; proof: Proven<Contact> | null };

/** Null without a token. */
export function readSignup(
  context: TokenReader,
  { rootUsers, verificationToken, clientSignature }: Signup,
): SignupToken | null {
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
  const signupV2 = {
    apiKeys,
    authenticators,
    oauthProviders,
    email: userEmail,
    phoneNumber: userPhoneNumber,
  };
  const usage = { type: "USAGE_TYPE_SIGNUP" as const, signupV2 };
  const proof = proveContactOfSignup(code, given, usage, rootUsers.length === 1);
  return { tokenId: code.tokenId, proof };
}

/**
 * The id of the new sub-organization. That of a token is the same in every request, so a token makes one at
 * most, whoever sends it again.
 */
export function signupOrganizationId(
  { newId, newSignupId }: Pick<PersonTools, "newId" | "newSignupId">,
  token: SignupToken | null,
): string {
  return token ? newSignupId(token.tokenId) : newId("organization");
}

/** The same id, if the request makes one at all. The token may have expired. */
export function wantedOrganizationId(
  { newId, newSignupId, readToken }: Pick<PersonTools, "newId" | "newSignupId" | "readToken">,
  verificationToken: string | undefined,
): string {
  const claims = verificationToken === undefined ? null : readToken(verificationToken);
  return claims ? newSignupId(claims.id) : newId("organization");
}

export function checkUnused(
  context: Pick<PersonTools, "newId" | "newSignupId" | "isKnown">,
  token: SignupToken | null,
) {
  if (!token || !context.isKnown(signupOrganizationId(context, token))) return;
  throw new ApiError(
    "ALREADY_EXISTS",
    "ACTIVITY_ALREADY_EXECUTED",
    "this verification token has created a sub-organization already, or votes rejected that: verify a new code",
    { field: tokenAt },
  );
}

/** Marks the contact of the one new user who has it as verified. */
export function markVerified(users: readonly User[], token: SignupToken | null) {
  const proof = token?.proof;
  if (!proof) return;
  const { type } = proof.fact;
  for (const user of users.filter((each) => hasContact(each, proof.fact))) {
    const { userEmail, userPhoneNumber } = user;
    setContact(user, { type, contact: type === "email" ? userEmail : userPhoneNumber }, proof);
  }
}
