import { createTargetKey } from "@keyhearth/sdk/crypto";
import type { Given, Surroundings } from "./command.ts";
import { connect } from "./connection/connect.ts";
import { deliver, destinationOf, signerKeyOf } from "./connection/secrets.ts";
import { askForExport, type ExportKind, openExport, WARNING } from "./exports.ts";
import type { Report } from "./output.ts";

/** Exports a secret with a key that exists only meanwhile. */
export async function exportAtOnce(
  kind: ExportKind,
  given: Given,
  surroundings: Surroundings,
): Promise<Report> {
  const destination = destinationOf(given.option("output"), given.has("print"));
  const keyFormat =
    given.choice("format", ["hexadecimal", "solana"]) === "solana" ? "SOLANA" : "HEXADECIMAL";
  const connected = await connect(given, surroundings);
  const { client, organizationId } = connected;
  const pinned = given.option("signer-public-key");
  const signerPublicKey = await signerKeyOf(connected, pinned, surroundings);
  const { targetPublicKey, targetPrivateKey } = createTargetKey();
  const name = given.word(0);
  const exportBundle = await askForExport(
    client,
    kind,
    { name, targetPublicKey },
    surroundings.stderr,
  );
  const bundle = { kind, organizationId, signerPublicKey, exportBundle };
  surroundings.stderr.write(WARNING);
  const secret = openExport(bundle, { targetPrivateKey, keyFormat });
  const shown = await deliver(destination, secret);
  const json = "output" in destination ? { output: destination.output } : { secret };
  return { exitCode: 0, json, text: () => shown };
}
