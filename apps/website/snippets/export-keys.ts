import { ApiKeyStamper, getWallet, KeyhearthClient } from "@keyhearth/sdk";
import { readApiKeyFile } from "@keyhearth/sdk/server";
import { createKeyPairSignerFromBytes, getBase58Encoder } from "@solana/kit";
import { Wallet } from "ethers";
import { exportAccount } from "./browser/export-account.ts";
import { exportKey } from "./browser/export-private-key.ts";
import { exportWords } from "./browser/export-wallet.ts";
import { createKeyUser } from "./server/key-user.ts";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const parent = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(apiKey) });
const { client: ada } = await createKeyUser(parent, "Ada");

// In an app, you copied this key from your operator. For a trial, the service's own word is enough.
const { signerPublicKey } = await (await fetch(`${baseUrl}/.well-known/keyhearth.json`)).json();

const { walletId, addresses } = await ada.createWallet({
  walletName: "Main",
  accounts: [
    {
      curve: "CURVE_SECP256K1",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM",
    },
    {
      curve: "CURVE_ED25519",
      pathFormat: "PATH_FORMAT_BIP32",
      path: "m/44'/501'/0'/0'",
      addressFormat: "ADDRESS_FORMAT_SOLANA",
    },
  ],
});
const [ethereum = "", solana = ""] = addresses;

// Nothing here prints a secret. Another library shows that each one opens what it should.
const { mnemonic } = await exportWords(ada, walletId, signerPublicKey);
console.log("Words:", Wallet.fromPhrase(mnemonic).address === ethereum);

const hex = { address: ethereum, keyFormat: "HEXADECIMAL" } as const;
const accountKey = await exportAccount(ada, hex, signerPublicKey);
console.log("Account:", new Wallet(`0x${accountKey}`).address === ethereum);

const base58 = { address: solana, keyFormat: "SOLANA" } as const;
const pair = getBase58Encoder().encode(await exportAccount(ada, base58, signerPublicKey));
const signer = await createKeyPairSignerFromBytes(Uint8Array.from(pair));
console.log("Solana account:", signer.address === solana);

const { privateKeys } = await ada.createPrivateKeys({
  privateKeys: [
    {
      privateKeyName: "Treasury",
      curve: "CURVE_SECP256K1",
      addressFormats: ["ADDRESS_FORMAT_ETHEREUM"],
      privateKeyTags: [],
    },
  ],
});
const { privateKeyId = "", addresses: made = [] } = privateKeys[0] ?? {};
const treasury = { privateKeyId, keyFormat: "HEXADECIMAL" } as const;
const privateKey = await exportKey(ada, treasury, signerPublicKey);
console.log("Private key:", new Wallet(`0x${privateKey}`).address === made[0]?.address);

const { wallet } = await getWallet(ada, { walletId });
console.log("Marked as exported:", wallet.exported);
