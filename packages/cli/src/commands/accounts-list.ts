import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { findWallet } from "../found.ts";
import type { Report } from "../output.ts";
import { pagesOf } from "../pages.ts";
import { listReport } from "../tables.ts";

/** The accounts of a wallet, or of all wallets. */
export async function accountsList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const name = given.option("wallet");
  const walletId = name === undefined ? undefined : (await findWallet(client, name)).walletId;
  const pages = await pagesOf(
    given,
    async ({ limit, last }) => {
      const { accounts } = await client.listWalletAccounts({
        ...(walletId !== undefined && { walletId }),
        paginationOptions: { limit, ...(last && { after: last }) },
      });
      return accounts;
    },
    ({ walletAccountId }) => walletAccountId,
  );
  return listReport("accounts", pages, {
    shown: [
      ["ADDRESS", ({ address }) => address],
      ["FORMAT", ({ addressFormat }) => addressFormat.replace("ADDRESS_FORMAT_", "").toLowerCase()],
      ["PATH", ({ path }) => path],
      ["WALLET", (account) => account.walletId],
    ],
    none: "there is no account: make one with `keyhearth accounts create WALLET ethereum`",
  });
}
