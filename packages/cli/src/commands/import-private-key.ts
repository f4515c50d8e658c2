import type { Given, Surroundings } from "../command.ts";
import type { Report } from "../output.ts";
import { importAtOnce } from "./import-wallet.ts";

/** Imports a private key, in one step. */
export async function importPrivateKey(given: Given, surroundings: Surroundings): Promise<Report> {
  return importAtOnce("private-key", given, surroundings);
}
