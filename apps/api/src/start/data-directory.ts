import { randomUUID } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { explainFileErrors, isRecord, parseJson, writeNew } from "./files.ts";
import { StartError } from "./start-error.ts";

/**
 * Makes the directory ours: creates and marks it, and refuses one that belongs to something else.
 * Several processes may use it, as long as none keeps its database or its signer there: that takes
 * the lock as well. Throws `StartError`.
 */
export function prepareDataDirectory(directory: string) {
  explainFileErrors(directory, () => {
    openDataDirectory(directory);
    writeMarker(directory);
  });
}

/** Creates the directory if it is missing; refuses one that is not ours. */
export function openDataDirectory(directory: string) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  assertOurs(directory);
}

const markerName = "keyhearth.json";
const markerLayout = 1;

/** What may lie in a directory that we have not marked yet, such as a signer process's state. */
const harmless =
  /^(signer|root-key|keyring(\.new)?|marks(\..+)?|signer\.sock|lost\+found|\.gitkeep|\.gitignore|keyhearth\.(lock\.\d+|json\..+))$/;

function assertOurs(directory: string) {
  const names = readdirSync(directory);
  if (!names.includes(markerName)) {
    const foreign = names.find((name) => !harmless.test(name));
    if (foreign === undefined) return;
    throw new StartError(
      `the data directory ${directory} holds files that are not Keyhearth's (such as \`${foreign}\`); set KEYHEARTH_DATA_DIR to an empty directory or to one that Keyhearth made`,
    );
  }
  const layout = parseMarker(readFileSync(join(directory, markerName), "utf8"));
  if (layout === undefined) {
    throw new StartError(
      `the file ${markerName} in the data directory ${directory} is not one that Keyhearth wrote; restore it from a backup or set KEYHEARTH_DATA_DIR to another directory`,
    );
  }
  if (layout > markerLayout) {
    throw new StartError(
      `the data directory ${directory} was made by a newer version of Keyhearth; start that version or set KEYHEARTH_DATA_DIR to another directory`,
    );
  }
}

function parseMarker(text: string): number | undefined {
  const marker = parseJson(text);
  const isOurs =
    isRecord(marker) && marker.product === "keyhearth" && Number.isSafeInteger(marker.layout);
  return isOurs ? Number(marker.layout) : undefined;
}

export function writeMarker(directory: string) {
  const path = join(directory, markerName);
  if (readdirSync(directory).includes(markerName)) return;
  const draft = `${path}.${randomUUID()}`;
  writeNew(draft, { product: "keyhearth", layout: markerLayout });
  renameSync(draft, path);
}
