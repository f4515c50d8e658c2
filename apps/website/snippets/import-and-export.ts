import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createTargetKey, decryptWalletBundle, encryptWalletToBundle } from "@keyhearth/sdk/crypto";
import { readApiKeyFile } from "@keyhearth/sdk/server";

const baseUrl = process.env.KEYHEARTH_URL ?? "http://localhost:3000";
const rootKeyFile = process.env.KEYHEARTH_ROOT_KEY ?? "data/root-api-key.json";
const { organizationId, userId, ...apiKey } = await readApiKeyFile(rootKeyFile);
const stamper = new ApiKeyStamper(apiKey);
const client = new KeyhearthClient({ baseUrl, organizationId, stamper });

// Copy this key into your app once. It proves that a bundle is from your signer.
const described = await fetch(`${baseUrl}/.well-known/keyhearth.json`);
const { signerPublicKey } = await described.json();

// Create a wallet and export it. Only our target key decrypts the bundle.
const accounts = [
  {
    curve: "CURVE_SECP256K1" as const,
    pathFormat: "PATH_FORMAT_BIP32" as const,
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
  },
];
const created = await client.createWallet({ walletName: `Wallet ${Date.now()}`, accounts });
const { targetPublicKey, targetPrivateKey } = createTargetKey();
const { walletId } = created;
const { exportBundle } = await client.exportWallet({ walletId, targetPublicKey });
const { mnemonic, passphrase } = decryptWalletBundle({
  exportBundle,
  targetPrivateKey,
  organizationId,
  signerPublicKey,
});
console.log(`Exported a mnemonic of ${mnemonic.split(" ").length} words`);

// An import starts with a key of the signer. The SDK checks it and encrypts to it.
const { importBundle } = await client.initImportWallet({ userId });
const encryptedBundle = encryptWalletToBundle({
  mnemonic,
  passphrase,
  importBundle,
  organizationId,
  userId,
  signerPublicKey,
});
try {
  await client.importWallet({ userId, walletName: "Copy", encryptedBundle, accounts });
} catch (error) {
  // In another organization, the import succeeds. This one already has the seed.
  console.log(error instanceof Error ? error.message : error);
}
