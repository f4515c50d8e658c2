import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };

// Sources are named by their path below `packages/`, such as `crypto/src/encoding/der.ts`. The published package
// has the same tree without `src/`, one file for each source: a bundler sees what each of them needs.

export const packagesDirectory = fileURLToPath(new URL("../../..", import.meta.url));

/** One subpath of the package: its key in `exports`, and its source. */
export type Entry = { subpath: string; source: string };

/** Every subpath that package.json exports. A new line there is all that a new entry needs. */
export const entries: readonly Entry[] = Object.entries(manifest.exports).map(
  ([subpath, source]) => ({ subpath, source: join("sdk", source) }),
);

/** Where the code of a source is published. */
export function codeOf(source: string): string {
  return source.replace("/src/", "/").replace(/\.tsx?$/, ".js");
}

/** Where the declarations of a source are published. */
export function declarationsOf(source: string): string {
  return codeOf(source).replace(/\.js$/, ".d.ts");
}

/** The source that a specifier names, or undefined if it names another package. */
export function sourceOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith(".")) return join(dirname(importer), specifier);
  // Neither Node.js nor a browser: the variant in plain JavaScript.
  if (/^(#|@keyhearth\/crypto\/)primitives$/.test(specifier)) {
    return "crypto/src/primitives/portable.ts";
  }
  const [, workspace, module] = /^@keyhearth\/(\w+)\/(.+)$/.exec(specifier) ?? [];
  return workspace && module ? `${workspace}/src/${module}.ts` : undefined;
}

/** How one published file imports another one. */
export function specifierOf(source: string, importer: string): string {
  const path = relative(dirname(codeOf(importer)), codeOf(source));
  return path.startsWith(".") ? path : `./${path}`;
}
