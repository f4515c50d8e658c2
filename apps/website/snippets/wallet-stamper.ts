import { ApiKeyStamper, Connection, createApiKeys, whoami } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { WalletStamper } from "@keyhearth/sdk/stampers/wallet";
import { type Hex, toHex } from "viem";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const keyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, userId, ...apiKey } = await readApiKeyFile(keyFile);

// In a page this is window.ethereum. Here, an account of viem plays the wallet.
const account = privateKeyToAccount(generatePrivateKey());
const ethereum = {
  async request({ method, params = [] }: { method: string; params?: unknown[] }) {
    if (method === "eth_requestAccounts") return [account.address];
    if (method !== "personal_sign") throw { code: 4200 };
    return account.signMessage({ message: { raw: String(params[0]) as Hex } });
  },
};

// Once: a credential that the user already has registers the wallet.
const stamper = new WalletStamper({ ethereum });
const user = new Connection({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
const apiKeyName = `wallet ${toHex(Date.now())}`;
await createApiKeys(user, { userId, apiKeys: [{ apiKeyName, ...(await stamper.credential()) }] });

// From then on, the wallet stamps.
const { username } = await whoami(new Connection({ baseUrl, organizationId, stamper }));
console.log(`${username} stamps with ${account.address}`);
