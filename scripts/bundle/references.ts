import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Plugin } from "esbuild";
import { type Naming, nameCommands } from "./commands.ts";

const REFERENCE = /new URL\(\s*"([^"]+)",\s*import\.meta\.url,?\s*\)/g;
const LOADING_A_PACKAGE = "createRequire(import.meta.url)";

/**
 * Sources refer to files by their place in the repository. A bundle has these files at other places, so a reference
 * without one fails the build, and so does everything else that depends on where a source is.
 */
export function placeReferences(
  root: string,
  places: Record<string, string>,
  { naming }: { naming: Naming },
): Plugin {
  return {
    name: "references",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(root, path);
        if (file.includes("node_modules/")) return undefined;
        const source = await readFile(path, "utf8");
        const text = nameCommands(source, naming);
        if (text === source && !text.includes("import.meta")) return undefined;
        return { contents: rewrite(text, file, places), loader: "ts" };
      });
    },
  };
}

function rewrite(text: string, file: string, places: Record<string, string>): string {
  const imported = text.replaceAll("import.meta.main", "false");
  let kept = imported.replaceAll(LOADING_A_PACKAGE, "");
  const placed = imported.replace(REFERENCE, (reference, name: string) => {
    const target = join(dirname(file), name);
    const place = places[target];
    if (place === undefined) throw new Error(`${file}: the bundle has no place for ${target}`);
    kept = kept.replace(reference, "");
    return `new URL(${JSON.stringify(`./${place}`)}, import.meta.url)`;
  });
  if (kept.includes("import.meta")) {
    throw new Error(`${file}: write new URL("path", import.meta.url), so that a bundle finds it`);
  }
  return placed;
}
