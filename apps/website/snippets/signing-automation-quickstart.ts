import { KeyhearthClient } from "@keyhearth/sdk";
import { NodeApiKeyStamper, readApiKeyFile } from "@keyhearth/sdk/server";
import { parseEther, parseGwei, recoverTransactionAddress, serializeTransaction } from "viem";

const key = await readApiKeyFile(process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json");
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: key.organizationId,
  stamper: new NodeApiKeyStamper(key),
});

// A wallet with one Ethereum account. The names of wallets are unique.
const { addresses } = await client.createWallet({
  walletName: `Payouts ${new Date().toISOString()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
  ],
});
const [address = ""] = addresses;
console.log(`Address: ${address}`);

// 0.01 ETH on Sepolia. Fees and nonce come from a node in a real program.
const unsignedTransaction = serializeTransaction({
  type: "eip1559",
  chainId: 11_155_111,
  nonce: 0,
  to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  value: parseEther("0.01"),
  gas: 21_000n,
  maxFeePerGas: parseGwei("20"),
  maxPriorityFeePerGas: parseGwei("1"),
});
const { signedTransaction } = await client.signTransaction({
  signWith: address,
  type: "TRANSACTION_TYPE_ETHEREUM",
  unsignedTransaction,
});
console.log(`Signed transaction: 0x${signedTransaction}`);

const serializedTransaction = `0x02${signedTransaction.slice(2)}` as const;
console.log(`Signed by: ${await recoverTransactionAddress({ serializedTransaction })}`);
