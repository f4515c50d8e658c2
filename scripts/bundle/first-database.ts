import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { packTar } from "modern-tar";
import { LOG_SEGMENT } from "../../apps/api/src/store/packed-database.ts";
import { compress } from "./compress.ts";

/** Tables that are alike are megabytes apart. */
const WIDEST_WINDOW = 24;

const LOG_PAGE_BYTES = 8192;

/** What the database is made from. */
const inputs = [
  "apps/api/src/store/migrations/*.sql",
  "apps/api/src/store/{migrate,packed-database,pglite-templates}.ts",
  "node_modules/@electric-sql/pglite/package.json",
  "scripts/bundle/{compress,create-database,first-database}.ts",
];

/**
 * Packs an embedded database that is empty and has all tables, and returns the path of the file. The same sources give
 * the same bytes, so it is made once and kept.
 */
export async function packFirstDatabase(root: string): Promise<string> {
  const cache = join(root, "node_modules/.cache/keyhearth");
  const file = join(cache, `first-database-${digestOf(root).slice(0, 16)}.tar.br`);
  if (existsSync(file)) return file;
  const packed = await compress(await createFirstDatabase(root), { windowBits: WIDEST_WINDOW });
  await mkdir(cache, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await writeFile(unfinished, packed);
  renameSync(unfinished, file);
  return file;
}

/** The archive, before it is compressed. */
export async function createFirstDatabase(root: string): Promise<Uint8Array> {
  return packTar(entriesOf(await createDatabase(root)));
}

function digestOf(root: string): string {
  const digest = createHash("sha256");
  for (const path of globSync(inputs, { cwd: root }).toSorted()) {
    digest.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return digest.digest("hex");
}

type Entry = Parameters<typeof packTar>[0][number];
type Found = { name: string; body: Uint8Array<ArrayBuffer> | null };

/** In a process of its own, whose clock stands still. */
async function createDatabase(root: string): Promise<Found[]> {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-first-database-"));
  try {
    const create = join(root, "scripts/bundle/create-database.ts");
    await promisify(execFile)(process.execPath, ["--liftoff-only", create, directory]);
    return globSync("**/*", { cwd: directory, withFileTypes: true })
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const name = path.slice(directory.length + 1);
        return { name, body: entry.isDirectory() ? null : contentOf(name, readFileSync(path)) };
      })
      .filter(({ name }) => name !== "postmaster.pid");
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Sixteen megabytes of zeros would take longer to unpack than everything else. */
function contentOf(name: string, bytes: Buffer): Uint8Array<ArrayBuffer> {
  const last = LOG_SEGMENT.test(name) ? bytes.findLastIndex((byte) => byte !== 0) : -1;
  const size = last < 0 ? bytes.length : Math.ceil((last + 1) / LOG_PAGE_BYTES) * LOG_PAGE_BYTES;
  return new Uint8Array(bytes.subarray(0, size));
}

function entriesOf(found: Found[]): Entry[] {
  const sorted = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map(({ name, body }) => {
    const shared = { mtime: new Date(0), uid: 0, gid: 0 };
    return body === null
      ? { header: { ...shared, name: `${name}/`, type: "directory", size: 0, mode: 0o700 } }
      : { header: { ...shared, name, type: "file", size: body.length, mode: 0o600 }, body };
  });
}
