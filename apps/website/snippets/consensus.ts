import { ApiKeyStamper, ConsensusNeeded, KeyhearthClient } from "@keyhearth/sdk";
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

// A sub-organization in which Ada and Bob must agree on everything.
const keys = { Ada: createApiKey(), Bob: createApiKey() };
const { subOrganizationId: organizationId } = await parent.createSubOrganization({
  subOrganizationName: "Joint account",
  rootQuorumThreshold: 2,
  rootUsers: Object.entries(keys).map(([userName, { apiPublicKey }]) => ({
    userName,
    apiKeys: [
      { apiKeyName: "laptop", publicKey: apiPublicKey, curveType: "API_KEY_CURVE_P256" as const },
    ],
    authenticators: [],
    oauthProviders: [],
  })),
});
const ada = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new ApiKeyStamper(keys.Ada),
});
const bob = new KeyhearthClient({
  baseUrl,
  organizationId,
  stamper: new ApiKeyStamper(keys.Bob),
});

// Ada sends the request. Her stamp is the first approval, but one is not enough.
const activityId = await ada.createWallet({ walletName: "Savings", accounts: [] }).then(
  () => {
    throw new Error("a single root user must not be enough");
  },
  (error) => {
    if (error instanceof ConsensusNeeded) return error.activity.id;
    throw error;
  },
);
console.log(`Activity ${activityId} waits for a second approval`);

// Bob decides about the request that Ada stamped, not about what the server says it was.
const { activity, result } = await bob.approve(
  activityId,
  ({ type, parameters }) =>
    type === "ACTIVITY_TYPE_CREATE_WALLET" && parameters.walletName === "Savings",
);
console.log(`${activity.status}: wallet ${result?.walletId}`);
process.exitCode = activity.status === "ACTIVITY_STATUS_COMPLETED" ? 0 : 1;
