import type { OtpType, VerificationClaims } from "@keyhearth/crypto/tokens/verification-token";
import { invalid } from "../errors.ts";
import { contactOf } from "../records/contacts.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { countsByVotesAlone } from "../records/votes-only.ts";
import { nameOf, timeOf } from "../vault/ids.ts";
import { contactEndedAtMs } from "./ended-users.ts";

/** What a verification token says: which contact somebody read a code at, and the key of whoever did. */
export type VerifiedCode = {
  tokenId: string;
  type: OtpType;
  contact: string;
  /** Compressed, in lower-case hex. Null if none was given when the code was verified. */
  publicKey: string | null;
  /** When the code was sent. */
  sentAtMs: number;
};

/** The longest lifetime of a token. */
export const MAX_TOKEN_SECONDS = 86_400;

export type TokenReader = {
  readonly document: OrganizationDocument;
  readonly nowMs: number;
  readToken(token: string): VerificationClaims | null;
};

/**
 * What a verification token of a request says. A token of the parent counts in all of its
 * sub-organizations, one of a sub-organization only there. It can be used until it expires.
 */
export function readVerificationToken(
  { document, nowMs, readToken }: TokenReader,
  token: string,
  field = "parameters.verificationToken",
): VerifiedCode {
  const claims = readToken(token);
  if (!claims) throw refused(field, "is not a verification token of this service");
  const { organization_id: organizationId, exp } = claims;
  const { organizationId: own, parentOrganizationId: parent } = document;
  if (organizationId !== own && organizationId !== parent) {
    throw refused(
      field,
      "is of another organization: it counts where its code was verified, and in the sub-organizations of a parent that verified it",
    );
  }
  // The document of a sub-organization does not say what waited in the parent.
  if (organizationId === own && countsByVotesAlone(document, nameOf(claims.id))) {
    throw refused(field, "is not what votes decided: verify a new code");
  }
  const expiresAtMs = Number(exp);
  if (expiresAtMs <= nowMs) {
    throw refused(field, `expired at ${new Date(expiresAtMs).toISOString()}: verify a new code`);
  }
  const sentAtMs = timeOf(claims.id);
  // The clock does not run backwards, so such a token was made by nobody.
  if (sentAtMs > nowMs || expiresAtMs > nowMs + MAX_TOKEN_SECONDS * 1000) {
    throw refused(field, "is from the future");
  }
  return {
    tokenId: claims.id,
    type: claims.verification_type,
    contact: claims.contact,
    publicKey: claims.public_key || null,
    sentAtMs,
  };
}

/** The end of a user's sessions also ends the tokens that could start new ones. */
export function checkVerifiedSince(
  moment: Pick<TokenReader, "document" | "nowMs">,
  { sentAtMs, ...code }: VerifiedCode,
  { sessionEpochStartedAtMs }: User,
  field: string,
) {
  const lostAtMs = contactEndedAtMs(moment, contactOf(code));
  const endedAtMs = Math.max(sessionEpochStartedAtMs, lostAtMs);
  if (sentAtMs > endedAtMs) return;
  const ended = new Date(endedAtMs).toISOString();
  const why =
    lostAtMs > sessionEpochStartedAtMs
      ? "a user lost the contact"
      : "the user's sessions were ended";
  throw refused(field, `was issued before ${ended}, when ${why}: verify a new code`);
}

function refused(field: string, why: string) {
  return invalid(
    field,
    `invalid verification token: \`${field}\` ${why}`,
    "VERIFICATION_TOKEN_INVALID",
  );
}
