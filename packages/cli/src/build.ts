// Bundles the sources for publication, together with the unpublished workspaces that they use.

import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Metafile, type PluginBuild } from "esbuild";
import manifest from "../package.json" with { type: "json" };

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Uses the variant of the primitives that needs no native code next to the bundle. */
const portable = {
  name: "portable primitives",
  setup({ onResolve }: PluginBuild) {
    const path = fileURLToPath(new URL("../../crypto/src/primitives/portable.ts", import.meta.url));
    onResolve({ filter: /^#primitives$/ }, () => ({ path }));
  },
};

/** The emulator is a bundle of its own, in a folder beside this one. Only the command that runs it loads it. */
const emulatorBeside = {
  name: "emulator",
  setup({ onResolve }: PluginBuild) {
    onResolve({ filter: /\/emulator\/index\.ts$/ }, () => ({
      path: "./emulator/index.js",
      external: true,
    }));
  },
};

/**
 * Writes the bundle into a directory, which is emptied first. Returns what esbuild says about it. `programs` is the digest
 * of its release's archive of programs.
 */
export async function buildCommandLine(
  directory: string,
  {
    external,
    entry = "main",
    programs,
  }: { external: string[]; entry?: "main" | "main-of-service"; programs?: string },
): Promise<Metafile> {
  await rm(directory, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { main: `packages/cli/src/${entry}.ts` },
    outdir: directory,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    // The other form of jsonc-parser finds its parts only when it runs, and not in a bundle.
    mainFields: ["module", "main"],
    // Packages in CommonJS load modules of Node.js by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    ...(programs !== undefined && { define: { PROGRAMS_DIGEST: JSON.stringify(programs) } }),
    plugins: [portable, emulatorBeside],
    external,
    metafile: true,
    logLevel: "warning",
  });
  return metafile;
}

if (import.meta.main) {
  const external = Object.keys(manifest.dependencies);
  await buildCommandLine(fileURLToPath(new URL("../dist", import.meta.url)), { external });
}
