import type { KeyhearthClient } from "@keyhearth/sdk";
import { accountParams, findAddressFormat, nextPath } from "../addresses.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { findWallet } from "../found.ts";
import type { Report } from "../output.ts";
import { entriesOf } from "../pages.ts";
import { factsReport } from "../tables.ts";

/** An account of a wallet. Its curve and its path follow from the address format, if they are not given. */
export async function accountsCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const format = findAddressFormat(given.word(1));
  const { client } = await connect(given, surroundings);
  const { walletId } = await findWallet(client, given.word(0));
  const path =
    given.option("path") ?? nextPath(format, await pathsOf(client, walletId, format.format));
  const name = given.option("name");
  const account = {
    ...accountParams(format, { path, curve: curveOf(given) }),
    ...(name !== undefined && { name }),
  };
  const { addresses } = await client.createWalletAccounts({ walletId, accounts: [account] });
  const made = { walletId, ...account, address: addresses[0] ?? "" };
  return factsReport(made, [
    ["address", made.address],
    ["path", path],
    ["curve", account.curve],
  ]);
}

function curveOf(given: Given) {
  if (given.option("curve") === undefined) return undefined;
  const curve = given.choice("curve", ["secp256k1", "p256", "ed25519"]);
  return ({ secp256k1: "CURVE_SECP256K1", p256: "CURVE_P256", ed25519: "CURVE_ED25519" } as const)[
    curve
  ];
}

/** The paths that accounts of this format have. */
async function pathsOf(client: KeyhearthClient, walletId: string, addressFormat: string) {
  const paths: string[] = [];
  const accounts = entriesOf(
    async (paginationOptions) =>
      (await client.listWalletAccounts({ walletId, paginationOptions })).accounts,
    ({ walletAccountId }) => walletAccountId,
  );
  for await (const account of accounts) {
    if (account.addressFormat === addressFormat) paths.push(account.path);
  }
  return paths;
}
