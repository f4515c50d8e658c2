import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import {
  Addresses,
  label,
  list,
  MnemonicLength,
  WalletAccountParams,
  WalletId,
} from "../fields/schemas.ts";
import { checkAccountNames, checkAccounts, wantNamesakes } from "../keys/new-accounts.ts";
import {
  checkWalletLimit,
  checkWalletName,
  createWalletRecords,
  MNEMONIC_LENGTH,
} from "../keys/wallets.ts";

/** Creates a wallet from fresh entropy, which is sealed, and derives its first accounts. */
export const createWallet = defineActivity({
  name: "create_wallet",
  tag: "Wallets",
  summary: "Create wallet",
  description: "Create a wallet and derive its first accounts.",
  policy: { resource: "WALLET", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_WALLET",
  versions: {
    ACTIVITY_TYPE_CREATE_WALLET: {
      intentKey: "createWalletIntent",
      resultKey: "createWalletResult",
      intent: z.strictObject({
        walletName: label("Name of the wallet, unique within the organization."),
        accounts: list(WalletAccountParams, "Accounts to derive."),
        mnemonicLength: MnemonicLength.optional(),
      }),
      result: z.strictObject({
        walletId: WalletId,
        addresses: Addresses,
      }),
    },
  },
  example: {
    walletName: "treasury",
    accounts: [
      {
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: "m/44'/60'/0'/0/0",
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      },
    ],
    mnemonicLength: 12,
  },

  wants: ({ accounts }) => wantNamesakes(accounts),

  complete: (intent) => ({ mnemonicLength: MNEMONIC_LENGTH, ...intent }),

  check({ document, records }, { walletName, accounts }) {
    checkAll(
      () => checkAccounts(accounts, "parameters.accounts"),
      () => checkAccountNames(records, accounts),
      () => checkWalletName(document, walletName),
      () => checkWalletLimit(document),
    );
  },

  execute(context, { walletName, accounts, mnemonicLength }) {
    const { organizationId } = context;
    const walletId = context.newKeyId("wallet");
    const { line, addresses } = createWalletRecords(
      context,
      { organizationId, walletId },
      { walletName, accounts, mnemonicLength },
    );
    context.update().wallets.push(line);
    return { walletId, addresses };
  },
});
