import { notFound } from "@keyhearth/engine/errors";
import { OrganizationId, WalletId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderWallet } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { Wallet } from "../wire/objects.ts";

/** A wallet, without its accounts. */
export const getWallet = defineQuery({
  name: "get_wallet",
  tag: "Wallets",
  summary: "Get wallet",
  description: "Get a wallet by its id.",
  requestName: "GetWalletRequest",
  responseName: "GetWalletResponse",
  request: z.object({ organizationId: OrganizationId, walletId: WalletId }),
  response: z.object({ wallet: Wallet }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
  },

  async answer({ document }, { walletId }) {
    const line = document.wallets.find((wallet) => wallet.walletId === walletId);
    if (!line) throw notFound("walletId", "wallet", walletId);
    return { wallet: renderWallet(line) };
  },
});
