import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { KeyhearthEthersSigner } from "@keyhearth/sdk/ethers";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { parseUnits, verifyMessage, verifyTypedData } from "ethers";

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

const signer = new KeyhearthEthersSigner({ connection: client, signWith });
const address = await signer.getAddress();

const message = "Hello from Keyhearth";
const signature = await signer.signMessage(message);
console.log("Message is signed:", verifyMessage(message, signature) === address);

const domain = { name: "Orders", chainId: 1 };
const types = { Order: [{ name: "amount", type: "uint256" }] };
const order = { amount: 5 };
const signedOrder = await signer.signTypedData(domain, types, order);
console.log(
  "Typed data is signed:",
  verifyTypedData(domain, types, order, signedOrder) === address,
);

const signed = await signer.signTransaction({
  type: 2,
  chainId: 1,
  nonce: 0,
  to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  value: 1,
  gasLimit: 21_000,
  maxFeePerGas: parseUnits("20", "gwei"),
  maxPriorityFeePerGas: parseUnits("1", "gwei"),
});
console.log("Ready to broadcast:", signed);
