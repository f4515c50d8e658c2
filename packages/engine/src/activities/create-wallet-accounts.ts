import * as z from "zod";
import { checkEach, notFound } from "../errors.ts";
import { Addresses, list, WalletAccountParams, WalletId } from "../fields.ts";
import {
  accountName,
  checkAccounts,
  createAccountRecords,
  deriveAddresses,
  pathTaken,
} from "../keys/wallets.ts";
import { defineActivity } from "../submission/define.ts";

/** Derives more accounts of a wallet. The organization's document does not change. */
export const createWalletAccounts = defineActivity({
  name: "create_wallet_accounts",
  tag: "Wallets",
  summary: "Create wallet accounts",
  description: "Derive additional accounts of an existing wallet.",
  policy: { resource: "WALLET", action: "CREATE" },
  keepsDocument: true,
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
    {
      type: "accounts-at",
      walletId,
      places: accounts.map(({ path, addressFormat }) => ({ path, addressFormat })),
    },
  ],

  complete: (intent) => ({ persist: true, ...intent }),

  check({ document, records, newId }, { walletId, accounts, persist }) {
    if (!document.wallets.some((line) => line.walletId === walletId)) {
      throw notFound("parameters.walletId", "wallet", walletId);
    }
    checkAccounts(accounts, "parameters.accounts");
    if (persist === false) return;
    checkEach(accounts, ({ path, addressFormat }, index) => {
      const account = records.accountAt(walletId, path, addressFormat);
      // If this same request created the account, the commit finds and returns its activity.
      const isOwn = account?.walletAccountId === newId(accountName(walletId, path, addressFormat));
      if (account && !isOwn) throw pathTaken(`parameters.accounts[${index}].path`, path);
    });
  },

  execute(context, { walletId, accounts, persist }) {
    const wallet = context.records.wallet(walletId);
    const derive = persist === false ? deriveAddresses : createAccountRecords;
    return { addresses: derive(context, wallet, accounts) };
  },
});
