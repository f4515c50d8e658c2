import type { Given, Surroundings } from "../command.ts";
import { exportAtOnce } from "../export-at-once.ts";
import type { Report } from "../output.ts";

/** Exports a wallet, in one step. */
export async function exportWallet(given: Given, surroundings: Surroundings): Promise<Report> {
  return exportAtOnce("wallet", given, surroundings);
}
