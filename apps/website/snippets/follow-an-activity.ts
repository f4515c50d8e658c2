import { setTimeout } from "node:timers/promises";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const { organizationId: parentId } = rootKey;
const parent = clientOf(rootKey, parentId);

// An organization in which Ada and Bob must agree on everything.
const keys = [createApiKey(), createApiKey()] as const;
const { subOrganizationId } = await parent.createSubOrganization({
  subOrganizationName: "Joint account",
  rootQuorumThreshold: 2,
  rootUsers: keys.map(({ apiPublicKey: publicKey }, index) => ({
    userName: index === 0 ? "Ada" : "Bob",
    apiKeys: [{ apiKeyName: "laptop", publicKey, curveType: "API_KEY_CURVE_P256" as const }],
    authenticators: [],
    oauthProviders: [],
  })),
});
const [ada, bob] = keys.map((key) => clientOf(key, subOrganizationId));
if (!ada || !bob) throw new Error("both have a client");

// `submit` returns the activity at once, in whatever state it is.
const rejected = await ada.createWallet.submit({ walletName: "Casino", accounts: [] });
console.log(rejected.status);
await bob.rejectActivity({ fingerprint: rejected.fingerprint });
console.log(await finalStatus(rejected.id));

const approved = await ada.createWallet.submit({ walletName: "Savings", accounts: [] });
// In your own program, check first what you approve: `approve` of the SDK does.
await bob.approveActivity({ fingerprint: approved.fingerprint });
console.log(await finalStatus(approved.id));

/** Asks until nothing more can happen, each time after a longer pause. */
async function finalStatus(activityId: string): Promise<string> {
  for (let pauseMs = 250; pauseMs < 30_000; pauseMs *= 2) {
    const { activity } = await parent.getActivity(
      { activityId },
      { organizationId: subOrganizationId },
    );
    if (!/CREATED|PENDING|CONSENSUS_NEEDED/.test(activity.status)) return activity.status;
    await setTimeout(pauseMs);
  }
  throw new Error(`${activityId} is not done yet`);
}

function clientOf(key: { apiPublicKey: string; apiPrivateKey: string }, organizationId: string) {
  return new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(key) });
}
