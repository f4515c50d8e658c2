import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { within } from "./characters.ts";

/** Letters and signs that our typefaces have; others always come from the device. */
const latin = /[\u00a1-\u024f\u2010-\u2027\u2030-\u205e]/gu;

/** Characters on built pages that no font of these ranges has, although the typefaces do. */
export async function missingCharacters(directory: string, ranges: string[]): Promise<string[]> {
  const shown = new Set<string>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith(".html")) continue;
    const html = await readFile(path.join(entry.parentPath, entry.name), "utf8");
    for (const [character] of html.matchAll(latin)) shown.add(character);
  }
  const sent = new Set(ranges.flatMap((range) => within(shown, range)));
  return [...shown].filter((character) => !sent.has(character));
}
