import { closeSync, existsSync, ftruncateSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { FOR_OWNER } from "@keyhearth/courier/state-directory";
import { filesInTar } from "./files-in-tar.ts";
import { unbrotli } from "./unbrotli.ts";

/**
 * A bundle has an empty database with all tables, made when the bundle was written. Unpacking it takes a fiftieth of the
 * time in which a database is created and migrated. The sources have none: making one would take as long as it saves.
 */
export const packed = fileURLToPath(new URL("./first-database.tar.br", import.meta.url));

/** Part of PostgreSQL's log, which is packed without the zeros at its end. */
export const LOG_SEGMENT = /^pg_wal\/[0-9A-F]{24}$/;
const LOG_SEGMENT_BYTES = 16 * 1024 * 1024;

export function hasPackedDatabase(): boolean {
  return existsSync(packed);
}

/**
 * Unpacks the database of a file into a directory that exists. One after the other and without a turn for anything else: that
 * takes 30 ms for some 400 small files, and ten times as long if each of them is asked for.
 */
export async function unpackDatabase(file: string, directory: string): Promise<void> {
  for (const { name, content } of filesInTar(await unbrotli(await readFile(file)))) {
    const path = join(directory, name);
    if (content === null) mkdirSync(path, { mode: FOR_OWNER });
    else writeNewFile(path, content, LOG_SEGMENT.test(name) ? LOG_SEGMENT_BYTES : content.length);
  }
}

function writeNewFile(path: string, content: Uint8Array, size: number) {
  const file = openSync(path, "wx", 0o600);
  try {
    writeFileSync(file, content);
    if (size > content.length) ftruncateSync(file, size);
  } finally {
    closeSync(file);
  }
}
