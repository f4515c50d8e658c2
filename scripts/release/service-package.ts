import { chmod, cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildCommandLine } from "../../packages/cli/src/build.ts";
import { contentsOf } from "../bundle/contents.ts";
import { writeEmulator } from "../bundle/emulator.ts";
import { installationOf, type Locked } from "../bundle/lock.ts";
import { noticesOf } from "../bundle/notices.ts";
import { programsDigest } from "../bundle/packages.ts";
import { api, type Program, signer } from "../bundle/programs.ts";
import { writeBundle } from "../bundle/write.ts";
import { BUNDLED, bundlePackages } from "./bundled-packages.ts";
import { describeProject, readJson, readManifest, writeJson } from "./manifest.ts";
import type { NpmPackage } from "./npm-package.ts";

const SITE = "apps/website/build";

/** The API with its site, and the courier, which shares most of its packages with it. */
const { [SITE]: site = "site", ...files } = api.files;
const service: Program = {
  ...api,
  entries: { ...api.entries, courier: "apps/courier/src/main.ts" },
  files,
  compressed: { ...api.compressed, [SITE]: site },
  naming: "package",
};

/** `keyhearth`: all programs, the command line and the site, without their sources. */
export const servicePackage: NpmPackage = {
  name: "keyhearth",
  async assemble(directory, { root, version }) {
    const packages = [
      ...(await writeBundle(root, service, join(directory, "service"))),
      ...(await writeBundle(root, { ...signer, naming: "package" }, join(directory, "signer"))),
    ];
    for (const bundle of ["service", "signer"])
      await rm(join(directory, bundle, "package-lock.json"));
    await writeCommandLine(root, join(directory, "cli"));
    await writeLauncher(root, join(directory, "bin"));
    for (const file of ["LICENSE", "SECURITY.md"]) {
      await cp(join(root, file), join(directory, file));
    }
    await cp(join(root, "scripts/release/package-readme.md"), join(directory, "README.md"));
    await writeManifests(root, directory, { version, packages });
  },
};

async function writeCommandLine(root: string, directory: string): Promise<void> {
  const metafile = await buildCommandLine(directory, {
    external: [],
    entry: "main-of-service",
    programs: await programsDigest(root),
  });
  await writeEmulator(root, join(directory, "emulator"), { service: "../../service/" });
  const notices = noticesOf(root, Object.keys(metafile.inputs));
  await writeFile(join(directory, "NOTICES.txt"), notices);
  await writeJson(join(directory, "contents.json"), contentsOf(metafile));
}

async function writeLauncher(root: string, directory: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: ["keyhearth", "program"].map((name) => `scripts/release/launcher/${name}.mjs`),
    outdir: directory,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.18",
    logLevel: "warning",
  });
  await chmod(join(directory, "keyhearth.mjs"), 0o755);
}

/** The manifest, and what is installed with it: the same versions and digests as the repository's own lock. */
async function writeManifests(
  root: string,
  directory: string,
  { version, packages }: { version: string; packages: string[] },
): Promise<void> {
  const own = readManifest(root);
  const nodes = Object.keys(Object(own.optionalDependencies));
  const lock = readJson(join(root, "package-lock.json"));
  const { optionalDependencies, locked: all } = installationOf(
    lock.packages,
    [...new Set(packages)].toSorted(),
    nodes,
  );
  const locked = await bundlePackages(root, directory, all);
  const dependencies = pinned(locked);
  const shared = {
    name: "keyhearth",
    version,
    license: own.license,
    dependencies,
    optionalDependencies,
    bin: { keyhearth: "bin/keyhearth.mjs" },
    engines: { node: ">=20.18" },
  };
  await writeJson(join(directory, "package.json"), {
    ...shared,
    description: own.description,
    keywords: own.keywords,
    ...describeProject(root),
    type: "module",
    bundleDependencies: BUNDLED,
    files: ["bin", "cli", "service", "signer", "npm-shrinkwrap.json", "SECURITY.md"],
  });
  await writeJson(join(directory, "npm-shrinkwrap.json"), {
    name: "keyhearth",
    version,
    lockfileVersion: 3,
    requires: true,
    packages: { "": shared, ...locked },
  });
}

/** What is in the package or beside it, with what that needs in turn: npm reads a shrinkwrap only from a registry. */
function pinned(locked: Locked): Record<string, string> {
  const needed = Object.entries(locked).filter(([, { optional }]) => !optional);
  return Object.fromEntries(
    needed.map(([place, { version }]) => [place.replace(/^node_modules\//, ""), version]),
  );
}
