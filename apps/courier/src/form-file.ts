import { existsSync, renameSync, writeFileSync } from "node:fs";
import { formText, newerThanThis, readForm } from "@keyhearth/outbound/release";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { CourierKeyError } from "./key-file.ts";

/**
 * The form of a courier's own state directory. It grows when a release writes what earlier ones cannot read. A state
 * without the file is in the first form.
 */
const FORM = 1;

/** Throws if a newer release has changed the form. */
export function assertKnownForm(directory: string, path: string) {
  const found = existsSync(path) ? readForm(readStateFile(path).toString("utf8")) : null;
  if (found === null || found.form <= FORM) return;
  throw new CourierKeyError(
    `the courier's state in ${directory} ${newerThanThis(found.release)}; start that release again, or restore the courier's key from before the upgrade into another directory; nothing was changed`,
  );
}

/** Says that the state is in the form of this release from now on. */
export function keepForm(path: string) {
  if (existsSync(path) && readForm(readStateFile(path).toString("utf8"))?.form === FORM) return;
  writeFileSync(`${path}.new`, formText(FORM), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}
