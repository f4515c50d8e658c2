import type { Given, Surroundings } from "../command.ts";
import { exportAtOnce } from "../export-at-once.ts";
import type { Report } from "../output.ts";

/** Exports a account, in one step. */
export async function exportAccount(given: Given, surroundings: Surroundings): Promise<Report> {
  return exportAtOnce("account", given, surroundings);
}
