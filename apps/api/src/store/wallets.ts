import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { findWalletLine, wallet } from "@keyhearth/engine/records/wallet";
import { defineTable } from "./table.ts";

export const wallets = defineTable({
  kind: wallet,
  name: "wallets",
  id: "wallet_id",
  columns: {},
  removed: (current, next) => [{ column: "wallet_id", ids: deletedWallets(current, next) }],
  finds: { wallet: { id: ({ walletId }) => walletId } },
});

/** Ids of the wallets that the next document no longer lists. */
export function deletedWallets(
  { wallets: lines }: OrganizationDocument,
  next: OrganizationDocument,
): string[] {
  return lines.flatMap(({ walletId }) => (findWalletLine(next, walletId) ? [] : [walletId]));
}
