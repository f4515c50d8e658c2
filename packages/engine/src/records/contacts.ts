import type { OtpType } from "@keyhearth/crypto/tokens/verification-token";
import { invalid, notFound } from "../errors.ts";
import type { OrganizationDocument, User } from "./organization.ts";

export type Contact = { type: "email" | "phone"; contact: string };

/** The contact of a one-time code, or of a token about one, as users have it. */
export function contactOf({ type, contact }: { type: OtpType; contact: string }): Contact {
  return { type: type === "OTP_TYPE_EMAIL" ? "email" : "phone", contact };
}

/**
 * The users whom a contact may mean: those who proved it or, if nobody did, those for whom it was stated. So
 * nobody can take a proven contact from its user by stating it for others.
 */
export function usersWithContact<U extends Contacts>(users: readonly U[], sought: Contact): U[] {
  const all = users.filter((each) => hasContact(each, sought));
  const verified = all.filter((each) => hasVerified(each, sought));
  return verified.length > 0 ? verified : all;
}

/**
 * The user with this email address or phone number. If it may mean several users, it says nothing about who
 * asks, so it is refused.
 */
export function findByContact(
  { users }: OrganizationDocument,
  sought: Contact,
  field: string,
): User {
  const [user, ...others] = usersWithContact(users, sought);
  const noun = sought.type === "email" ? "email address" : "phone number";
  if (!user) throw notFound(field, `user with the ${noun}`, sought.contact);
  if (others.length === 0) return user;
  throw invalid(
    field,
    `more than one user has the ${noun} \`${sought.contact}\`: change it for all but one of them with update_user, or verify it for one`,
  );
}

/** Users who are about to be created have proved nothing yet. */
type Contacts = Pick<User, "userEmail" | "userPhoneNumber"> &
  Partial<Pick<User, "isEmailVerified" | "isPhoneNumberVerified">>;

export function hasContact(
  { userEmail, userPhoneNumber }: Pick<User, "userEmail" | "userPhoneNumber">,
  { type, contact }: Contact,
): boolean {
  return type === "email"
    ? userEmail !== null && isSameEmail(userEmail, contact)
    : userPhoneNumber === contact;
}

export function hasVerified(user: Contacts, contact: Contact): boolean {
  const isProven = contact.type === "email" ? user.isEmailVerified : user.isPhoneNumberVerified;
  return isProven === true && hasContact(user, contact);
}

/** Only ASCII letters match in both cases. Others could make one address of two. */
export function isSameEmail(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  return one === other || asciiLowerCase(one) === asciiLowerCase(other);
}

export function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
