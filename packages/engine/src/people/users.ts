import { checkAll, checkEach } from "../errors.ts";
import type { ApiKeyParamsV2, AuthenticatorParamsV2 } from "../fields/credentials.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import type { OrganizationDocument, User } from "../records/organization.ts";
import { newSessionEpoch, type SessionEntry } from "../records/sessions.ts";
import { checkApiKeys, checkLongLivedKeys, createApiKeys } from "./api-keys.ts";
import {
  checkAuthenticatorCount,
  checkAuthenticators,
  createAuthenticators,
} from "./authenticators.ts";
import { checkNotLockedOut, type LastingLogins } from "./lock-out.ts";
import {
  checkOauthProviderLimit,
  checkOauthProviders,
  createOauthProviders,
  type OauthProviderParams,
  takenIdentities,
} from "./oauth-providers.ts";
import type { Registrations } from "./passkey-registrations.ts";
import type { Asker } from "./proven-facts.ts";
import { takenPublicKeys } from "./taken-keys.ts";
import type { PersonTools } from "./tools.ts";
import { checkTags } from "./user-tags.ts";

/** A user as a request would create it. */
export type NewUser = {
  userName: string;
  userEmail?: string | undefined;
  userPhoneNumber?: string | undefined;
  apiKeys: ApiKeyParamsV2[];
  authenticators?: AuthenticatorParamsV2[] | undefined;
  oauthProviders?: OauthProviderParams[] | undefined;
  userTags?: string[] | undefined;
};

type Creation = {
  userId: string;
  /** The first one. `newSessionEpoch` makes it if there are expiring keys. */
  sessionEpoch: number;
  newId: (name: string) => string;
  nowMs: number;
  registrations: Registrations;
  asker: Asker;
};

/** Creates a user. Keys that expire are returned separately: they belong in the sessions record. */
export function createUser(
  {
    userName,
    userEmail,
    userPhoneNumber,
    apiKeys,
    authenticators = [],
    oauthProviders = [],
    userTags = [],
  }: NewUser,
  { userId, sessionEpoch, newId, nowMs, registrations, asker }: Creation,
): { user: User; entries: SessionEntry[] } {
  const keys = createApiKeys(apiKeys, { sessionEpoch, newId, nowMs });
  const user: User = {
    userId,
    userName,
    userEmail: userEmail ?? null,
    userPhoneNumber: userPhoneNumber ?? null,
    apiKeys: keys.longLived,
    userTags: [...new Set(userTags)],
    authenticators: createAuthenticators(authenticators, { newId, nowMs, registrations }),
    oauthProviders: createOauthProviders(oauthProviders, { newId, nowMs, registrations, asker }),
    sessionEpoch,
    sessionEpochStartedAtMs: 0,
    keyEpochs: [],
    isEmailVerified: false,
    isPhoneNumberVerified: false,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
  return { user, entries: keys.expiring };
}

/** Checks users to create, one by one and together with those that exist. */
export function checkNewUsers(
  { document, records, registrations, newId, nowMs }: PersonTools,
  users: readonly NewUser[],
  field: string,
) {
  const all = {
    organization: document,
    taken: takenPublicKeys({ document, records, nowMs }),
    identities: takenIdentities(document),
    registrations,
  };
  checkEach(users, (user, index) => {
    checkNewUser(user, `${field}[${index}]`, { ...all, userId: newId(`user/${index}`) });
  });
  checkLimit(document.users.length + users.length, LIMITS.users, { noun: "users", field });
}

/** Checks a user to create, with everything that the request registers for this user. */
export function checkNewUser(
  user: NewUser,
  field: string,
  {
    organization,
    userId,
    taken,
    identities,
    registrations,
  }: {
    organization: Pick<OrganizationDocument, "parentOrganizationId" | "features" | "userTags"> & {
      users: readonly Omit<LastingLogins, "credentials" | "socialLogins">[];
    };
    userId: string;
    /** Keys, passkeys and social logins that somebody has. Those of the user are added. */
    taken: Set<string>;
    identities: Set<string>;
    registrations: Registrations;
  },
) {
  const { apiKeys, authenticators = [], oauthProviders = [], userTags = [] } = user;
  const keysAt = `${field}.apiKeys`;
  const passkeysAt = `${field}.authenticators`;
  const providersAt = `${field}.oauthProviders`;
  checkAll(
    () => checkApiKeys(apiKeys, keysAt, taken),
    () => checkLongLivedKeys(null, apiKeys, keysAt),
    () => checkAuthenticatorCount(null, authenticators, passkeysAt),
    () => checkAuthenticators(authenticators, passkeysAt, { taken, registrations }),
    () => checkOauthProviders(oauthProviders, providersAt, { identities, registrations }),
    () => checkOauthProviderLimit(null, oauthProviders.length, providersAt),
    () => checkTags(userTags, organization, `${field}.userTags`),
    () => checkNotLockedOut(lastingLoginsOfNew(user, userId), keysAt, organization),
  );
}

function lastingLoginsOfNew(
  { apiKeys, authenticators = [], oauthProviders = [], ...user }: NewUser,
  userId: string,
): LastingLogins {
  const longLived = apiKeys.filter(({ expirationSeconds }) => expirationSeconds === undefined);
  const credentials = longLived.length + authenticators.length;
  return { ...user, userId, credentials, socialLogins: oauthProviders.length };
}

/** Creates the users of this organization or of a new sub-organization, and writes their keys that expire. */
export function createUsersOf(
  organizationId: string,
  context: PersonTools,
  users: readonly NewUser[],
): User[] {
  const { newId, nowMs, random, registrations, write } = context;
  const asker = organizationId === context.organizationId ? context.startedBy : parentFor(users);
  return users.map((params, index) => {
    const userId = newId(`user/${index}`);
    const { user, entries } = createUser(params, {
      userId,
      sessionEpoch: newSessionEpoch(random),
      newId: (name) => newId(`user/${index}/${name}`),
      nowMs,
      registrations,
      asker,
    });
    if (entries.length > 0) write.sessions({ userId, entries }, organizationId);
    return user;
  });
}

/** The owner of a token agreed to no other root users, so with others the parent proves no social login. */
function parentFor(rootUsers: readonly NewUser[]): Asker {
  return rootUsers.length === 1 ? "parent" : "nobody";
}

/** Adds the users to the organization. Returns their ids in order. */
export function addUsers(context: PersonTools, users: readonly NewUser[]): string[] {
  const created = createUsersOf(context.organizationId, context, users);
  for (const user of created) context.update().users.push(user);
  return created.map(({ userId }) => userId);
}
