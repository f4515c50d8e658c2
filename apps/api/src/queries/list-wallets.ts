import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderWallet } from "../presentation/render.ts";
import { defineQuery, isLarge } from "../query/define.ts";
import { Wallet } from "../wire/objects.ts";

/** All wallets. An organization has few enough to need no pages. */
export const listWallets = defineQuery({
  name: "list_wallets",
  tag: "Wallets",
  summary: "List wallets",
  description: "List all wallets of an organization.",
  requestName: "GetWalletsRequest",
  responseName: "GetWalletsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({ wallets: z.array(Wallet).describe("The wallets.") }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  isHeavy: ({ stored }) => isLarge(stored),

  async answer({ document }) {
    return { wallets: document.wallets.map(renderWallet) };
  },
});
