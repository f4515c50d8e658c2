import type { Given, Surroundings } from "../command.ts";
import { exportAtOnce } from "../export-at-once.ts";
import type { Report } from "../output.ts";

/** Exports a private key, in one step. */
export async function exportPrivateKey(given: Given, surroundings: Surroundings): Promise<Report> {
  return exportAtOnce("private-key", given, surroundings);
}
