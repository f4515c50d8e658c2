import { join } from "node:path";
import type { Plugin } from "esbuild";

/** Puts `pglite.mjs` in the place of the package. */
export function replacePglite(root: string): Plugin {
  const replacement = join(root, "scripts/bundle/pglite.mjs");
  return {
    name: "pglite",
    setup({ onResolve }) {
      onResolve({ filter: /^@electric-sql\/pglite$/ }, ({ importer }) =>
        importer === replacement ? undefined : { path: replacement },
      );
    },
  };
}
