import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, invalid, notFound } from "../errors.ts";
import { label, WalletId } from "../fields/schemas.ts";
import { checkWalletName } from "../keys/wallets.ts";
import { findWalletLine } from "../records/wallet.ts";

/** Renames a wallet. Accounts and keys are untouched. */
export const updateWallet = defineActivity({
  name: "update_wallet",
  tag: "Wallets",
  summary: "Update wallet",
  description: "Give a wallet another name. Its accounts and keys do not change.",
  policy: { resource: "WALLET", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_WALLET",
  versions: {
    ACTIVITY_TYPE_UPDATE_WALLET: {
      intentKey: "updateWalletIntent",
      resultKey: "updateWalletResult",
      intent: z.strictObject({
        walletId: WalletId,
        walletName: label("New name of the wallet, unique within the organization.").optional(),
      }),
      result: z.strictObject({ walletId: WalletId }),
    },
  },
  example: { walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f", walletName: "cold treasury" },

  check({ document }, { walletId, walletName }) {
    checkAll(
      () => {
        if (findWalletLine(document, walletId)) return;
        throw notFound("parameters.walletId", "wallet", walletId);
      },
      () => {
        if (walletName !== undefined) return;
        const message = `nothing to change: \`parameters\` names wallet \`${walletId}\` and no walletName`;
        throw invalid("parameters.walletName", message);
      },
      () => checkWalletName(document, walletName, walletId),
    );
  },

  execute(context, { walletId, walletName }) {
    const { nowMs } = context;
    const draft = context.update();
    draft.wallets = draft.wallets.map((line) =>
      line.walletId === walletId
        ? { ...line, walletName: walletName ?? line.walletName, updatedAtMs: nowMs }
        : line,
    );
    return { walletId };
  },
});
