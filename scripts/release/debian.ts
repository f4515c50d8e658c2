import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assemblePackage } from "./debian/assemble.ts";
import { debianVersionOf } from "./debian/control.ts";
import { ARCHITECTURE, type DebianPackage, debianPackages } from "./debian/packages.ts";
import { Refusal } from "./publishing.ts";

export type DebianRelease = {
  /** The repository, with its site built. */
  root: string;
  /** Where the packages are written. */
  directory: string;
  version: string;
  /** The time of the commit, in seconds: the only time that the packages have in them. */
  epoch: number;
  /** xz where nothing else is named. A test that compares the contents only can do without. */
  compression?: "xz" | "none";
};

/** Writes the Debian packages and returns their paths. The same sources give the same bytes, in any folder. */
export async function writeDebianPackages(release: DebianRelease): Promise<string[]> {
  if (!hasDpkg()) {
    throw new Refusal("the Debian packages need dpkg-deb: run apt-get install dpkg");
  }
  const paths: string[] = [];
  for (const each of debianPackages) paths.push(await writeDebianPackage(each, release));
  return paths;
}

export function hasDpkg(): boolean {
  return spawnSync("dpkg-deb", ["--version"]).status === 0;
}

export async function writeDebianPackage(
  definition: DebianPackage,
  { root, directory, version, epoch, compression = "xz" }: DebianRelease,
): Promise<string> {
  mkdirSync(directory, { recursive: true });
  const tree = mkdtempSync(join(tmpdir(), "keyhearth-debian-"));
  try {
    await assemblePackage(definition, tree, { root, version, epoch });
    const file = `${definition.name}_${debianVersionOf(version)}_${ARCHITECTURE}.deb`;
    const path = join(directory, file);
    execFileSync("dpkg-deb", ["--root-owner-group", `-Z${compression}`, "--build", tree, path], {
      env: { PATH: process.env.PATH, LC_ALL: "C", SOURCE_DATE_EPOCH: String(epoch) },
      stdio: "pipe",
    });
    return path;
  } finally {
    rmSync(tree, { recursive: true });
  }
}
