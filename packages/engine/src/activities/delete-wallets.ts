import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { notFound } from "../errors.ts";
import { DeleteWithoutExport, ids, WalletId } from "../fields/schemas.ts";
import { checkDeletion } from "../keys/exported.ts";
import { findWalletLine } from "../records/wallet.ts";

/**
 * Deletes wallets with all their accounts: all of them or none. Their records are not bound without
 * a line in the document, so nobody can use them again.
 */
export const deleteWallets = defineActivity({
  name: "delete_wallets",
  tag: "Wallets",
  summary: "Delete wallets",
  description:
    "Delete wallets with their accounts: all of them, or none if one does not exist or was never exported. Nothing brings a deleted wallet back except its mnemonic.",
  policy: { resource: "WALLET", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_WALLETS",
  versions: {
    ACTIVITY_TYPE_DELETE_WALLETS: {
      intentKey: "deleteWalletsIntent",
      resultKey: "deleteWalletsResult",
      intent: z.strictObject({
        walletIds: ids(WalletId, "wallet", "Ids of the wallets to delete."),
        deleteWithoutExport: DeleteWithoutExport,
      }),
      result: z.strictObject({
        walletIds: z.array(WalletId).describe("Ids of the wallets that were deleted."),
      }),
    },
  },
  example: { walletIds: ["7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f"], deleteWithoutExport: true },

  complete: (intent) => ({ deleteWithoutExport: false, ...intent }),

  check({ document }, { walletIds, deleteWithoutExport }) {
    const params = { noun: "wallet", field: "parameters.walletIds", deleteWithoutExport };
    checkDeletion(walletIds, params, (walletId, field) => {
      const line = findWalletLine(document, walletId);
      if (!line) throw notFound(field, "wallet", walletId);
      return line;
    });
  },

  execute(context, { walletIds }) {
    const draft = context.update();
    draft.wallets = draft.wallets.filter(({ walletId }) => !walletIds.includes(walletId));
    return { walletIds: [...new Set(walletIds)] };
  },
});
