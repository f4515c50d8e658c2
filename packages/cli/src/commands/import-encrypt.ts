import type { Given, Surroundings } from "../command.ts";
import { type Begun, encryptImport, readStep } from "../imports.ts";
import type { Report } from "../output.ts";

/** The second step of an import, which needs no network: encrypts the secret to the signer. */
export async function importEncrypt(given: Given, surroundings: Surroundings): Promise<Report> {
  const members = ["organizationId", "userId", "signerPublicKey", "importBundle"] as const;
  const begun = await readStep<Begun>(given.word(0), members);
  const encrypted = await encryptImport(begun, given, surroundings);
  return { exitCode: 0, json: encrypted, text: () => JSON.stringify(encrypted, undefined, 2) };
}
