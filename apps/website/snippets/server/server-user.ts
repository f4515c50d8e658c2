import { ApiKeyStamper, type KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";

/** Gives a server a user and a key of its own, which may send these kinds of requests and nothing else. */
export async function createServerUser(root: KeyhearthClient, name: string, kinds: string[]) {
  const { apiPublicKey, apiPrivateKey, curveType } = createApiKey();
  const { userIds } = await root.createUsers({
    users: [
      {
        userName: name,
        apiKeys: [{ apiKeyName: "Production", publicKey: apiPublicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  const listed = kinds.map((kind) => `'${kind}'`).join(", ");
  await root.createPolicy({
    policyName: `${name} ${Date.now()}`,
    effect: "EFFECT_ALLOW",
    condition: `activity.kind in [${listed}]`,
    consensus: `approvers.any(user, user.id == '${userIds[0]}')`,
    notes: "",
  });
  return new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
}
