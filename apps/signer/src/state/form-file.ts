import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { formText, newerThanThis, readForm } from "@keyhearth/outbound/release";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { replaceDurably } from "./durable-file.ts";
import { SignerStateError } from "./state-error.ts";
import { hasFile } from "./state-files.ts";

/**
 * The form of the state directory. It grows when a release writes what earlier ones cannot read. A state without the
 * file is in the first form.
 */
const FORM = 1;

/** Throws if a newer release has changed the form. */
export function assertKnownForm(stateDirectory: string, path: string) {
  const found = hasFile(path)
    ? readForm(readStateFile(path).toString("utf8"))
    : { form: FORM, release: "" };
  if (found === null) {
    throw new SignerStateError(
      `the file ${path} does not say in which form the signer's state is; restore it from a backup, or remove it if no newer release has used this state`,
    );
  }
  if (found.form <= FORM) return;
  throw new SignerStateError(
    `the signer's state in ${stateDirectory} ${newerThanThis(found.release)}; start that release again, or restore the state and the database from before the upgrade; nothing was changed`,
  );
}

/** Says that the state is in the form of this release from now on. */
export function keepForm(path: string) {
  if (hasFile(path) && readForm(readStateFile(path).toString("utf8"))?.form === FORM) return;
  replaceDurably(path, encodeUtf8(formText(FORM)));
}
