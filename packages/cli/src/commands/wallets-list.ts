import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { cut } from "../pages.ts";
import { listReport, timeOf } from "../tables.ts";

/** The wallets of the organization. */
export async function walletsList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { wallets } = await client.listWallets({});
  return listReport("wallets", cut(given, wallets), {
    shown: [
      ["WALLET", ({ walletId }) => walletId],
      ["NAME", ({ walletName }) => walletName],
      ["CREATED", ({ createdAt }) => timeOf(createdAt)],
      ["EXPORTED", ({ exported }) => (exported ? "yes" : "no")],
      ["IMPORTED", ({ imported }) => (imported ? "yes" : "no")],
    ],
    none: "there is no wallet: make one with `keyhearth wallets create NAME --account ethereum`",
  });
}
