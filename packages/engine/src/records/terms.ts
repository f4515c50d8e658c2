import type {
  Credential as PolicyCredential,
  User as PolicyUser,
} from "@keyhearth/policy/consensus";
import type { PolicyText } from "@keyhearth/policy/decide";
import { asciiLowerCase } from "./contacts.ts";
import type { ApiKey, Authenticator, Policy, User } from "./organization.ts";

// Converts the users, credentials and policies of a document to the policy language.

/** Leaves out clauses that are null. */
export function policyText({ policyId, effect, condition, consensus, time }: Policy): PolicyText {
  return {
    policyId,
    effect,
    ...(condition === null ? {} : { condition }),
    ...(consensus === null ? {} : { consensus }),
    ...(time === null ? {} : { time }),
  };
}

/**
 * The users of an organization. An address that a user verified is nobody else's, so others who have it, in
 * whatever case of ASCII letters, have none here: a policy that names it does not mean them.
 */
export function policyUsers(users: readonly User[]): PolicyUser[] {
  const owners = ownersOfEmails(users);
  return users.map((user) => {
    const { userId, userTags, userEmail, userName } = user;
    const isOwn = userEmail !== null && isOwnEmail(owners, userId, userEmail);
    return {
      id: userId,
      tags: userTags,
      email: isOwn ? userEmail : "",
      alias: userName,
      credentials: lastingCredentials(user),
    };
  });
}

/** The id of the user who verified each address. If several did, it is nobody's. */
function ownersOfEmails(users: readonly User[]): Map<string, string | null> {
  const owners = new Map<string, string | null>();
  for (const { userId, userEmail, isEmailVerified } of users) {
    if (!isEmailVerified || userEmail === null) continue;
    const email = asciiLowerCase(userEmail);
    owners.set(email, owners.has(email) ? null : userId);
  }
  return owners;
}

function isOwnEmail(owners: Map<string, string | null>, userId: string, userEmail: string) {
  if (owners.size === 0) return true;
  const owner = owners.get(asciiLowerCase(userEmail));
  return owner === undefined || owner === userId;
}

/** The credentials of a user in the document: those that do not expire. */
export function lastingCredentials({ userId, apiKeys, authenticators }: User): PolicyCredential[] {
  return [
    ...apiKeys.map((key) => apiKeyCredential(userId, key)),
    ...authenticators.map((authenticator) => passkeyCredential(userId, authenticator)),
  ];
}

/** A credential as the consensus of a policy reads it. */
export function policyCredential(
  userId: string,
  {
    id,
    type,
    publicKey,
    credentialId = "",
  }: { id: string; type: string; publicKey: string; credentialId?: string },
): PolicyCredential {
  return { id, user_id: userId, type, credential_id: credentialId, public_key: publicKey };
}

/** A passkey as the consensus of a policy reads it. */
export function passkeyCredential(
  userId: string,
  { authenticatorId, credential, credentialId }: Authenticator,
): PolicyCredential {
  return policyCredential(userId, { id: authenticatorId, ...credential, credentialId });
}

/** A long-lived API key as the consensus of a policy reads it. */
export function apiKeyCredential(
  userId: string,
  { apiKeyId, credential }: Pick<ApiKey, "apiKeyId" | "credential">,
): PolicyCredential {
  return policyCredential(userId, { id: apiKeyId, ...credential });
}
