import { mkdir, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Metafile } from "esbuild";
import manifest from "../../packages/sdk/package.json" with { type: "json" };
import { writePackage } from "./built-package.ts";

/** The libraries that an application brings itself, as patterns for `external`. */
export const peers: string[] = Object.keys(
  "peerDependencies" in manifest ? Object(manifest.peerDependencies) : {},
).flatMap((peer) => [peer, `${peer}/*`]);

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Sizes in bytes after minifying, gzip at level 9. */
export type Sizes = {
  /** What a page loads at its start. */
  start: number;
  /** With what it loads later, by dynamic imports. */
  all: number;
  /** The sources that are in the part for the start, as paths in the package, with their bytes. */
  parts: Record<string, number>;
  code: string;
};

/** A directory in which the built package and the packages that it depends on can be imported. */
export async function makeProject(directory: string): Promise<void> {
  const modules = join(directory, "node_modules");
  await mkdir(join(modules, "@keyhearth"), { recursive: true });
  await writePackage(join(modules, "@keyhearth/sdk"));
  for (const scope of ["@noble", "@scure"]) {
    await symlink(join(root, "node_modules", scope), join(modules, scope));
  }
}

/** Bundles a page that consists of this code, as applications do. */
export async function measure(
  directory: string,
  code: string,
  { external = [] }: { external?: string[] } = {},
): Promise<Sizes> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: directory,
    stdin: { contents: code, resolveDir: directory },
    outdir: join(directory, "out"),
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    external,
    write: false,
    metafile: true,
    logLevel: "warning",
  });
  const texts = new Map(
    outputFiles.map(({ path, text }) => [path.slice(directory.length + 1), text]),
  );
  const names = filesAtStart(metafile);
  const text = (paths: Iterable<string>) =>
    [...paths].map((path) => texts.get(path) ?? "").join("");
  return {
    start: gzip(text(names)),
    all: gzip(text(texts.keys())),
    parts: partsOf(metafile, names),
    code: text(names),
  };
}

/** What importing a file does, besides importing others, in minified code. */
export async function effectsOf(file: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: `import ${JSON.stringify(file)};`, resolveDir: dirname(file) },
    bundle: true,
    minify: true,
    format: "esm",
    write: false,
    plugins: [
      {
        name: "this file alone",
        setup({ onResolve }) {
          onResolve({ filter: /.*/ }, ({ path, importer }) =>
            importer === file ? { path, external: true } : undefined,
          );
        },
      },
    ],
  });
  const kept = outputFiles[0]?.text ?? "";
  // Numbers such as `2 ** 31` are computed when they are defined, which nobody can notice.
  return kept
    .replace(/\bvar \w+=[\d*+-]+;/g, "")
    .replace(/import([^";]*from)?"[^"]*";|"use client";|\n/g, "");
}

function gzip(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

/** The page's own file, and the chunks that it imports before it runs. */
function filesAtStart({ outputs }: Metafile): string[] {
  const names = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === "<stdin>");
  for (const name of names) {
    for (const { path, kind, external } of outputs[name]?.imports ?? []) {
      if (kind === "import-statement" && !external && !names.includes(path)) names.push(path);
    }
  }
  return names;
}

function partsOf({ outputs }: Metafile, names: string[]): Record<string, number> {
  const parts: Record<string, number> = {};
  for (const name of names) {
    for (const [input, { bytesInOutput }] of Object.entries(outputs[name]?.inputs ?? {})) {
      if (bytesInOutput > 0)
        parts[input.replace("node_modules/@keyhearth/sdk/", "")] = bytesInOutput;
    }
  }
  return parts;
}
