import { ApiKeyStamper, Connection, createWallet } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createSolanaSigner } from "@keyhearth/sdk/solana";
import {
  blockhash,
  createSignableMessage,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from "@solana/kit";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const connection = new Connection({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const path = "m/44'/501'/0'/0'";
const { walletId } = await createWallet(connection, {
  walletName: `Solana ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path,
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    },
  ],
});

// A signer like any other of kit: fee payer, signer of an instruction, or one of several.
const signer = await createSolanaSigner(connection, { walletId, path });

// You get a recent blockhash from the network: `await rpc.getLatestBlockhash().send()`.
const latest = {
  blockhash: blockhash("11111111111111111111111111111111"),
  lastValidBlockHeight: 1_000n,
};
const transaction = pipe(
  createTransactionMessage({ version: 0 }),
  (message) => setTransactionMessageFeePayerSigner(signer, message),
  (message) => setTransactionMessageLifetimeUsingBlockhash(latest, message),
);
const signed = await signTransactionMessageWithSigners(transaction);
console.log(`Ready to send: ${getBase64EncodedWireTransaction(signed)}`);

const [signatures] = await signer.signMessages([createSignableMessage("Log in to example.com")]);
console.log(`${signer.address} signed the message: ${signatures?.[signer.address]?.length} bytes`);
