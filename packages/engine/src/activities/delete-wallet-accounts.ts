import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { limitExceeded, notFound } from "../errors.ts";
import { DeleteWithoutExport, ids, WalletAccountId } from "../fields/schemas.ts";
import { checkDeletion } from "../keys/exported.ts";
import { LIMITS } from "../records/limits.ts";
import { findWalletLine } from "../records/wallet.ts";
import { placeOf } from "../records/wallet-account.ts";
import { MAX_AHEAD_MS } from "../submission/envelope.ts";

/**
 * Deletes accounts: all of them or none. The document does not list accounts, so it remembers the
 * deleted ones: otherwise a host could bring their records again.
 */
export const deleteWalletAccounts = defineActivity({
  name: "delete_wallet_accounts",
  tag: "Wallets",
  summary: "Delete wallet accounts",
  description:
    "Delete accounts of wallets: all of them, or none if one does not exist or was never exported. The wallets stay, and can derive the same addresses again. An organization may have 1,000 deleted accounts in wallets that it keeps.",
  policy: { resource: "WALLET", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS",
  versions: {
    ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS: {
      intentKey: "deleteWalletAccountsIntent",
      resultKey: "deleteWalletAccountsResult",
      intent: z.strictObject({
        walletAccountIds: ids(WalletAccountId, "wallet account", "Ids of the accounts to delete."),
        deleteWithoutExport: DeleteWithoutExport,
      }),
      result: z.strictObject({
        walletAccountIds: z
          .array(WalletAccountId)
          .describe("Ids of the accounts that were deleted."),
      }),
    },
  },
  example: {
    walletAccountIds: ["c173829e-d0ba-4ae4-8fb4-637081920314"],
    deleteWithoutExport: true,
  },
  wants: ({ walletAccountIds }) => [{ type: "accounts-by-id", walletAccountIds }],

  complete: (intent) => ({ deleteWithoutExport: false, ...intent }),

  check({ document, records }, { walletAccountIds, deleteWithoutExport }) {
    const field = "parameters.walletAccountIds";
    const params = { noun: "wallet account", field, deleteWithoutExport };
    const added = new Set<string>();
    checkDeletion(walletAccountIds, params, (walletAccountId, at) => {
      const account = records.account(walletAccountId);
      if (!account) throw notFound(at, "wallet account", walletAccountId);
      const { line, record } = account;
      const place = placeOf(record);
      const isKnown = line.deletedAccounts.some((each) => each.place === place);
      if (!isKnown) added.add(`${record.walletId} ${place}`);
      const isExported = line.exportedAccountIds.includes(walletAccountId);
      return { exported: line.exported || isExported };
    });
    const before = document.wallets.flatMap(({ deletedAccounts }) => deletedAccounts).length;
    const limit = LIMITS.deletedWalletAccounts;
    if (before + added.size <= limit) return;
    throw limitExceeded(
      field,
      `an organization may have ${limit} deleted wallet accounts, and its wallets have ${before}; to delete more, delete a whole wallet`,
    );
  },

  execute(context, { walletAccountIds }) {
    const { nowMs: atMs, records } = context;
    const documentVersion = context.documentVersion + 1;
    const deleted = [...new Set(walletAccountIds)];
    const { wallets } = context.update();
    for (const walletAccountId of deleted) {
      const record = records.account(walletAccountId)?.record;
      const line = record && findWalletLine({ wallets }, record.walletId);
      // Invariant: `check` found all of them.
      if (!line) throw new Error("a deleted account without a wallet");
      const place = placeOf(record);
      const others = line.deletedAccounts.filter((each) => each.place !== place);
      const deletedAccount = {
        walletAccountId,
        place,
        atMs,
        documentVersion,
        // A request that the signer has seen may be stamped that far ahead, and the host may show only one of
        // several that made the account. The signer's clock may have been ahead as well, and was set back.
        requestedAtMs: Math.max(atMs, record.createdAtMs) + MAX_AHEAD_MS,
      };
      line.deletedAccounts = [...others, deletedAccount];
      line.exportedAccountIds = line.exportedAccountIds.filter((id) => id !== walletAccountId);
    }
    return { walletAccountIds: deleted };
  },
});
