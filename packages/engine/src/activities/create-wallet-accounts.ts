import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, notFound } from "../errors.ts";
import { Addresses, list, WalletAccountParams, WalletId } from "../fields/schemas.ts";
import { checkAccounts, checkNewAccounts, wantNamesakes } from "../keys/new-accounts.ts";
import { checkVotedLimit, createAccountRecords, deriveAddresses } from "../keys/wallets.ts";
import { findWalletLine } from "../records/wallet.ts";
import { placeOf } from "../records/wallet-account.ts";

/** Derives more accounts of a wallet. The organization's document does not change, unless votes decide. */
export const createWalletAccounts = defineActivity({
  name: "create_wallet_accounts",
  tag: "Wallets",
  summary: "Create wallet accounts",
  description: "Derive additional accounts of an existing wallet.",
  policy: { resource: "WALLET", action: "CREATE" },
  changes: "records",
  givesBeside: ({ walletId, persist }) => (persist === false ? null : { walletId }),
  defaultType: "ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS",
  versions: {
    ACTIVITY_TYPE_CREATE_WALLET_ACCOUNTS: {
      intentKey: "createWalletAccountsIntent",
      resultKey: "createWalletAccountsResult",
      intent: z.strictObject({
        walletId: WalletId,
        accounts: list(WalletAccountParams, "Accounts to derive."),
        persist: z
          .boolean()
          .describe(
            "If false, the addresses are derived and returned, but the accounts are not stored.",
          )
          .optional(),
      }),
      result: z.strictObject({
        addresses: Addresses,
      }),
    },
  },
  example: {
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    accounts: [
      {
        curve: "CURVE_ED25519",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/501'/0'/0'",
        addressFormat: "ADDRESS_FORMAT_SOLANA",
      },
    ],
  },
  wants: ({ walletId, accounts }) => [
    { type: "wallet", walletId },
    { type: "accounts-at", walletId, places: accounts.map(placeOf) },
    ...wantNamesakes(accounts),
  ],

  complete: (intent) => ({ persist: true, ...intent }),

  check(context, { walletId, accounts, persist }) {
    const line = findWalletLine(context.document, walletId);
    checkAll(
      () => {
        if (!line) throw notFound("parameters.walletId", "wallet", walletId);
      },
      () => checkAccounts(accounts, "parameters.accounts"),
      () => {
        if (line && persist !== false) checkNewAccounts(context, line, accounts);
      },
      () => {
        if (persist !== false) checkVotedLimit(context);
      },
    );
  },

  execute(context, { walletId, accounts, persist }) {
    const wallet = context.records.wallet(walletId);
    const derive = persist === false ? deriveAddresses : createAccountRecords;
    return { addresses: derive(context, wallet, accounts) };
  },
});
