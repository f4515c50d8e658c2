import type {
  Credential as PolicyCredential,
  User as PolicyUser,
} from "@keyhearth/policy/consensus";
import type { PolicyText } from "@keyhearth/policy/decide";
import type { ApiKey, Policy, User } from "../records/organization.ts";

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

export function policyUser({ userId, userTags, userEmail, userName, apiKeys }: User): PolicyUser {
  return {
    id: userId,
    tags: userTags,
    email: userEmail ?? "",
    alias: userName,
    credentials: apiKeys.map((key) => apiKeyCredential(userId, key)),
  };
}

/** A credential as the consensus of a policy reads it. */
export function policyCredential(
  userId: string,
  { id, type, publicKey }: { id: string; type: string; publicKey: string },
): PolicyCredential {
  return { id, user_id: userId, type, credential_id: "", public_key: publicKey };
}

/** A long-lived API key as the consensus of a policy reads it. */
export function apiKeyCredential(
  userId: string,
  { apiKeyId, credential }: Pick<ApiKey, "apiKeyId" | "credential">,
): PolicyCredential {
  return policyCredential(userId, { id: apiKeyId, ...credential });
}
