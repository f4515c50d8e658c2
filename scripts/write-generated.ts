import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

type Generated = { path: string; from: string; text: string };

/** Writes a generated TypeScript file, marked as such in its first line. */
export function writeGenerated({ path, from, text }: Generated) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `// GENERATED from ${from}. Do not edit.\n\n${text}`);
}
