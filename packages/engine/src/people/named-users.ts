import { type OtpType, peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { type Input, unread } from "@keyhearth/policy/environment";
import { type Contact, contactOf, hasContact, usersWithContact } from "../records/contacts.ts";
import type { Facts } from "../records/facts.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";
import { findByIdentity } from "./oauth-providers.ts";
import { identityIn } from "./oidc-tokens.ts";

// Requests name a user by an address, a number, a code or a token. A DENY about the user must hold however
// the request names the user, so policies see the same for all of them.

/** Parameters of policies, with their names there. They replace those of the same name in the request. */
export type Named = { readonly [parameter: string]: Input };

type Way = {
  /** What policies see: the id of the user and, unless the user is named by an identity, the contact. */
  shows: readonly string[];
  /** The tokens and the code have been verified before policies are asked, or are before the request is executed. */
  find(intent: never, facts: Pick<Facts, "document" | "records">): Named;
};

/** How requests name a user other than by id. */
export const waysOfNaming = {
  email: {
    shows: ["user_id", "email"],
    find({ email }: { email?: string }, { document }) {
      // An older version of a request may name the user by id.
      if (email === undefined) return {};
      const { user_id, contact } = ofContact(document, { type: "email", contact: email });
      return { user_id, email: contact };
    },
  },
  contact: {
    shows: ["user_id", "contact"],
    find({ otpType, contact }: { otpType: OtpType; contact: string }, { document }) {
      return ofContact(document, contactOf({ type: otpType, contact }));
    },
  },
  code: {
    shows: ["user_id", "contact"],
    find({ otpId }: { otpId: string }, { document, records }) {
      const otp = records.otp(otpId);
      if (!otp) return hidden("a code that the request came without");
      const sent = contactOf(otp);
      if (otp.userId === null) return ofContact(document, sent);
      const user = findUser(document, otp.userId);
      return { user_id: otp.userId, contact: (user && storedAs(user, sent)) ?? sent.contact };
    },
  },
  verificationToken: {
    shows: ["user_id", "contact"],
    find({ verificationToken }: { verificationToken: string }, { document }) {
      const claims = peekVerificationToken(verificationToken);
      if (!claims) return hidden("a token that is not a verification token");
      const { verification_type: type, contact } = claims;
      return ofContact(document, contactOf({ type, contact }));
    },
  },
  oidcToken: {
    shows: ["user_id"],
    find({ oidcToken }: { oidcToken: string }, { document }) {
      const identity = identityIn(oidcToken);
      const found = identity && findByIdentity(document, identity);
      return {
        user_id: found ? found.user.userId : unread("a token that is about no single user"),
      };
    },
  },
} as const satisfies Record<string, Way>;

export type WayOfNaming = keyof typeof waysOfNaming;

/** What policies see of the user whom a request names. */
export function namedUser(way: WayOfNaming, intent: unknown, facts: Facts): Named {
  // The declaration says which parameters its schema has.
  return waysOfNaming[way].find(intent as never, facts);
}

/**
 * Nobody is `''`, because a DENY about a user says nothing about contacts of nobody. If it is not known which of
 * several users is meant, policies can read neither: then a DENY that does denies.
 */
function ofContact(document: OrganizationDocument, sought: Contact): Record<string, Input> {
  const holders = document.users.filter((user) => hasContact(user, sought));
  if (holders.length === 0) return { user_id: "", contact: sought.contact };
  // A login with the contact would log in the only one.
  const [owner, ...others] = usersWithContact(document.users, sought);
  if (owner && others.length === 0)
    return { user_id: owner.userId, contact: storedAs(owner, sought) };
  const spellings = new Set(holders.map((user) => storedAs(user, sought)));
  const shared = hidden("a contact that several users have");
  return spellings.size === 1 ? { ...shared, contact: [...spellings][0] } : shared;
}

function hidden(reason: string): Record<string, Input> {
  return { user_id: unread(reason), contact: unread(reason) };
}

/** The contact as the document has it. */
export function storedAs(user: User, sought: Contact): string | undefined {
  if (!hasContact(user, sought)) return undefined;
  return (sought.type === "email" ? user.userEmail : user.userPhoneNumber) ?? undefined;
}
