import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { readJson, readManifest, writeJson } from "../release/manifest.ts";
import type { NpmPackage } from "../release/npm-package.ts";
import { packPrograms, programPaths } from "../release/programs-archive.ts";

/** What the packages are made from. */
const inputs = [
  "{package,package-lock}.json",
  "packages/{cli,crypto,policy,sdk}/{*,bin/*,scripts/**/*.ts,src/**/*.ts}",
  "scripts/{bundle,release}/*.{ts,mjs}",
  // The emulator of the command line is the API.
  "{apps/{api,courier,frames,signer},packages/{engine,outbound}}/src/**/*.{ts,sql}",
  "contract/openapi.json",
];

/** The programs of the pages are for this SDK. */
const PROGRAMS = "keyhearth-programs";

/**
 * Packs the SDK, the command line and the programs of the pages as a release has them, for a service that serves them, and
 * returns their folder. The same sources give the same bytes, so it is made once and kept. Names have no
 * version, so that the address of the newest one is known.
 */
export async function packPackages(root: string): Promise<string> {
  const cache = join(root, "node_modules/.cache/keyhearth");
  const folder = join(cache, `packages-${digestOf(root).slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const unfinished = await mkdtemp(join(cache, "packing-"));
  const version = String(readManifest(root).version);
  // Loaded only when something is packed: the builder of the SDK has a compiler.
  const { sdkPackage } = await import("../release/sdk-package.ts");
  const { commandLinePackage } = await import("../release/command-line-package.ts");
  const { npmPackage } = await import("../release/npm-package.ts");
  const describe = async (name: string, file: string) => {
    const content = await readFile(join(unfinished, file));
    const integrity = `sha512-${createHash("sha512").update(content).digest("base64")}`;
    return { name, version, file, bytes: content.length, integrity };
  };
  const pack = async (each: NpmPackage) => {
    // These packages say no commit, and npm gives all of their files the same time.
    await npmPackage(each).write(unfinished, { root, version, commit: "", epoch: 0 });
    const file = `${each.name.replace("@", "").replace("/", "-")}.tgz`;
    await rename(join(unfinished, file.replace(".tgz", `-${version}.tgz`)), join(unfinished, file));
    return describe(each.name, file);
  };
  const sdk = await pack(sdkPackage);
  const bytes = await packPrograms(root, await readFile(join(unfinished, sdk.file)));
  await writeFile(join(unfinished, `${PROGRAMS}.tgz`), bytes);
  const programs = await describe(PROGRAMS, `${PROGRAMS}.tgz`);
  // The command knows the archive that it makes apps from, so it is packed last.
  const commandLine = await pack(commandLinePackage(async () => programs.integrity));
  await writeJson(join(unfinished, "packages.json"), { packages: [sdk, commandLine, programs] });
  await chmod(unfinished, 0o755);
  await rename(unfinished, folder).catch(async (error) => {
    // Another process was faster.
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
}

/** The digest of the archive of programs that a service of these sources offers. */
export async function programsDigest(root: string): Promise<string> {
  const { packages } = readJson(join(await packPackages(root), "packages.json"));
  return packages.find(({ name }: { name: string }) => name === PROGRAMS).integrity;
}

function digestOf(root: string): string {
  const digest = createHash("sha256");
  const paths = globSync(inputs, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
  for (const path of [...paths, ...programPaths(root)].toSorted()) {
    digest.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return digest.digest("hex");
}
