import {
  ApiKeyStamper,
  Conflict,
  Connection,
  ConsensusNeeded,
  createWallet,
  InvalidField,
  listWallets,
  PolicyDenied,
} from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);

const connection = new Connection({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// The activity as the service first answers it, in whatever state it is.
const walletName = `Savings ${Date.now()}`;
const activity = await createWallet.submit(connection, { walletName, accounts: [] });
console.log(activity.status);

try {
  // The same name again. Without `submit`, the call waits for the result or throws.
  await createWallet(connection, { walletName, accounts: [] });
} catch (error) {
  if (error instanceof Conflict) console.log(`${walletName} exists already`);
  else if (error instanceof ConsensusNeeded)
    console.log(`ask for approval of ${error.activity.id}`);
  else if (error instanceof PolicyDenied) console.log(error.evaluations);
  else if (error instanceof InvalidField) console.log(error.fields);
  else throw error;
}

const { wallets } = await listWallets(connection);
process.exitCode = wallets.some((wallet) => wallet.walletName === walletName) ? 0 : 1;
