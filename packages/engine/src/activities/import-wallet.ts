import { wipe } from "@keyhearth/crypto/encoding/bytes";
import { entropyToSeed, parseMnemonic } from "@keyhearth/crypto/keys/mnemonic";
import { splitMnemonicText } from "@keyhearth/crypto/keys/mnemonic-text";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { alreadyExists, checkAll } from "../errors.ts";
import {
  Addresses,
  EncryptedBundle,
  label,
  list,
  OwnUserId,
  WalletAccountParams,
  WalletId,
} from "../fields/schemas.ts";
import {
  assertOwnImport,
  bundleInvalid,
  closeImport,
  type Import,
  withImported,
} from "../keys/imports.ts";
import { checkAccountNames, checkAccounts, wantNamesakes } from "../keys/new-accounts.ts";
import {
  checkWalletLimit,
  checkWalletName,
  type Mnemonic,
  newWalletLine,
  writeWallet,
} from "../keys/wallets.ts";
import { decodeSecret } from "../vault/secrets.ts";

/** Imports a mnemonic that the user encrypted to the key of `init_import_wallet`. */
export const importWallet = defineActivity({
  name: "import_wallet",
  tag: "Wallets",
  summary: "Import wallet",
  description: "Import a mnemonic that you encrypted to the key of your import bundle.",
  policy: { resource: "WALLET", action: "IMPORT" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_IMPORT_WALLET",
  versions: {
    ACTIVITY_TYPE_IMPORT_WALLET: {
      intentKey: "importWalletIntent",
      resultKey: "importWalletResult",
      intent: z.strictObject({
        userId: OwnUserId,
        walletName: label("Name of the wallet, unique within the organization."),
        encryptedBundle: EncryptedBundle,
        accounts: list(WalletAccountParams, "Accounts to derive."),
      }),
      result: z.strictObject({ walletId: WalletId, addresses: Addresses }),
    },
  },
  example: {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    walletName: "savings",
    encryptedBundle: '{"encappedPublic":"04…","ciphertext":"…"}',
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
  },

  wants: ({ accounts }) => wantNamesakes(accounts),

  check(context, intent) {
    const { walletName, accounts } = intent;
    checkAll(
      () => assertOwnImport(context, intent),
      () => checkWalletName(context.document, walletName),
      () => checkAccounts(accounts, "parameters.accounts"),
      () => checkAccountNames(context.records, accounts),
      () => withSeed(context, intent, () => undefined),
      () => checkWalletLimit(context.document),
    );
  },

  execute(context, intent) {
    const { organizationId } = context;
    const { walletName, accounts } = intent;
    return withSeed(context, intent, ({ mnemonic, seed, seedDigest }) => {
      const walletId = context.newKeyId("wallet");
      const owner = { organizationId, walletId };
      const addresses = writeWallet(context, owner, { mnemonic, seed, accounts });
      const line = newWalletLine(context, walletId, walletName);
      context.update().wallets.push({ ...line, imported: true, seedDigest });
      closeImport(context, "wallet");
      return { walletId, addresses };
    });
  },
});

type Imported = { mnemonic: Mnemonic; seed: SecretBytes; seedDigest: string };

/** Hands the imported mnemonic and its seed to `use`. Refuses one that the organization has. */
function withSeed<T>(context: Context, intent: Import, use: (imported: Imported) => T): T {
  return withImported(context, "wallet", intent, (plaintext) => {
    const mnemonic = read(plaintext);
    const seed = entropyToSeed(mnemonic.entropy, mnemonic);
    try {
      const seedDigest = context.keys.seedDigest(seed);
      const same = context.document.wallets.find((line) => line.seedDigest === seedDigest);
      if (!same) return use({ mnemonic, seed, seedDigest });
      throw alreadyExists(
        "KEY_TAKEN",
        "parameters.encryptedBundle",
        `seed for wallet ${same.walletId} already imported in this organization, or created in it`,
      );
    } finally {
      wipe(mnemonic.entropy);
      wipe(seed);
    }
  });
}

function read(plaintext: SecretBytes): Mnemonic {
  let text: string;
  try {
    text = decodeSecret(plaintext);
  } catch {
    throw bundleInvalid("holds something other than text: encrypt the words of the mnemonic");
  }
  try {
    const { mnemonic, passphrase } = splitMnemonicText(text);
    return { ...parseMnemonic(mnemonic), passphrase };
  } catch (error) {
    // Its messages say where a word is, and never which word.
    throw bundleInvalid(`holds an ${error instanceof Error ? error.message : "invalid mnemonic"}`);
  }
}
