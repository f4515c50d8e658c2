import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FOR_OWNER_AND_SOCKETS, tightenDirectory } from "@keyhearth/courier/state-directory";
import { newerThanThis, release } from "@keyhearth/outbound/release";
import { readStateFile } from "@keyhearth/outbound/state-file";
import { StartError } from "../config/start-error.ts";
import { explainFileErrors, isRecord, makeDirectory, parseJson, replaceJson } from "./files.ts";

/**
 * Creates and marks the directory, and refuses one that belongs to something else. Several processes
 * may use it as long as none keeps its database or its signer there; those take the lock as well.
 * Throws `StartError`.
 */
export function prepareDataDirectory(directory: string) {
  explainFileErrors(directory, () => {
    openDataDirectory(directory);
    writeMarker(directory);
  });
}

/** Creates the directory if it is missing, refuses one that is not ours, and closes ours to other users. */
export function openDataDirectory(directory: string) {
  makeDirectory(directory);
  assertOurs(directory);
  const problem = tightenDirectory(directory, FOR_OWNER_AND_SOCKETS);
  if (problem !== null) throw new StartError(`the data directory ${directory} ${problem}`);
}

const markerName = "keyhearth.json";

/** It grows when a release writes what earlier ones cannot read. */
const markerLayout = 1;

/**
 * Files that may be in a directory before we mark it, such as the state of a signer process, or the keys that somebody
 * has put back from a backup.
 */
const harmless =
  /^(signer|courier|signer-door-key|((next-)?door-key|peers|courier-key|root-key|keyring|new-installation|starts|form)(\.new)?|root-api-key\.json(\..+)?|mailbox-token(\..+)?|feedback-access(\..+)?|marks([.-].+)?|signer\.sock|lost\+found|\.gitkeep|\.gitignore|keyhearth\.(lock\.\d+|json\..+))$/;

/** What only a start makes, after it has marked the directory. */
const ofStart = /^(pglite|demo)$/;

function assertOurs(directory: string) {
  const names = readdirSync(directory);
  if (!names.includes(markerName)) {
    const foreign = names.find((name) => !harmless.test(name) && !ofStart.test(name));
    if (foreign === undefined) {
      if (names.some((name) => ofStart.test(name))) throw markerMissing(directory);
      return;
    }
    throw new StartError(
      `the data directory ${directory} holds files that are not Keyhearth's (such as \`${foreign}\`); set KEYHEARTH_DATA_DIR to an empty directory or to one that Keyhearth created`,
    );
  }
  const marker = parseMarker(readStateFile(join(directory, markerName)).toString("utf8"));
  if (marker === undefined) {
    throw new StartError(
      `the file ${markerName} in the data directory ${directory} was not written by Keyhearth; restore it from a backup or set KEYHEARTH_DATA_DIR to another directory`,
    );
  }
  if (marker.layout > markerLayout) {
    throw new StartError(
      `the data directory ${directory} ${newerThanThis(marker.release)}; start that release again, or set KEYHEARTH_DATA_DIR to another directory; nothing was changed`,
    );
  }
}

function markerMissing(directory: string): StartError {
  return new StartError(
    `the data directory ${directory} has lost its file ${markerName}; restore the file from a backup, or set KEYHEARTH_DATA_DIR to another directory`,
  );
}

function parseMarker(text: string): { layout: number; release: string | null } | undefined {
  const marker = parseJson(text);
  const isOurs =
    isRecord(marker) && marker.product === "keyhearth" && Number.isSafeInteger(marker.layout);
  if (!isOurs) return undefined;
  const { layout, release: name } = marker;
  return { layout: Number(layout), release: typeof name === "string" ? name : null };
}

export function writeMarker(directory: string) {
  if (readdirSync(directory).includes(markerName)) return;
  replaceJson(join(directory, markerName), { product: "keyhearth", layout: markerLayout, release });
}
