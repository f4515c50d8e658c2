import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { prepareDataDirectory } from "@keyhearth/api/directory/data-directory";
import { migratedSnapshot } from "@keyhearth/api/store/database.testing";

/**
 * A new data directory whose embedded database is empty and has all tables. To create the database is
 * most of the work of a first start, and only the tests of first starts need to see it done.
 */
export async function newDataDirectory(name: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), `keyhearth-${name}-`));
  prepareDataDirectory(directory);
  const database = join(directory, "pglite");
  mkdirSync(database, { mode: 0o700 });
  // Its names start with a slash, which tar leaves away, with a warning.
  const tar = ["-xf", await migratedSnapshot(), "-C", database, "--exclude=postmaster.pid"];
  execFileSync("tar", tar, { stdio: "pipe" });
  return directory;
}
