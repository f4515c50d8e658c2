import type { Given, Surroundings } from "../command.ts";
import { checkImporter, importerOf } from "../connection/importer.ts";
import { type Begun, encryptImport, readStep } from "../imports.ts";
import { jsonText, type Report } from "../output.ts";

/** The second step of an import, which needs no network: encrypts the secret to the signer. */
export async function importEncrypt(given: Given, surroundings: Surroundings): Promise<Report> {
  const members = ["organizationId", "userId", "signerPublicKey", "importBundle"] as const;
  const file = await readStep<Begun>(given.word(0), members);
  const importer = await importerOf(given, surroundings);
  checkImporter(file, importer);
  const begun = { ...file, ...importer };
  const encrypted = await encryptImport(begun, given, surroundings);
  return { exitCode: 0, json: encrypted, text: () => jsonText(encrypted) };
}
