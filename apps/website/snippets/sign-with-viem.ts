import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { parseGwei, verifyMessage, verifyTypedData } from "viem";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { walletId, addresses } = await client.createWallet({
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

const account = await createViemAccount({ connection: client, signWith, walletId });
const { address } = account;

const message = "Hello from Keyhearth";
const signature = await account.signMessage({ message });
console.log("Message is signed:", await verifyMessage({ address, message, signature }));

const order = {
  domain: { name: "Orders", chainId: 1n },
  types: { Order: [{ name: "amount", type: "uint256" }] },
  primaryType: "Order",
  message: { amount: 5n },
} as const;
const signedOrder = await account.signTypedData(order);
console.log(
  "Typed data is signed:",
  await verifyTypedData({ address, signature: signedOrder, ...order }),
);

const signed = await account.signTransaction({
  chainId: 1,
  nonce: 0,
  to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  value: 1n,
  gas: 21_000n,
  maxFeePerGas: parseGwei("20"),
  maxPriorityFeePerGas: parseGwei("1"),
});
console.log("Ready to broadcast:", signed);
