import {
  ApiKeyStamper,
  Connection,
  createWallet,
  InvalidField,
  KeyhearthClient,
  listWallets,
} from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const keyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(keyFile);
const options = { baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) };

// A client has every call as a method. It waits for the activity and returns its result.
const client = new KeyhearthClient(options);
const walletName = `Savings ${crypto.randomUUID()}`;
const { walletId, activity } = await client.createWallet({ walletName, accounts: [] });
console.log(walletId, activity.status);

// A connection is the smaller half. Each call is an export, and a bundler keeps those that you import.
const connection = new Connection(options);
const { wallets } = await listWallets(connection);
console.log(wallets.some((wallet) => wallet.walletId === walletId));

// The same parameters with the same timestampMs are the same activity: a repetition changes nothing.
const timestampMs = String(Date.now());
const parameters = { walletName: `Spending ${crypto.randomUUID()}`, accounts: [] };
const first = await createWallet.submit(connection, parameters, { timestampMs });
const second = await createWallet.submit(connection, parameters, { timestampMs });
console.log(first.id === second.id);

// Every failure is one class of error. This one names the fields that are wrong.
try {
  await createWallet(connection, { walletName: "", accounts: [] });
} catch (error) {
  if (!(error instanceof InvalidField)) throw error;
  console.log(error.fields.map(({ field }) => field));
}
