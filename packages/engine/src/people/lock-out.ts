import { ApiError } from "../errors.ts";
import { isLoginBy } from "../fields/logins.ts";
import { type Contact, usersWithContact } from "../records/contacts.ts";
import { findUser, type OrganizationDocument, type User } from "../records/organization.ts";

/** What a user, or a user to create, can log in with when everything that expires has expired. */
export type LastingLogins = {
  userId: string;
  userEmail?: string | null | undefined;
  userPhoneNumber?: string | null | undefined;
  isEmailVerified?: boolean;
  isPhoneNumberVerified?: boolean;
  /** How many API keys that do not expire, and passkeys. */
  credentials: number;
  socialLogins: number;
};

/**
 * Without a credential that lasts, a user could be locked out. In a sub-organization, a social login
 * is enough, and so is an email address or phone number if the organization allows login by it and it
 * means no other user.
 */
export function checkNotLockedOut(user: LastingLogins, field: string, organization: Organization) {
  if (canLogIn(user, organization)) return;
  throw new ApiError(
    "INVALID_ARGUMENT",
    "USER_WITHOUT_CREDENTIAL",
    `user missing valid credential: ${user.userId}: \`${field}\` needs an API key without expirationSeconds, or an authenticator`,
    { field },
  );
}

/** Whatever an activity does: it takes nobody's last way back, and creates nobody without one. */
export function assertNobodyLockedOut(before: OrganizationDocument, after: OrganizationDocument) {
  for (const user of after.users) {
    if (canLogIn(lastingLoginsOf(user), after)) continue;
    const known = findUser(before, user.userId);
    if (known && !canLogIn(lastingLoginsOf(known), before)) continue;
    checkNotLockedOut(lastingLoginsOf(user), "parameters", after);
  }
}

export function lastingLoginsOf({
  apiKeys,
  authenticators,
  oauthProviders,
  ...user
}: User): LastingLogins {
  const credentials = apiKeys.length + authenticators.length;
  return { ...user, credentials, socialLogins: oauthProviders.length };
}

type Organization = Pick<OrganizationDocument, "parentOrganizationId" | "features"> & {
  /** All users: logins refuse a contact that may mean several of them. */
  users: readonly Omit<LastingLogins, "credentials" | "socialLogins">[];
};

function canLogIn(
  { userId, credentials, socialLogins, userEmail, userPhoneNumber }: LastingLogins,
  { parentOrganizationId, features, users }: Organization,
): boolean {
  if (credentials > 0) return true;
  if (parentOrganizationId === null) return false;
  if (socialLogins > 0) return true;
  const isOwn = (contact: Contact) =>
    usersWithContact(users.map(withContacts), contact).every((each) => each.userId === userId);
  const logsInBy = (type: Contact["type"], contact: string | null | undefined) => {
    if (!contact || !features.some(({ name }) => isLoginBy(type, name))) return false;
    return isOwn({ type, contact });
  };
  return logsInBy("email", userEmail) || logsInBy("phone", userPhoneNumber);
}

function withContacts<U extends Organization["users"][number]>({
  userEmail = null,
  userPhoneNumber = null,
  ...user
}: U) {
  return { ...user, userEmail, userPhoneNumber };
}
