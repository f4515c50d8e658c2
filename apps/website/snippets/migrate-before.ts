import { readFile } from "node:fs/promises";
import { Turnkey } from "@turnkey/sdk-server";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, apiPublicKey, apiPrivateKey } = JSON.parse(
  await readFile(rootKeyFile, "utf8"),
);

const client = new Turnkey({
  apiBaseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  defaultOrganizationId: organizationId,
  apiPublicKey,
  apiPrivateKey,
}).apiClient();

const { wallets } = await client.getWallets();
const { walletId, activity } = await client.createWallet({
  walletName: `Payroll ${Date.now()}`,
  accounts: [],
});
// This client returns a failed activity like any other, so look at its status.
if (activity.status !== "ACTIVITY_STATUS_COMPLETED") throw new Error(activity.status);
console.log(`${wallets.length} wallets, and now ${walletId}`);
