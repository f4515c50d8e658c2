import type { Given, Surroundings } from "../command.ts";
import { deliver, destinationOf, loadEncryptionKey } from "../connection/secrets.ts";
import { InputError } from "../errors.ts";
import { EXPORT_KINDS, type ExportedBundle, openExport, WARNING } from "../exports.ts";
import { labelOf, readText } from "../json.ts";
import type { Report } from "../output.ts";

/** The last step of an export, which needs no network: opens the bundle. */
export async function exportDecrypt(given: Given, surroundings: Surroundings): Promise<Report> {
  const destination = destinationOf(given.option("output"), given.has("print"));
  const key = given.required("key", "the name of the encryption key of the first step");
  const keyFormat =
    given.choice("format", ["hexadecimal", "solana"]) === "solana" ? "SOLANA" : "HEXADECIMAL";
  const bundle = await readBundle(given.word(0));
  const pinned = given.option("signer-public-key");
  const origin = pinned === undefined ? bundle : { ...bundle, signerPublicKey: pinned };
  const { targetPrivateKey } = await loadEncryptionKey(key, surroundings.env);
  const secret = openExport(origin, { targetPrivateKey, keyFormat });
  surroundings.stderr.write(WARNING);
  const shown = await deliver(destination, secret);
  const json = "output" in destination ? { output: destination.output } : { secret };
  return { exitCode: 0, json, text: () => shown };
}

async function readBundle(file: string): Promise<ExportedBundle> {
  let value: Record<string, unknown> = {};
  try {
    value = Object(JSON.parse(await readText(file)));
  } catch (cause) {
    if (cause instanceof InputError) throw cause;
  }
  const members = ["organizationId", "signerPublicKey", "exportBundle"] as const;
  const isKind = EXPORT_KINDS.some((kind) => kind === value.kind);
  if (isKind && members.every((name) => typeof value[name] === "string")) {
    // Every member was checked above.
    return value as ExportedBundle;
  }
  throw new InputError(`${labelOf(file)} is not a file of \`keyhearth export begin\``);
}
