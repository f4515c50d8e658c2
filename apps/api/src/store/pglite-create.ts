import fs from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { dropTemplates } from "./pglite-templates.ts";

/**
 * A program that creates an embedded database in the directory of its argument. A process of its own
 * returns the memory that this takes, which is more than the database needs afterwards. If it fails, it
 * prints the code of the error, if there is one.
 */
const [, , directory = ""] = process.argv;

// PostgreSQL can loop after a failed write, so the first one ends this.
const write = fs.writeSync;
const strict = (...parameters: Parameters<typeof write>) => {
  try {
    return write(...parameters);
  } catch (error) {
    return fail(error);
  }
};
fs.writeSync = strict as typeof write;

try {
  const database = await PGlite.create({ dataDir: directory });
  await dropTemplates(database);
  await database.close();
} catch (error) {
  fail(error);
}

function fail(error: unknown): never {
  const { code, message } = error as NodeJS.ErrnoException;
  process.stdout.write(code ?? message ?? "");
  process.exit(1);
}
