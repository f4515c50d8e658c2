import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);

const parent = new KeyhearthClient({
  baseUrl,
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// The address is the only way to log in, so it alone claims the wallet.
const userEmail = `ada.${Date.now()}@example.com`;
const { subOrganizationId, wallet } = await parent.createSubOrganization({
  subOrganizationName: `For ${userEmail}`,
  rootQuorumThreshold: 1,
  rootUsers: [{ userName: "Ada", userEmail, apiKeys: [], authenticators: [], oauthProviders: [] }],
  wallet: {
    walletName: "Gift",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  },
});
console.log(`You can send to ${wallet?.addresses[0]} now`);

// Later, the same address finds the sub-organization again.
const { organizationIds } = await parent.listSuborgs({
  filterType: "EMAIL",
  filterValue: userEmail,
});
if (!organizationIds.includes(subOrganizationId)) throw new Error("it was not found");
console.log(`${userEmail} owns ${subOrganizationId}`);
