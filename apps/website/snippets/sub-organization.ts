import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);

const parent = new KeyhearthClient({
  baseUrl,
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// In an app, do this on the end user's device, so that the private key never leaves it.
const { apiPublicKey, apiPrivateKey } = createApiKey();

const { subOrganizationId, wallet } = await parent.createSubOrganization({
  subOrganizationName: "Ada's wallet",
  rootQuorumThreshold: 1,
  rootUsers: [
    {
      userName: "Ada",
      apiKeys: [{ apiKeyName: "laptop", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" }],
      authenticators: [],
      oauthProviders: [],
    },
  ],
  wallet: {
    walletName: "Main",
    accounts: [
      {
        curve: "CURVE_ED25519",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/501'/0'/0'",
        addressFormat: "ADDRESS_FORMAT_SOLANA",
      },
    ],
  },
});
console.log(`Created sub-organization ${subOrganizationId} with ${wallet?.addresses[0]}`);

// From here on, only Ada can sign. The parent can read but do nothing else.
const ada = new KeyhearthClient({
  baseUrl,
  organizationId: subOrganizationId,
  stamper: new ApiKeyStamper({ apiPublicKey, apiPrivateKey }),
});
const { username } = await ada.whoami();
console.log(`${username} is in charge`);
