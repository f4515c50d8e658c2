import { accountParams, findAddressFormat, nextPath } from "../addresses.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

const LENGTHS = [12, 15, 18, 21, 24] as const;

/** A wallet with its first accounts. Curve and path of each follow from its address format. */
export async function walletsCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const words = given.count("words", { least: 12, most: 24 }) ?? 12;
  const mnemonicLength = LENGTHS.find((length) => length === words);
  if (mnemonicLength === undefined) {
    throw new InputError(`--words must be ${LENGTHS.join(", ")}, but is \`${words}\``);
  }
  const accounts = newAccounts(given.list("account"));
  const { client } = await connect(given, surroundings);
  const { walletId, addresses } = await client.createWallet({
    walletName: given.word(0),
    accounts,
    mnemonicLength,
  });
  const made = accounts.map((account, i) => ({ ...account, address: addresses[i] ?? "" }));
  return factsReport({ walletId, accounts: made }, [
    ["wallet", walletId],
    ...made.map(({ address, path }) => ["account", `${address}  ${path}`] as const),
  ]);
}

/** The accounts of a new wallet: a format given twice has two paths. */
export function newAccounts(given: readonly string[]) {
  const taken: string[] = [];
  return given.map((name) => {
    const format = findAddressFormat(name);
    const path = nextPath(format, taken);
    taken.push(path);
    return accountParams(format, { path });
  });
}
