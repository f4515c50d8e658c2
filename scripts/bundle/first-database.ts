import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { packTar, unpackTar } from "modern-tar";
import { compress } from "./compress.ts";

/** A cluster has three databases of nine megabytes, of which two are the same. */
const WIDEST_WINDOW = 24;

/** What the database is made from. */
const inputs = [
  "apps/api/src/store/migrations/*.sql",
  "apps/api/src/store/migrate.ts",
  "node_modules/@electric-sql/pglite/package.json",
  "scripts/bundle/{compress,create-database,first-database}.ts",
];

/**
 * Packs an embedded database that is empty and has all tables, and returns the path of the file. The same sources give
 * the same bytes, so it is made once and kept.
 */
export async function packFirstDatabase(root: string): Promise<string> {
  return packOnce(root, "first-database", () => createFirstDatabase(root));
}

/** PostgreSQL makes new databases of them, each as large as one without tables. */
const TEMPLATES = /^base\/(1|4)\//;

/** The same for a database in memory, which nobody opens twice: a third less to read at each start. */
export async function packMemoryDatabase(root: string): Promise<string> {
  return packOnce(root, "memory-database", async () => {
    const packed = await readFile(await packFirstDatabase(root));
    const entries = await unpackTar(new Uint8Array(await promisify(brotliDecompress)(packed)));
    return packTar(
      entries
        .filter(({ header }) => !TEMPLATES.test(header.name))
        .map(({ header, data }) => ({ header, ...(data && { body: data }) })),
    );
  });
}

async function packOnce(
  root: string,
  name: string,
  make: () => Promise<Uint8Array>,
): Promise<string> {
  const cache = join(root, "node_modules/.cache/keyhearth");
  const file = join(cache, `${name}-${digestOf(root).slice(0, 16)}.tar.br`);
  if (existsSync(file)) return file;
  const packed = await compress(await make(), { windowBits: WIDEST_WINDOW });
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
        const body = entry.isDirectory() ? null : new Uint8Array(readFileSync(path));
        return { name: path.slice(directory.length + 1), body };
      })
      .filter(({ name }) => name !== "postmaster.pid");
  } finally {
    rmSync(directory, { recursive: true });
  }
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
