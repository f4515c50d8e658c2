// Bundles the sources for publication, together with the unpublished workspaces that they use.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type PluginBuild } from "esbuild";
import manifest from "../package.json" with { type: "json" };

const here = fileURLToPath(new URL("..", import.meta.url));

/** Uses the variant of the primitives that needs no native code next to the bundle. */
const portable = {
  name: "portable primitives",
  setup({ onResolve }: PluginBuild) {
    const path = fileURLToPath(new URL("../../crypto/src/primitives/portable.ts", import.meta.url));
    onResolve({ filter: /^#primitives$/ }, () => ({ path }));
  },
};

await rm(`${here}dist`, { recursive: true, force: true });
await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20.18",
  plugins: [portable],
  external: Object.keys(manifest.dependencies),
  logLevel: "warning",
});
