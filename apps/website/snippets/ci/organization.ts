import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

/** A sub-organization for one test, so that tests share nothing and may run side by side. */
export async function newTestOrganization() {
  const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
  const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
  const { organizationId, ...rootKey } = await readApiKeyFile(rootKeyFile);
  const parent = new KeyhearthClient({
    baseUrl,
    organizationId,
    stamper: new ApiKeyStamper(rootKey),
  });
  const { apiPublicKey, apiPrivateKey, curveType } = createApiKey();
  const { subOrganizationId } = await parent.createSubOrganization({
    subOrganizationName: "Test",
    rootQuorumThreshold: 1,
    rootUsers: [
      {
        userName: "Tester",
        apiKeys: [{ apiKeyName: "Test", publicKey: apiPublicKey, curveType }],
        authenticators: [],
        oauthProviders: [],
      },
    ],
  });
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  return new KeyhearthClient({ baseUrl, organizationId: subOrganizationId, stamper });
}
