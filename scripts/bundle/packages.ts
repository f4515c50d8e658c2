import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { readManifest, writeJson } from "../release/manifest.ts";
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
  const packages = [];
  for (const each of [sdkPackage, commandLinePackage]) {
    // These packages say no commit, and npm gives all of their files the same time.
    await npmPackage(each).write(unfinished, { root, version, commit: "", epoch: 0 });
    const file = `${each.name.replace("@", "").replace("/", "-")}.tgz`;
    await rename(join(unfinished, file.replace(".tgz", `-${version}.tgz`)), join(unfinished, file));
    packages.push(await describe(each.name, file));
  }
  const sdk = await readFile(join(unfinished, "keyhearth-sdk.tgz"));
  await writeFile(join(unfinished, `${PROGRAMS}.tgz`), await packPrograms(root, sdk));
  packages.push(await describe(PROGRAMS, `${PROGRAMS}.tgz`));
  await writeJson(join(unfinished, "packages.json"), { packages });
  await chmod(unfinished, 0o755);
  await rename(unfinished, folder).catch(async (error) => {
    // Another process was faster.
    await rm(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  });
  return folder;
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
