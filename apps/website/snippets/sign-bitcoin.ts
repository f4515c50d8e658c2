import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { Psbt, Transaction } from "bitcoinjs-lib";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { addresses } = await client.createWallet({
  walletName: `Coins ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/84'/0'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH",
    },
  ],
});
const [address = ""] = addresses;

// A transaction that pays to the address. You get a real one from the network.
const earlier = new Transaction();
earlier.addInput(new Uint8Array(32), 0);
const sample = new Psbt().addOutput({ address, value: 50_000n });
earlier.addOutput(sample.txOutputs[0]?.script ?? new Uint8Array(), 50_000n);

// The earlier transaction proves the amount, so policies can read the fee.
const psbt = new Psbt();
psbt.addInput({ hash: earlier.getId(), index: 0, nonWitnessUtxo: earlier.toBuffer() });
psbt.addOutput({ address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", value: 49_000n });

const { signedTransaction } = await client.signTransaction({
  signWith: address,
  unsignedTransaction: psbt.toHex(),
  type: "TRANSACTION_TYPE_BITCOIN",
});

const signed = Psbt.fromHex(signedTransaction).finalizeAllInputs();
console.log(`Ready to broadcast: ${signed.extractTransaction().toHex()}`);
