import { wallet } from "@keyhearth/engine/records/wallet";
import { defineTable } from "./table.ts";

export const wallets = defineTable({
  kind: wallet,
  name: "wallets",
  id: "wallet_id",
  columns: {},
  finds: { wallet: { id: ({ walletId }) => walletId } },
});
