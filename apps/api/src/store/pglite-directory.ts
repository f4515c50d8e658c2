import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { FOR_OWNER, tightenDirectory } from "@keyhearth/courier/state-directory";
import { StartError } from "../config/start-error.ts";

/**
 * Whether the directory holds an embedded database, which is then for its owner alone; false if it is missing
 * or empty. PGlite would create a new database beside whatever else it finds there, so that is refused.
 */
export function hasEmbeddedDatabase(directory: string): boolean {
  const link = lstatSync(directory, { throwIfNoEntry: false });
  if (!link) return false;
  const target = statSync(directory, { throwIfNoEntry: false });
  if (!target?.isDirectory()) {
    throw new StartError(
      `${directory} is not a directory, or links to one that is missing; restore the database there, or set KEYHEARTH_DATA_DIR to a new directory`,
    );
  }
  if (existsSync(join(directory, "PG_VERSION"))) {
    const problem = tightenDirectory(directory, FOR_OWNER);
    if (problem === null) return true;
    throw new StartError(`the embedded database in ${directory} ${problem}`);
  }
  if (readdirSync(directory).length === 0) return false;
  throw new StartError(
    `the embedded database in ${directory} is damaged: its file PG_VERSION is missing; restore it from a backup, or set KEYHEARTH_DATA_DIR to a new directory`,
  );
}

/**
 * Creates the database in a directory beside the final one, which appears only once it is whole. A
 * start that is killed in between leaves nothing that looks like a database.
 */
export async function createInPlace(
  directory: string,
  create: (directory: string) => Promise<void>,
) {
  const unfinished = `${directory}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  // PGlite would create it with every right that the umask leaves, and so does it with what is inside.
  mkdirSync(unfinished, { mode: FOR_OWNER });
  await create(unfinished);
  renameSync(unfinished, directory);
}

/**
 * The embedded database does not survive a failed write in the wrong place, such as a checkpoint. It
 * gets no statement that writes unless there is room for one and for a segment of its log.
 */
export const RESERVE_BYTES = 32 * 1024 * 1024;

export function hasRoom(directory: string): boolean {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize >= RESERVE_BYTES;
}
