import { setTimeout } from "node:timers/promises";
import {
  ApiKeyStamper,
  createWallet,
  KeyhearthClient,
  listWalletAccounts,
  listWallets,
} from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createSolanaSigner } from "@keyhearth/sdk/solana";
import {
  AccountRole,
  address,
  appendTransactionMessageInstruction,
  createSolanaRpc,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getStructEncoder,
  getU32Encoder,
  getU64Encoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

// The same wallet in every run.
const walletName = "Test payments on Solana";
const path = "m/44'/501'/0'/0'";
const { wallets } = await listWallets(client);
const { walletId } =
  wallets.find((wallet) => wallet.walletName === walletName) ??
  (await createWallet(client, {
    walletName,
    accounts: [
      {
        curve: "CURVE_ED25519",
        pathFormat: "PATH_FORMAT_BIP32",
        path,
        addressFormat: "ADDRESS_FORMAT_SOLANA",
      },
    ],
  }));
const { accounts } = await listWalletAccounts(client, { walletId });
const signer = await createSolanaSigner(client, { walletId, path });
if (accounts[0]?.address !== signer.address) throw new Error("another account has this path");

// Your node, or one that you trust.
const rpc = createSolanaRpc(process.env.RPC_URL ?? "https://api.devnet.solana.com");
const { value: balance } = await rpc.getBalance(signer.address).send();
console.log(`${signer.address} has ${Number(balance) / 1e9} SOL`);
if (balance < 10_000_000n) {
  console.log("Send it some test SOL from a faucet, then run this again");
  process.exit();
}

// A payment of the system program: its instruction 2, and the lamports.
const recipient = address("vines1vzrYbzLMRdu58ou5XTby4qAqVRLmqo36NKPTg");
const data = getStructEncoder([
  ["instruction", getU32Encoder()],
  ["lamports", getU64Encoder()],
]).encode({ instruction: 2, lamports: 1_000_000n });
const payment = {
  programAddress: address("11111111111111111111111111111111"),
  accounts: [
    { address: signer.address, role: AccountRole.WRITABLE_SIGNER },
    { address: recipient, role: AccountRole.WRITABLE },
  ],
  data,
};

const { value: latest } = await rpc.getLatestBlockhash().send();
const message = pipe(
  createTransactionMessage({ version: 0 }),
  (message) => setTransactionMessageFeePayerSigner(signer, message),
  (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
  (message) => appendTransactionMessageInstruction(payment, message),
);
const transaction = getBase64EncodedWireTransaction(
  await signTransactionMessageWithSigners(message),
);
const signature = await rpc.sendTransaction(transaction, { encoding: "base64" }).send();

// A blockhash counts for about a minute, so by then the answer is final.
for (let attempt = 0; attempt < 60; attempt += 1) {
  const { value } = await rpc.getSignatureStatuses([signature]).send();
  if (value[0]) {
    console.log(`Sent 0.001 SOL: ${value[0].err ? "failed" : "success"}`);
    break;
  }
  await setTimeout(1_000);
}
