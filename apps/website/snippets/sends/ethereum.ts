import {
  ApiKeyStamper,
  createWallet,
  KeyhearthClient,
  listWalletAccounts,
  listWallets,
} from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createViemAccount } from "@keyhearth/sdk/viem";
import { createPublicClient, createWalletClient, formatEther, http, parseEther } from "viem";
import { sepolia } from "viem/chains";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// The same wallet in every run.
const walletName = "Test payments";
const path = "m/44'/60'/0'/0/0";
const { wallets } = await listWallets(client);
const { walletId } =
  wallets.find((wallet) => wallet.walletName === walletName) ??
  (await createWallet(client, {
    walletName,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path,
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  }));
const { accounts } = await listWalletAccounts(client, { walletId });
const signWith = accounts[0]?.address ?? "";

// Your node, or one that you trust. It sees the signed transaction, and never a key.
const transport = http(process.env.RPC_URL ?? "https://ethereum-sepolia-rpc.publicnode.com");
const chain = sepolia;
const node = createPublicClient({ chain, transport });

const account = await createViemAccount({ connection: client, signWith, walletId });
const balance = await node.getBalance({ address: account.address });
console.log(`${account.address} has ${formatEther(balance)} ether`);
if (balance < parseEther("0.01")) {
  console.log("Send it some test ether from a faucet, then run this again");
  process.exit();
}

// viem asks the node for nonce, gas and fees, Keyhearth signs, and viem sends.
const wallet = createWalletClient({ account, chain, transport });
const hash = await wallet.sendTransaction({
  to: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
  value: parseEther("0.001"),
});
const { status } = await node.waitForTransactionReceipt({ hash });
console.log(`Sent 0.001 ether: ${status}`);
