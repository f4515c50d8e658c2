import { ApiKeyStamper, KeyhearthClient, listPrivateKeys, listWallets } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { importHexKey } from "./browser/import-private-key.ts";
import { importSolanaKey } from "./browser/import-solana-key.ts";
import { importWords } from "./browser/import-wallet.ts";
import { createKeyUser } from "./server/key-user.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
const { client: ada, userId } = await createKeyUser(parent, "Ada");

// In an app, you copied this key from your operator. For a trial, the service's own word is enough.
const { signerPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();
const pinned = { userId, signerPublicKey };

// Examples that everybody knows. Never send funds to their addresses.
const mnemonic = `${"abandon ".repeat(11)}about`;
const { addresses } = await importWords(ada, { mnemonic }, pinned);
console.log(`Wallet    ${addresses[0]}`);

const ethereum = await importHexKey(ada, `0x${"46".repeat(32)}`, pinned);
console.log(`Ethereum  ${ethereum.addresses[0]?.address}`);

const pair =
  "99eUso3aSbE9tqGSTXzo3TLfKb9RkMTURrHKQ1K7Zh3StnzFNUx8FKCPPPPpR479qsw5zv2WNBKmgiz7WqgAJfM";
const solana = await importSolanaKey(ada, pair, pinned);
console.log(`Solana    ${solana.addresses[0]?.address}`);

// With another signer's key, the SDK refuses the bundle before it encrypts anything.
const stranger = { ...pinned, signerPublicKey: `04${"11".repeat(64)}` };
await importWords(ada, { mnemonic }, stranger).catch((error) => console.log(error.name));

const { wallets } = await listWallets(ada);
const { privateKeys } = await listPrivateKeys(ada);
console.log([...wallets, ...privateKeys].every(({ imported }) => imported));
