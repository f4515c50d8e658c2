import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const IMPORT = /(?:^|[^.\w])(?:from|import|import\()\s*["']([^"'\s]+)["']/g;
const OF_TESTS = /(\.test|[./]testing)\.tsx?$|^testing\.ts$/;

/** The sources below a folder, or below all that a pattern names, without those that only tests use. */
export function sourcesOf(folder: string, pattern: string): string[] {
  return globSync(pattern, {
    cwd: join(root, folder),
    exclude: (name) => /(^|\/)(node_modules|build|dist|\.docusaurus)$/.test(name),
  }).filter((file) => !OF_TESTS.test(file));
}

/** What a file imports, as it is written there. */
export function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, from = ""]) => from);
}
