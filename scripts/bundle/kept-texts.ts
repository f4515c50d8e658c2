import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deserialize, serialize } from "node:v8";

const FOLDER = fileURLToPath(new URL("../../node_modules/.cache/keyhearth/", import.meta.url));

export type KeptTexts = {
  /** What this text gave before, or what `make` gives now. */
  of(text: Uint8Array, make: () => Promise<Uint8Array>): Promise<Uint8Array>;
  /** Keeps what was asked for since it was opened, and nothing else. */
  save(): Promise<void>;
};

/**
 * What compressing the many small texts of a folder gave, in one file. Its name says how they were compressed, and each is
 * found by its digest, so that only the texts that changed are compressed again.
 */
export async function openKeptTexts(name: string, folder = FOLDER): Promise<KeptTexts> {
  const path = join(folder, name);
  const before = await read(path);
  const used = new Map<string, Uint8Array>();
  return {
    async of(text, make) {
      const digest = createHash("sha256").update(text).digest("base64");
      const made = before.get(digest) ?? (await make());
      used.set(digest, made);
      return made;
    },
    async save() {
      if (used.size === before.size && [...used.keys()].every((digest) => before.has(digest)))
        return;
      await mkdir(folder, { recursive: true });
      // Another process may do the same, and either of the two files may be the one that stays.
      const unfinished = `${path}.${randomUUID()}`;
      try {
        await writeFile(unfinished, serialize(used));
        await rename(unfinished, path);
      } finally {
        await rm(unfinished, { force: true });
      }
    },
  };
}

/** Nothing, if there is no file or another version of Node.js has written it. */
async function read(path: string): Promise<Map<string, Uint8Array>> {
  try {
    const kept: unknown = deserialize(await readFile(path));
    return kept instanceof Map ? kept : new Map();
  } catch {
    return new Map();
  }
}
