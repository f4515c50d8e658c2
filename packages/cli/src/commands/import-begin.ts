import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { signerKeyOf } from "../connection/secrets.ts";
import { InputError } from "../errors.ts";
import { beginImport } from "../imports.ts";
import { jsonText, plain, type Report } from "../output.ts";

/** The first step of an import: a key of the signer for the user of this key. */
export async function importBegin(given: Given, surroundings: Surroundings): Promise<Report> {
  const kind = given.word(0);
  if (kind !== "wallet" && kind !== "private-key") {
    throw new InputError(`import begin takes wallet or private-key, and not ${plain(kind)}`);
  }
  const connected = await connect(given, surroundings);
  const pinned = given.option("signer-public-key");
  const signerPublicKey = await signerKeyOf(connected, pinned, surroundings);
  const begun = await beginImport(connected, { kind, signerPublicKey });
  return { exitCode: 0, json: begun, text: () => jsonText(begun) };
}
