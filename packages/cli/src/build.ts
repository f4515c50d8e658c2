// Bundles what is published: the sources with the workspaces they use, which are not published.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import manifest from "../package.json" with { type: "json" };

const here = fileURLToPath(new URL("..", import.meta.url));

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
  external: Object.keys(manifest.dependencies),
  logLevel: "warning",
});
