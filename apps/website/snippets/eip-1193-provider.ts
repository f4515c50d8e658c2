import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createEip1193Provider, Eip1193Error } from "@keyhearth/sdk/eip-1193";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createWalletClient, custom, verifyMessage } from "viem";
import { mainnet } from "viem/chains";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { addresses } = await client.createWallet({
  walletName: `Payments ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const [signWith = ""] = addresses;

const provider = createEip1193Provider({
  connection: client,
  signWith,
  chains: [{ chainId: 1, rpcUrl: process.env.RPC_URL ?? "http://localhost:8545" }],
  // Show the request to the user here.
  confirm: ({ method }) => method !== "eth_signTypedData_v4",
});
provider.on("accountsChanged", (accounts) => console.log("Accounts:", accounts));

// Any library that takes a provider can use it.
const wallet = createWalletClient({ chain: mainnet, transport: custom(provider) });
const [address = "0x"] = await wallet.requestAddresses();

const message = "Hello from Keyhearth";
const signature = await wallet.signMessage({ account: address, message });
console.log("Message is signed:", await verifyMessage({ address, message, signature }));

try {
  await provider.request({ method: "eth_sign", params: [address, "0x00"] });
} catch (error) {
  if (!(error instanceof Eip1193Error)) throw error;
  console.log(`Refused with ${error.code}: ${error.message}`);
}
