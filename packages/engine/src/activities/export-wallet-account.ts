import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import { parsePath } from "@keyhearth/crypto/keys/derive";
import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ApiError, shorten } from "../errors.ts";
import { boundedText } from "../fields/bounded-text.ts";
import { ExportBundle, TargetPublicKey } from "../fields/schemas.ts";
import { walletRoots } from "../keys/policy-roots.ts";
import { findWalletLine } from "../records/wallet.ts";

/** How many exported accounts a wallet remembers: the newest ones. */
const MAX_REMEMBERED = 100;

const address = boundedText(256)
  .describe("Address of the wallet account.")
  .meta({ examples: ["0x9858EfFD232B4033E47d90003D41EC34EcaEda94"] });

/** Encrypts the private key of a wallet account to a key of the client. The wallet stays as it is. */
export const exportWalletAccount = defineActivity({
  name: "export_wallet_account",
  tag: "Wallets",
  summary: "Export wallet account",
  description: "Export the private key of a wallet account, encrypted to your key.",
  policy: { resource: "WALLET", action: "EXPORT" },
  answer: { secret: "always" },
  defaultType: "ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT",
  versions: {
    ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT: {
      intentKey: "exportWalletAccountIntent",
      resultKey: "exportWalletAccountResult",
      intent: z.strictObject({ address, targetPublicKey: TargetPublicKey }),
      result: z.strictObject({ address, exportBundle: ExportBundle }),
    },
  },
  example: {
    address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
    targetPublicKey:
      "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5",
  },
  wants: ({ address }) => [{ type: "signing-key", signWith: address }],

  read({ records }, { address }) {
    const account = records.accountOfAddress(address);
    if (!account) throw accountNotFound(address);
    return account;
  },

  roots({ line, record }) {
    const { indexes } = parsePath(record.path);
    const path_indexes = indexes.map(({ index }) => index);
    // As the key is derived: the host could choose between two records with other spellings.
    const isHardened = record.curve === "CURVE_ED25519";
    const path_hardened = indexes.map(({ hardened }) => hardened || isHardened);
    return {
      ...walletRoots(line),
      wallet_account: { address: record.address, path_indexes, path_hardened },
    };
  },

  execute(context, { targetPublicKey }, account) {
    const { walletId, walletAccountId, address } = account.record;
    const { bytes } = context.keys.privateKey({ kind: "wallet-account", ...account });
    const line = findWalletLine(context.update(), walletId);
    if (!line) throw accountNotFound(address);
    // The rest of the wallet was not exported, so its own flag stays.
    const others = line.exportedAccountIds.filter((id) => id !== walletAccountId);
    line.exportedAccountIds = [...others, walletAccountId].slice(-MAX_REMEMBERED);
    line.updatedAtMs = context.nowMs;
    return { address, exportBundle: context.bundles.export(bytes, decodeHex(targetPublicKey)) };
  },
});

/** Clients look for this text. */
function accountNotFound(address: string): ApiError {
  const message = `wallet account not found: Could not find wallet account with address: \`${shorten(address, 120)}\``;
  return new ApiError("NOT_FOUND", "NOT_FOUND", message, { field: "parameters.address" });
}
