import { notFound } from "@keyhearth/engine/errors";
import { OrganizationId, WalletId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderWalletAccount } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { parsePagination, unknownCursor } from "../query/pagination.ts";
import type { Db } from "../store/connect.ts";
import {
  findAccountPlace,
  type ListPlace,
  listWalletAccounts as listAccounts,
} from "../store/wallet-accounts.ts";
import { Pagination, WalletAccount } from "../wire/objects.ts";

/** Accounts of one wallet or of all wallets, oldest first. */
export const listWalletAccounts = defineQuery({
  name: "list_wallet_accounts",
  tag: "Wallets",
  summary: "List wallet accounts",
  description:
    "List the accounts of a wallet, or of all wallets without `walletId`, oldest first. To get the next page, give the id of the page's last account as `after`. A page that is not full is the last one.",
  requestName: "GetWalletAccountsRequest",
  responseName: "GetWalletAccountsResponse",
  request: z.object({
    organizationId: OrganizationId,
    walletId: WalletId.optional(),
    paginationOptions: Pagination.optional(),
    includeWalletDetails: z
      .boolean()
      .describe("Whether to include each account's wallet as `walletDetails`.")
      .optional(),
  }),
  response: z.object({
    accounts: z.array(WalletAccount).describe("The accounts, oldest first."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    walletId: "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f",
    paginationOptions: { limit: "100" },
  },

  mayAskStandby: true,
  async answer(
    { db, organizationId, document },
    { walletId, paginationOptions, includeWalletDetails = false },
  ) {
    const wallets = document.wallets.filter((line) => !walletId || line.walletId === walletId);
    if (walletId && wallets.length === 0) throw notFound("walletId", "wallet", walletId);
    const lines = new Map(wallets.map((line) => [line.walletId, line]));
    const { limit, before, after } = parsePagination(paginationOptions);
    const accounts = await listAccounts(db, organizationId, {
      walletIds: [...lines.keys()],
      limit,
      before: await findPlace(db, organizationId, "before", before),
      after: await findPlace(db, organizationId, "after", after),
    });
    return {
      accounts: accounts.map((account) => {
        const wallet = includeWalletDetails ? lines.get(account.walletId) : undefined;
        return renderWalletAccount(account, { organizationId, wallet });
      }),
    };
  },
});

async function findPlace(
  db: Db,
  organizationId: string,
  name: "before" | "after",
  walletAccountId: string | undefined,
): Promise<ListPlace | undefined> {
  if (walletAccountId === undefined) return undefined;
  const place = await findAccountPlace(db, organizationId, walletAccountId);
  if (place) return place;
  throw unknownCursor(name, "account", walletAccountId);
}
