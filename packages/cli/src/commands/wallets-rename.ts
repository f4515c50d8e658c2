import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { findWallet } from "../found.ts";
import { plain, type Report } from "../output.ts";

/** Gives a wallet another name. */
export async function walletsRename(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { walletId } = await findWallet(client, given.word(0));
  const walletName = given.word(1);
  await client.updateWallet({ walletId, walletName });
  return { exitCode: 0, json: { walletId, walletName }, text: () => `renamed ${plain(walletId)}` };
}
