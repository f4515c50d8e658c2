import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { loadEncryptionKey, signerKeyOf } from "../connection/secrets.ts";
import { askForExport, type ExportedBundle, exportKindOf } from "../exports.ts";
import { jsonText, type Report } from "../output.ts";

/** The first step of an export: a bundle that only the holder of the encryption key can read. */
export async function exportBegin(given: Given, surroundings: Surroundings): Promise<Report> {
  const kind = exportKindOf(given.word(0));
  const key = given.required("key", "the name of a key of `keyhearth generate encryption-key`");
  const { targetPublicKey } = await loadEncryptionKey(key, surroundings.env);
  const connected = await connect(given, surroundings);
  const { client, organizationId } = connected;
  const pinned = given.option("signer-public-key");
  const signerPublicKey = await signerKeyOf(connected, pinned, surroundings);
  const exportBundle = await askForExport(
    client,
    kind,
    { name: given.word(1), targetPublicKey },
    surroundings.stderr,
  );
  const bundle: ExportedBundle = { kind, organizationId, signerPublicKey, exportBundle };
  return { exitCode: 0, json: bundle, text: () => jsonText(bundle) };
}
