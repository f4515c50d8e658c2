import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { checkYes, findWallet } from "../found.ts";
import { plain, type Report } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Deletes a wallet. Anyone who has not exported it loses what its accounts hold. */
export async function walletsDelete(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { walletId, walletName, exported } = await findWallet(client, given.word(0));
  checkYes(given.has("yes"), "wallet", given.word(0), walletId);
  const loss = exported ? "" : " It was never exported, so nobody can restore it.";
  await confirmed(
    surroundings,
    `Delete the wallet ${plain(walletName)} (${plain(walletId)}) with all its accounts?${loss}`,
    given.has("yes"),
  );
  const deleteWithoutExport = given.has("without-export");
  const { walletIds } = await client.deleteWallets({ walletIds: [walletId], deleteWithoutExport });
  return { exitCode: 0, json: { walletIds }, text: () => `deleted the wallet ${plain(walletId)}` };
}
