import type {
  Credential as PolicyCredential,
  User as PolicyUser,
} from "@keyhearth/policy/consensus";
import type { PolicyText } from "@keyhearth/policy/decide";
import type { ApiKey, Authenticator, Policy, User } from "../records/organization.ts";

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

export function policyUser(user: User): PolicyUser {
  const { userId, userTags, userEmail, userName, apiKeys, authenticators } = user;
  return {
    id: userId,
    tags: userTags,
    email: userEmail ?? "",
    alias: userName,
    credentials: [
      ...apiKeys.map((key) => apiKeyCredential(userId, key)),
      ...authenticators.map((authenticator) => passkeyCredential(userId, authenticator)),
    ],
  };
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
