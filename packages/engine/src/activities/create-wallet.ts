import * as z from "zod";
import { alreadyExists, checkAll, checkEach, limitExceeded } from "../errors.ts";
import {
  Addresses,
  label,
  list,
  MnemonicLength,
  WalletAccountParams,
  WalletId,
} from "../fields.ts";
import {
  checkAccountName,
  checkAccounts,
  createWalletRecords,
  MNEMONIC_LENGTH,
  wantNamesakes,
} from "../keys/wallets.ts";
import { LIMITS } from "../limits.ts";
import { defineActivity } from "../submission/define.ts";

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
      () =>
        checkEach(accounts, (account, index) =>
          checkAccountName(records, account, `parameters.accounts[${index}]`),
        ),
      () => {
        if (document.wallets.every((line) => line.walletName !== walletName)) return;
        const message = `a wallet with the name \`${walletName}\` already exists`;
        throw alreadyExists("NAME_TAKEN", "parameters.walletName", message);
      },
      () => {
        if (document.wallets.length < LIMITS.wallets) return;
        const message = `an organization may have ${LIMITS.wallets} wallets`;
        throw limitExceeded("parameters.walletName", message);
      },
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
