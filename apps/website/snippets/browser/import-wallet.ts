import { type Connection, importWallet, initImportWallet } from "@keyhearth/sdk";
import { encryptWalletToBundle } from "@keyhearth/sdk/crypto";

/** Imports the words of a wallet, with its first Ethereum account. */
export async function importWords(
  connection: Connection,
  words: { mnemonic: string; passphrase?: string },
  { userId, signerPublicKey }: { userId: string; signerPublicKey: string },
) {
  const { organizationId } = connection;
  // 1. A fresh key of the signer, which it signed for this user.
  const { importBundle } = await initImportWallet(connection, { userId });
  // 2. Checks the signature against the key that you pinned, and encrypts here.
  const origin = { importBundle, organizationId, userId, signerPublicKey };
  const encryptedBundle = encryptWalletToBundle({ ...words, ...origin });
  // 3. Only the signer can open what is sent.
  return importWallet(connection, {
    userId,
    walletName: "Imported",
    encryptedBundle,
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  });
}
