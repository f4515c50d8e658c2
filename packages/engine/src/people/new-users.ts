import { checkAll, checkEach } from "../errors.ts";
import { checkLimit, LIMITS } from "../limits.ts";
import { newSessionEpoch } from "../records/sessions.ts";
import type { Context } from "../submission/execution.ts";
import { checkAuthenticators } from "./authenticators.ts";
import {
  checkOauthProviderLimit,
  checkOauthProviders,
  takenIdentities,
} from "./oauth-providers.ts";
import { checkTags } from "./user-tags.ts";
import {
  checkApiKeys,
  checkAuthenticatorCount,
  checkCanReturn,
  checkLongLivedKeys,
  createUser,
  type NewUser,
  newReturning,
  takenPublicKeys,
} from "./users.ts";

/** Checks users to create, one by one and together with those that exist. */
export function checkNewUsers(
  { document, records, registrations, newId, nowMs }: Context,
  users: readonly NewUser[],
  at: string,
) {
  const taken = takenPublicKeys({ document, records, nowMs });
  const identities = takenIdentities(document);
  checkEach(users, (user, index) => {
    const { apiKeys, authenticators = [], userTags = [], oauthProviders = [] } = user;
    const passkeys = `${at}[${index}].authenticators`;
    const field = `${at}[${index}]`;
    const created = newReturning(user, newId(`user/${index}`));
    checkAll(
      () => checkApiKeys(apiKeys, `${field}.apiKeys`, taken),
      () => checkLongLivedKeys(null, apiKeys, `${field}.apiKeys`),
      () => checkAuthenticatorCount(null, authenticators, passkeys),
      () => checkAuthenticators(authenticators, passkeys, { taken, registrations }),
      () => checkOauthProviders(oauthProviders, `${field}.oauthProviders`, identities),
      () => checkOauthProviderLimit(null, oauthProviders.length, `${field}.oauthProviders`),
      () => checkTags(userTags, document, `${field}.userTags`),
      () => checkCanReturn(created, `${field}.apiKeys`, document),
    );
  });
  checkLimit(document.users.length + users.length, LIMITS.users, { noun: "users", field: at });
}

/** Adds the users to the organization. Returns their ids in order. */
export function addUsers(context: Context, users: readonly NewUser[]): string[] {
  const { nowMs, registrations } = context;
  return users.map((params, index) => {
    const userId = context.newId(`user/${index}`);
    const newId = (name: string) => context.newId(`user/${index}/${name}`);
    const sessionEpoch = newSessionEpoch(context.random);
    const creation = { userId, sessionEpoch, newId, nowMs, registrations };
    const { user, entries } = createUser(params, creation);
    if (entries.length > 0) context.write.sessions({ userId, entries });
    context.update().users.push(user);
    return userId;
  });
}
