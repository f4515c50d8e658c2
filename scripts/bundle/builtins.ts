import type { Plugin } from "esbuild";

/**
 * Lets a bundle import `node:http` without the client of `fetch`. An import asks a module of Node.js for each of its
 * properties, and one of this module loads that client: 50 ms in each thread.
 */
export const builtinsAsAsked: Plugin = {
  name: "builtins",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(node:)?http$/ }, ({ kind, path }) =>
      kind === "import-statement" ? { path, namespace: "builtin" } : undefined,
    );
    onLoad({ filter: /./, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};
