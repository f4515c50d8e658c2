import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";

/**
 * A sub-organization whose user has an API key, so that a program without a browser can act as this user.
 * In an app, a session or a passkey of the user's browser takes the place of the key.
 */
export async function createKeyUser(parent: KeyhearthClient, userName: string) {
  const key = createApiKey();
  const made = await parent.createSubOrganization({
    subOrganizationName: `Wallet of ${userName}`,
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName,
        apiKeys: [{ apiKeyName: "Key", publicKey: key.apiPublicKey, curveType: key.curveType }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const { apiPublicKey, apiPrivateKey } = key;
  const client = new KeyhearthClient({
    baseUrl: parent.baseUrl,
    organizationId: made.subOrganizationId,
    stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
  });
  const { userId } = await client.whoami();
  return { client, userId, organizationId: made.subOrganizationId };
}
