import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { declarationsOf, entries, packagesDirectory, sourceOf, specifierOf } from "./entries.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/**
 * Writes the declarations of the entries and of everything that they name beside the code, with the same
 * relative imports, so that the package type-checks wherever it is installed.
 */
export async function writeDeclarations(directory: string): Promise<void> {
  const emitted = await mkdtemp(join(tmpdir(), "keyhearth-declarations-"));
  try {
    await emit(emitted);
    const sources = entries.map(({ source }) => source);
    const reached = new Set(sources);
    for (const source of sources) {
      const file = join(emitted, source.replace(/\.tsx?$/, ".d.ts"));
      const { text, named } = relocate(source, await readFile(file, "utf8"));
      const target = join(directory, declarationsOf(source));
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, text);
      for (const next of named) {
        if (reached.has(next)) continue;
        reached.add(next);
        sources.push(next);
      }
    }
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emit(outDir: string): Promise<void> {
  const project = join(outDir, "tsconfig.json");
  const compilerOptions = {
    noEmit: false,
    declaration: true,
    emitDeclarationOnly: true,
    rootDir: packagesDirectory,
    outDir,
    module: "esnext",
    moduleResolution: "bundler",
    typeRoots: [join(root, "node_modules/@types")],
    // By way of `node_modules` the workspaces would count as libraries, which get no declarations.
    paths: {
      "@keyhearth/crypto/primitives": [join(packagesDirectory, sourceOf("#primitives", "") ?? "")],
      "@keyhearth/crypto/*": [join(packagesDirectory, "crypto/src/*.ts")],
      "@keyhearth/outbound/*": [join(packagesDirectory, "outbound/src/*.ts")],
      "@keyhearth/policy/*": [join(packagesDirectory, "policy/src/*.ts")],
    },
  };
  const files = entries.map(({ source }) => join(packagesDirectory, source));
  const extended = join(root, "tsconfig.json");
  const config = { extends: extended, compilerOptions, files, include: [] };
  await writeFile(project, JSON.stringify(config));
  const tsc = join(root, "node_modules/.bin/tsc");
  await promisify(execFile)(tsc, ["-p", project]).catch((error) => {
    throw new Error(`tsc refuses the sources of the SDK:\n${error.stdout}`);
  });
}

const specifiers = /(\bfrom |\bimport\(|\bimport )"([^"]+)"/g;

function relocate(source: string, text: string): { text: string; named: string[] } {
  const named: string[] = [];
  const relocated = text.replace(specifiers, (whole, before: string, specifier: string) => {
    const target = sourceOf(specifier, source);
    if (target === undefined) return whole;
    named.push(target);
    return `${before}"${specifierOf(target, source)}"`;
  });
  return { text: relocated, named };
}
