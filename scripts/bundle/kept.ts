import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/keyhearth/kept/", import.meta.url));

/** A release compresses half as many. */
const MOST = 24;

/**
 * The path of a file that compressing gave. Its name has the digest of what went in and says how it was compressed, so
 * the file is made once. The ones that were used least lately go.
 */
export async function keep(
  name: string,
  make: (path: string) => Promise<unknown>,
  folder = FOLDER,
): Promise<string> {
  const path = join(folder, name);
  if (existsSync(path)) {
    const now = new Date();
    await utimes(path, now, now);
    return path;
  }
  await mkdir(folder, { recursive: true });
  // It may be under way elsewhere, and either of the two may be the one that stays.
  const unfinished = `${path}.${randomUUID()}`;
  try {
    await make(unfinished);
    await rename(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  await dropOldest(folder);
  return path;
}

async function dropOldest(folder: string) {
  const files = (await readdir(folder)).map(async (name) => {
    const path = join(folder, name);
    // Another process may drop it too.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
    return { path, mtimeMs };
  });
  const sorted = (await Promise.all(files)).toSorted((a, b) => b.mtimeMs - a.mtimeMs);
  for (const { path } of sorted.slice(MOST)) await rm(path, { force: true });
}
