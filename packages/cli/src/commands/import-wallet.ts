import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { signerKeyOf } from "../connection/secrets.ts";
import { beginImport, encryptImport, finishImport, type Kind } from "../imports.ts";
import type { Report } from "../output.ts";
import { factsReport } from "../tables.ts";

/** Imports a wallet by its words, in one step. */
export async function importWallet(given: Given, surroundings: Surroundings): Promise<Report> {
  return importAtOnce("wallet", given, surroundings);
}

/** All three steps. The secret leaves this machine only encrypted to the signer. */
export async function importAtOnce(
  kind: Kind,
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const connected = await connect(given, surroundings);
  const { client } = connected;
  const pinned = given.option("signer-public-key");
  const signerPublicKey = await signerKeyOf(connected, pinned, surroundings);
  const begun = await beginImport(connected, { kind, signerPublicKey });
  const encrypted = await encryptImport(begun, given, surroundings);
  return importedReport(kind, await finishImport(client, encrypted, given));
}

export function importedReport(
  kind: Kind,
  { id, addresses }: { id: string; addresses: readonly string[] },
): Report {
  const json = kind === "wallet" ? { walletId: id, addresses } : { privateKeyId: id, addresses };
  return factsReport(json, [
    [kind === "wallet" ? "wallet" : "private key", id],
    ...addresses.map((address) => ["address", address] as const),
  ]);
}
