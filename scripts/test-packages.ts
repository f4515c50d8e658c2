// What programs of the pages import, for tests that run them by the dozen: a program that loads a bundle of it starts in
// a third of the time that its hundreds of modules take.

import { globSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const programs = ["apps/website/snippets/**/*.ts", "examples/*/*.ts"];

/** Those that a bundle has as Node.js loads them. Others stay where they are. */
const BUNDLED = /^(@keyhearth\/sdk|ethers|viem)(\/|$)/;

/**
 * Writes the bundle into a folder, which is emptied first. `node --import FOLDER/register.mjs` gives it to a program that
 * imports one of the packages. An import that the package does not have fails as before.
 */
export async function bundleImports(root: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const specifiers = importedBy(root);
  const entries = specifiers.map((specifier) => [nameOf(specifier), specifier]);
  await build({
    absWorkingDir: root,
    entryPoints: Object.fromEntries(entries),
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // As Node.js resolves them, and without what only bundlers ask for.
    conditions: [],
    keepNames: true,
    // Packages in CommonJS load modules of Node.js by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [
      {
        name: "others stay",
        setup({ onResolve }) {
          onResolve({ filter: /^(@cosmjs|@solana|express|react)(\/|$)/ }, ({ path }) => ({
            path,
            external: true,
          }));
        },
      },
    ],
    logLevel: "silent",
  });
  const places = specifiers.map((specifier) => [
    specifier,
    pathToFileURL(join(folder, `${nameOf(specifier)}.mjs`)).href,
  ]);
  await writeFile(join(folder, "register.mjs"), register(Object.fromEntries(places)));
}

const nameOf = (specifier: string) => specifier.replaceAll(/\W+/g, "-").replace(/^-/, "");

function importedBy(root: string): string[] {
  const found = globSync(programs, { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/ from "([^".][^"]*)"/g)].map(
      ([, specifier = ""]) => specifier,
    ),
  );
  return [...new Set(found)].filter((each) => BUNDLED.test(each)).toSorted();
}

const register = (places: Record<string, string>) => `import { registerHooks } from "node:module";
const places = new Map(Object.entries(${JSON.stringify(places)}));
registerHooks({
  resolve(specifier, context, next) {
    const url = places.get(specifier);
    return url === undefined ? next(specifier, context) : { url, format: "module", shortCircuit: true };
  },
});
`;
