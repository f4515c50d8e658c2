// The emulator as a package has it: `node scripts/bundle/emulator.ts` writes it beside the command line's own bundle.

import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Metafile, type Plugin } from "esbuild";
import { builtinsAsAsked } from "./builtins.ts";
import { copyCompressed } from "./compress.ts";
import { contentsOf } from "./contents.ts";
import { packFirstDatabase } from "./first-database.ts";
import { noticesOf } from "./notices.ts";
import { replacePglite } from "./pglite-plugin.ts";
import { placeReferences } from "./references.ts";

const SOURCES = "packages/cli/src/emulator";

/** Without them, TypeScript would read the sources of the API for a page of types. */
const DECLARED = ["index", "types"];

/**
 * Writes the emulator into a folder, which is emptied first. It is the API with the signer's core, a thread for the database
 * and ones for the reader and the compressor, for every Node.js from 20.18 on, without native code and without packages to install. Where the
 * service is installed too, `service` is the way from the folder to its bundle, whose database is used.
 */
export async function writeEmulator(
  root: string,
  directory: string,
  { service = null }: { service?: string | null } = {},
): Promise<Metafile> {
  await rm(directory, { recursive: true, force: true });
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: {
      index: `${SOURCES}/index.ts`,
      compressor: "apps/api/src/compressor-thread.ts",
      reader: "apps/api/src/reader-thread.ts",
      database: "apps/api/src/store/pglite-worker.ts",
    },
    outdir: directory,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    minifyWhitespace: true,
    lineLimit: 160,
    // Packages in CommonJS load modules of Node.js by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: ["pg-native"],
    plugins: [
      withoutNativeCode,
      placeReferences(root, placesOf(service), { naming: "package" }),
      databaseAt(service),
      replacePglite(root),
      builtinsAsAsked,
    ],
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  if (service === null) await copyShared(root, directory);
  const first = join(directory, FIRST_DATABASE);
  await mkdir(dirname(first), { recursive: true });
  await cp(await packFirstDatabase(root), first);
  // Programs import it from the package of the command line.
  if (service === null) await writeTypes(root, directory);
  await writeFile(join(directory, "NOTICES.txt"), noticesOf(root, Object.keys(metafile.inputs)));
  const contents = JSON.stringify(contentsOf(metafile), null, 2);
  await writeFile(join(directory, "contents.json"), `${contents}\n`);
  return metafile;
}

/** The twin in plain JavaScript signs the same. A binding in somebody's own `node_modules` is not loaded either. */
const withoutNativeCode: Plugin = {
  name: "without native code",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]node-libsecp256k1\.ts$/ }, () => ({
      contents: "export const loadLibsecp256k1 = () => null;",
    }));
  },
};

const DATABASE = "database/";
const FIRST_DATABASE = `${DATABASE}first-database.tar.br`;
const MIGRATIONS = "apps/api/src/store/migrations/";
const CONTRACT = "contract/openapi.json";
const PGLITE = "node_modules/@electric-sql/pglite/dist";

function placesOf(service: string | null): Record<string, string> {
  const at = (place: string) => `${service ?? ""}${place}`;
  return {
    "apps/api/src/store/pglite-worker.ts": "database.js",
    "apps/api/src/compressor-thread.ts": "compressor.js",
    "apps/api/src/reader-thread.ts": "reader.js",
    "apps/api/src/store/first-database.tar.br": FIRST_DATABASE,
    [MIGRATIONS]: at("migrations/"),
    // The service has it as it is.
    [CONTRACT]: service === null ? `${CONTRACT}.br` : at(CONTRACT),
    // What a process runs that creates a database on disk, which the emulator never does.
    "apps/api/src/store/pglite-create.ts": "database.js",
    // Of the signer in a thread, of which the emulator has the core alone.
    "apps/signer/src/worker.ts": "reader.js",
  };
}

/** Where the thread of the database finds PostgreSQL. */
function databaseAt(service: string | null): Plugin {
  return {
    name: "database",
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]bundle[\\/]pglite\.mjs$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = text.replace(`\`${DATABASE}`, `\`${service ?? ""}${DATABASE}`);
        if (service !== null && contents === text) throw new Error(`${path} has no ${DATABASE}`);
        return { contents, loader: "js" };
      });
    },
  };
}

/** What the service has too. */
async function copyShared(root: string, directory: string) {
  for (const name of ["pglite.wasm", "pglite.data"]) {
    await copyCompressed(join(root, PGLITE, name), join(directory, DATABASE, name));
  }
  await cp(join(root, MIGRATIONS), join(directory, "migrations"), { recursive: true });
  const contract = JSON.stringify(JSON.parse(await readFile(join(root, CONTRACT), "utf8")));
  const place = join(directory, CONTRACT);
  await mkdir(dirname(place), { recursive: true });
  await writeFile(place, contract);
  await copyCompressed(place, place);
  await rm(place);
}

async function writeTypes(root: string, directory: string) {
  const files = DECLARED.map((name) => join(root, SOURCES, `${name}.ts`));
  const options = [
    ...["--declaration", "--emitDeclarationOnly", "--isolatedDeclarations"],
    ...["--noCheck", "--noResolve", "--rewriteRelativeImportExtensions"],
    ...["--module", "nodenext", "--target", "es2023", "--skipLibCheck", "--types", ""],
    ...["--ignoreConfig", "--outDir", directory],
  ];
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  await promisify(execFile)(process.execPath, [tsc, ...options, ...files], { cwd: root });
  for (const name of DECLARED) {
    const file = join(directory, `${name}.d.ts`);
    const text = await readFile(file, "utf8");
    // The option rewrites imports of programs, and not those of types.
    await writeFile(file, text.replaceAll(/(from "\.\/\w+)\.ts"/g, '$1.js"'));
  }
}

if (import.meta.main) {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  await writeEmulator(root, join(root, "packages/cli/dist/emulator"));
}
