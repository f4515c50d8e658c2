import { decodeHex, wipe } from "@keyhearth/crypto/encoding/bytes";
import {
  entropyToMnemonic,
  type MnemonicLanguage as Language,
  mnemonicLanguages,
} from "@keyhearth/crypto/keys/mnemonic";
import { formatMnemonicText } from "@keyhearth/crypto/keys/mnemonic-text";
import type { SecretBytes } from "@keyhearth/crypto/secret-bytes";
import * as z from "zod";
import type { Context } from "../declare/context.ts";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { ExportBundle, MnemonicLanguage, TargetPublicKey, WalletId } from "../fields/schemas.ts";
import { walletRoots } from "../keys/policy-roots.ts";
import { withSeed } from "../keys/wallets.ts";
import { findWalletLine, type Wallet } from "../records/wallet.ts";
import { decodeSecret, encodeSecret } from "../vault/secrets.ts";

/** Encrypts the mnemonic of a wallet to a key of the client. The wallet stays as it is. */
export const exportWallet = defineActivity({
  name: "export_wallet",
  tag: "Wallets",
  summary: "Export wallet",
  description: "Export the mnemonic of a wallet, encrypted to your key.",
  policy: { resource: "WALLET", action: "EXPORT" },
  answer: { secret: "always" },
  defaultType: "ACTIVITY_TYPE_EXPORT_WALLET",
  versions: {
    ACTIVITY_TYPE_EXPORT_WALLET: {
      intentKey: "exportWalletIntent",
      resultKey: "exportWalletResult",
      intent: z.strictObject({
        walletId: WalletId,
        targetPublicKey: TargetPublicKey,
        language: MnemonicLanguage.optional(),
      }),
      result: z.strictObject({ walletId: WalletId, exportBundle: ExportBundle }),
    },
  },
  example: {
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  },
  wants: ({ walletId }) => [{ type: "wallet", walletId }],

  read({ document, records }, { walletId }) {
    const line = findWalletLine(document, walletId);
    if (!line) throw notFound("parameters.walletId", "wallet", walletId);
    return { line, wallet: records.wallet(walletId) };
  },

  roots: ({ line }) => walletRoots(line),

  execute(context, { walletId, targetPublicKey, language }, { wallet }) {
    const line = findWalletLine(context.update(), walletId);
    if (!line) throw notFound("parameters.walletId", "wallet", walletId);
    line.exported = true;
    // Recognizes the seed if somebody imports the mnemonic again.
    line.seedDigest = withSeed(context, wallet, context.keys.seedDigest);
    line.updatedAtMs = context.nowMs;
    const secret = mnemonicOf(context, wallet, languageOf(language) ?? wallet.language);
    try {
      return { walletId, exportBundle: context.bundles.export(secret, decodeHex(targetPublicKey)) };
    } finally {
      wipe(secret);
    }
  },
});

function languageOf(given: z.output<typeof MnemonicLanguage> | undefined): Language | undefined {
  return mnemonicLanguages.find((name) => given === `MNEMONIC_LANGUAGE_${name}`);
}

/** The text of the mnemonic with its passphrase. The caller wipes it. */
function mnemonicOf(context: Context, wallet: Wallet, language: Language): SecretBytes {
  const { walletId: id, sealedEntropy, sealedPassphrase } = wallet;
  const { organizationId } = context;
  const entropy = context.keys.unseal({ organizationId, id, part: "entropy" }, sealedEntropy);
  const passphrase = sealedPassphrase
    ? context.keys.unseal({ organizationId, id, part: "passphrase" }, sealedPassphrase)
    : encodeSecret("");
  try {
    const mnemonic = entropyToMnemonic(entropy, language);
    return encodeSecret(formatMnemonicText(mnemonic, decodeSecret(passphrase)));
  } finally {
    wipe(entropy);
    wipe(passphrase);
  }
}
