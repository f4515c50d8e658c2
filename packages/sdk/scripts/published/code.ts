import { mkdir, writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { build, type OnResolveArgs, type PluginBuild } from "esbuild";
import cryptoManifest from "../../../crypto/package.json" with { type: "json" };
import manifest from "../../package.json" with { type: "json" };
import { codeOf, entries, packagesDirectory, sourceOf, specifierOf } from "./entries.ts";

/** The packages that may be imported: those of the primitives, and the libraries that adapters are for. */
const packages = new Set([
  ...Object.keys(cryptoManifest.dependencies),
  ...Object.keys(manifest.peerDependencies),
]);

/** What was written: the sources of the package, and the packages that they import. */
export type Written = { sources: string[]; imported: Set<string> };

/** Writes the code of every source that an entry needs, also of the unpublished workspaces. */
export async function writeCode(directory: string): Promise<Written> {
  const sources = entries.map(({ source }) => source);
  const imported = new Set<string>();
  const reached = new Set(sources);
  for (const source of sources) {
    const found = await writeOne(directory, source);
    for (const name of found.imported) imported.add(name);
    for (const next of found.sources) {
      if (reached.has(next)) continue;
      reached.add(next);
      sources.push(next);
    }
  }
  return { sources, imported };
}

async function writeOne(directory: string, source: string): Promise<Written> {
  const found: Written = { sources: [], imported: new Set() };
  const { outputFiles } = await build({
    absWorkingDir: packagesDirectory,
    entryPoints: [source],
    outfile: `${directory}/${codeOf(source)}`,
    // Only so that imports are rewritten: each of them stays an import.
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2022",
    jsx: "automatic",
    sourcemap: true,
    write: false,
    plugins: [importsOf(found)],
    logLevel: "warning",
  });
  for (const { path, text } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, path.endsWith(".map") ? named(text, source) : text);
  }
  return found;
}

/** A source map that has the same bytes wherever the package was built, and names no folder of there. */
function named(map: string, source: string): string {
  return JSON.stringify({ ...JSON.parse(map), sources: [`keyhearth:///packages/${source}`] });
}

function importsOf({ sources, imported }: Written) {
  return {
    name: "imports of the published package",
    setup({ onResolve }: PluginBuild) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }: OnResolveArgs) => {
        if (kind === "entry-point") return undefined;
        const from = relative(packagesDirectory, importer);
        const source = sourceOf(path, from);
        if (source) {
          sources.push(source);
          return { path: specifierOf(source, from), external: true };
        }
        const isBuiltIn = path.startsWith("node:");
        // What all processes share is reached by way of the server entry alone.
        const isServers = /^(sdk\/src\/server|outbound\/)/.test(from);
        if (!(isBuiltIn ? isServers : packages.has(packageOf(path)))) {
          const who = isBuiltIn ? "only the server entry may import" : "no manifest lists";
          return { errors: [{ text: `${who} ${path}, which ${from} imports` }] };
        }
        if (!isBuiltIn) imported.add(packageOf(path));
        return { path, external: true };
      });
    },
  };
}

/** The package that a specifier such as `@noble/hashes/sha2` names. */
function packageOf(specifier: string): string {
  const [first = "", second = ""] = specifier.split("/");
  return first.startsWith("@") ? `${first}/${second}` : first;
}
