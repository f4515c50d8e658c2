import { createECDH } from "node:crypto";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import type { Address } from "viem";
import { type ApiKey, baseUrl, isSetUp, readRootKey, type Treasury, write } from "./members.ts";

const names = ["ada", "bob", "carol"];

/**
 * Creates a sub-organization whose root quorum is two of three, with one wallet. From then on nobody can
 * do anything in it alone: neither its members nor the organization that created it.
 */
export async function setUp(): Promise<string> {
  if (isSetUp()) return "The treasury is already set up.";
  const rootKey = await readRootKey();
  const parent = new KeyhearthClient({
    baseUrl,
    organizationId: rootKey.organizationId,
    stamper: new ApiKeyStamper(rootKey),
  });
  // In earnest, each member makes a key on their own machine and sends only the public half.
  const keys = Object.fromEntries(names.map((name) => [name, createApiKey()]));
  const { subOrganizationId, wallet } = await parent.createSubOrganization({
    subOrganizationName: "Treasury",
    rootQuorumThreshold: 2,
    rootUsers: Object.entries(keys).map(([userName, { apiPublicKey }]) => ({
      userName,
      apiKeys: [
        { apiKeyName: "key", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" as const },
      ],
      authenticators: [],
      oauthProviders: [],
    })),
    wallet: {
      walletName: "Treasury",
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
  for (const [name, key] of Object.entries(keys)) await write(name, key);
  const treasury: Treasury = {
    organizationId: subOrganizationId,
    // Addresses of this format begin with 0x.
    address: wallet?.addresses[0] as Address,
    members: Object.fromEntries(
      Object.entries(keys).map(([name, { apiPublicKey }]) => [name, apiPublicKey]),
    ),
  };
  // Last, because this file says that the setup is complete.
  await write("treasury", treasury);
  return `Created the treasury ${treasury.address} of ${names.join(", ")}. Two of them decide.`;
}

function createApiKey(): ApiKey {
  const keyPair = createECDH("prime256v1");
  keyPair.generateKeys();
  return {
    apiPublicKey: keyPair.getPublicKey("hex", "compressed"),
    apiPrivateKey: keyPair.getPrivateKey("hex").padStart(64, "0"),
  };
}
