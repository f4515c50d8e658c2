import { createReadStream, existsSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { FOR_OWNER } from "@keyhearth/courier/state-directory";
import { unpackTar } from "modern-tar/fs";

/**
 * A bundle has an empty database with all tables, made when the bundle was written. Unpacking it takes a tenth of the
 * time in which a database is created and migrated. The sources have none: making one would take as long as it saves.
 */
export const packed = fileURLToPath(new URL("./first-database.tar.br", import.meta.url));

export function hasPackedDatabase(): boolean {
  return existsSync(packed);
}

/** The files of the database, in a directory that exists. */
export async function unpackDatabase(directory: string): Promise<void> {
  const modes = { dmode: FOR_OWNER, fmode: 0o600 };
  const unpack = unpackTar(directory, modes);
  await pipeline(createReadStream(packed), createBrotliDecompress(), unpack);
}
