import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

/** Inserted by the theme, by style sheets and by the typography of any page. */
const always = " ‑–—‘’“”…·×©«»¿¡−→←↑↓";

/** Files that readers see text of. Tests have characters that no page shows. */
const textFile = /(?<!\.test)\.(mdx?|tsx?|jsx?|json|css|rb|go|rs|py|swift|dart|kt|sh|toml|ya?ml)$/;

const skipped = /^(node_modules|build|dist|target|\..*)$/;

/** The characters of all files below the paths, with those that texts write as an escape. */
export async function charactersOf(paths: string[]): Promise<Set<string>> {
  const found = new Set(always);
  for (let code = 0x20; code < 0x7f; code++) found.add(String.fromCharCode(code));
  for (const each of paths) {
    for await (const text of textsBelow(each)) addCharacters(text, found);
  }
  return found;
}

function addCharacters(text: string, found: Set<string>) {
  for (const [character] of text.matchAll(/[^\p{Cc}\x20-\x7e]/gu)) found.add(character);
  for (const [, hex] of text.matchAll(/(?:\\u\{?|&#x)([0-9a-fA-F]{2,6})/g)) {
    const code = Number.parseInt(hex ?? "", 16);
    if (code > 0x7e && code <= 0x10ffff) found.add(String.fromCodePoint(code));
  }
}

async function* textsBelow(file: string): AsyncGenerator<string> {
  const entries = await readdir(file, { withFileTypes: true }).catch((error: unknown) => {
    // The path is a file, or this site doesn't have the folder.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    if (error instanceof Error && "code" in error && error.code === "ENOTDIR") return null;
    throw error;
  });
  if (entries === null) {
    if (textFile.test(file)) yield await readFile(file, "utf8");
    return;
  }
  for (const entry of entries) {
    if (!skipped.test(entry.name)) yield* textsBelow(path.join(file, entry.name));
  }
}

/** The parts of a `unicode-range` that lie in it, sorted, such as `U+20-7E,U+A9`. */
export function rangeOf(characters: Iterable<string>): string {
  const codes = [...characters].map((each) => each.codePointAt(0) ?? 0).sort((a, b) => a - b);
  const runs: { from: number; to: number }[] = [];
  for (const code of codes) {
    const last = runs.at(-1);
    if (last && code === last.to + 1) last.to = code;
    else runs.push({ from: code, to: code });
  }
  const hex = (code: number) => code.toString(16).toUpperCase();
  return runs
    .map(({ from, to }) => (from === to ? `U+${hex(from)}` : `U+${hex(from)}-${hex(to)}`))
    .join(",");
}

/** Those characters that a `unicode-range` includes. */
export function within(characters: Iterable<string>, range: string): string[] {
  const runs = range.split(",").map((run) => {
    const [from = "", to = from] = run.trim().slice(2).split("-");
    return { from: Number.parseInt(from, 16), to: Number.parseInt(to, 16) };
  });
  return [...characters].filter((each) => {
    const code = each.codePointAt(0) ?? 0;
    return runs.some(({ from, to }) => code >= from && code <= to);
  });
}
