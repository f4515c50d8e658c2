import { ApiKeyStamper, Connection, createWallet, listWallets } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);

const connection = new Connection({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { wallets } = await listWallets(connection);
// Anything but a completed activity is thrown.
const { walletId } = await createWallet(connection, {
  walletName: `Payroll ${Date.now()}`,
  accounts: [],
});
console.log(`${wallets.length} wallets, and now ${walletId}`);
