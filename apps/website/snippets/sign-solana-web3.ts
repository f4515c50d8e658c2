import { ApiKeyStamper, Connection, createWallet } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createSolanaWeb3Signer } from "@keyhearth/sdk/solana";
import { Keypair, PublicKey, SystemProgram, Transaction } from "@solana/web3.js";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const connection = new Connection({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { addresses } = await createWallet(connection, {
  walletName: `web3.js ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/501'/0'/0'",
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    },
  ],
});
const [address = ""] = addresses;
const signer = await createSolanaWeb3Signer(connection, { PublicKey, address });

// Somebody else pays the fee, so the transaction needs two signatures.
const sponsor = Keypair.generate();
const transaction = new Transaction({
  feePayer: sponsor.publicKey,
  // You get a recent one from the network: `await rpc.getLatestBlockhash()`.
  blockhash: PublicKey.default.toBase58(),
  lastValidBlockHeight: 1_000,
}).add(
  SystemProgram.transfer({
    fromPubkey: signer.publicKey,
    toPubkey: sponsor.publicKey,
    lamports: 5_000,
  }),
);
transaction.partialSign(sponsor);
await signer.signTransaction(transaction);
console.log(`All signatures are there and valid: ${transaction.verifySignatures()}`);
