import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { type Encrypted, finishImport, readStep } from "../imports.ts";
import type { Report } from "../output.ts";
import { importedReport } from "./import-wallet.ts";

/** The last step of an import: sends what was encrypted. */
export async function importFinish(given: Given, surroundings: Surroundings): Promise<Report> {
  const members = ["organizationId", "userId", "encryptedBundle"] as const;
  const encrypted = await readStep<Encrypted>(given.word(1), members);
  const { client } = await connect(given, surroundings);
  return importedReport(encrypted.kind, await finishImport(client, encrypted, given));
}
