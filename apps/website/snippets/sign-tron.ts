import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { utils } from "tronweb";

const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const rootKey = await readApiKeyFile(rootKeyFile);
const client = new KeyhearthClient({
  baseUrl: process.env.KEYHEARTH_URL ?? "http://localhost:3000",
  organizationId: rootKey.organizationId,
  stamper: new ApiKeyStamper(rootKey),
});

const { addresses } = await client.createWallet({
  walletName: `Tron ${Date.now()}`,
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/195'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_TRON",
    },
  ],
});
const [signWith = ""] = addresses;

// 1 TRX. A node or TronWeb’s transaction builder gives you all of this, with a block to refer to.
const transaction = utils.transaction.txJsonToPb({
  visible: false,
  raw_data: {
    ref_block_bytes: "a1b2",
    ref_block_hash: "0102030405060708",
    timestamp: Date.now(),
    expiration: Date.now() + 60_000,
    contract: [
      {
        type: "TransferContract",
        parameter: {
          value: {
            owner_address: utils.address.toHex(signWith),
            to_address: utils.address.toHex("TPL66VK2gCXNCD7EJg9pgJRfqcRazjhUZY"),
            amount: 1_000_000,
          },
        },
      },
    ],
  },
});

const { signedTransaction } = await client.signTransaction({
  signWith,
  unsignedTransaction: utils.transaction.txPbToRawDataHex(transaction),
  type: "TRANSACTION_TYPE_TRON",
});
console.log(`Ready for /wallet/broadcasthex: ${signedTransaction}`);

// The last 65 bytes are the signature, here over the id of the transaction.
const txId = utils.transaction.txPbToTxID(transaction).replace(/^0x/, "");
const signer = utils.crypto.ecRecover(txId, signedTransaction.slice(-130));
console.log(`Signed by ${utils.address.fromHex(signer)}, the account is ${signWith}`);
process.exitCode = utils.address.fromHex(signer) === signWith ? 0 : 1;
