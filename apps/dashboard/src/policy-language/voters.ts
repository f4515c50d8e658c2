import type { Credential, User as PolicyUser } from "@keyhearth/policy/consensus";
import type { User } from "@keyhearth/sdk";

/** As the signer shows people to policies: with the credentials that last, API keys first. */
export function policyUser(user: User): PolicyUser {
  const { userId, userName, userEmail, userTags, apiKeys, authenticators } = user;
  const lasting = [
    ...apiKeys
      .filter(({ expirationSeconds }) => !expirationSeconds)
      .map(({ apiKeyId: id, credential }) => ({ id, credential, credentialId: "" })),
    ...authenticators.map(({ authenticatorId: id, credential, credentialId }) => ({
      ...{ id, credential, credentialId },
    })),
  ];
  return {
    id: userId,
    tags: userTags,
    email: userEmail ?? "",
    alias: userName,
    credentials: lasting.map(({ id, credential: { type, publicKey }, credentialId }) => ({
      ...{ id, user_id: userId, type, credential_id: credentialId, public_key: publicKey },
    })),
  };
}

/** What each vote was given with: its own key if the user still has it, or the first that lasts, as the service takes it. */
export function credentialsOf(
  users: readonly PolicyUser[],
  approvedBy: readonly string[],
  publicKeys: Readonly<Record<string, string>> | undefined,
): Record<string, Credential> {
  return Object.fromEntries(
    approvedBy.flatMap((userId) => {
      const own = users.find(({ id }) => id === userId)?.credentials ?? [];
      const found = publicKeys
        ? own.find((each) => each.public_key === publicKeys[userId])
        : own[0];
      return found ? [[userId, found]] : [];
    }),
  );
}
