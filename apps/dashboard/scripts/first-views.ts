import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "vite";

const configFile = fileURLToPath(new URL("../vite.config.ts", import.meta.url));
const views = fileURLToPath(new URL("../src/first/views.tsx", import.meta.url));

/** Renders what the page shows before its scripts are there: `src/first/views.tsx`. */
export async function renderFirstViews(
  base: string,
  options: { isCodeOffered: boolean; isProviderOffered: boolean },
): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), "keyhearth-first-views-"));
  try {
    await build({
      ...{ configFile, base, logLevel: "error" },
      publicDir: false,
      ssr: { noExternal: true },
      build: { ssr: views, outDir, minify: false },
    });
    const { firstViews }: typeof import("../src/first/views.tsx") = await import(
      pathToFileURL(join(outDir, "views.js")).href
    );
    return await firstViews(options);
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}
