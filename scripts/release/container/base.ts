import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf } from "../checksums.ts";
import { readJson } from "../manifest.ts";
import { Refusal } from "../publishing.ts";

/** A package of Debian whose files are in the images. */
export type BasePackage = { name: string; version: string; sha256: string; license: string };

/** What the pinned Node.js is linked to, and the package with the licences of two of them. */
export function basePackagesOf(root: string): BasePackage[] {
  return readJson(join(root, "scripts/release/container/base.json"));
}

/** Libraries and licences. The rest is for converting character sets, for debuggers, and for readers. */
export function isOfBase(path: string): boolean {
  return (
    /^(lib|lib64|usr\/lib)\/([^/]+\/)?[^/]+\.so(\.\d+)*$/.test(path) ||
    /^usr\/share\/doc\/[^/]+(\/copyright)?$/.test(path)
  );
}

/** The packages as files. They are downloaded once, to `dist/debian/`. */
export function downloadBase(root: string): string[] {
  return basePackagesOf(root).map((each) => cachedPackage(root, each));
}

function cachedPackage(root: string, { name, version, sha256 }: BasePackage): string {
  const cache = join(root, "dist/debian");
  const path = join(cache, `${sha256}.deb`);
  if (existsSync(path) && digestOf(path) === sha256) return path;
  const folder = mkdtempSync(join(tmpdir(), "keyhearth-base-"));
  try {
    const file = downloadPackage(`${name}:amd64=${version}`, folder);
    if (file === null) {
      throw new Refusal(
        `apt-get does not find ${name} ${version}, whose files are in the images: build on Debian 12 with its package sources, or pin its current packages with node scripts/release/container/pin-base.ts`,
      );
    }
    const found = digestOf(file);
    if (found !== sha256) {
      throw new Refusal(
        `${name} ${version} has the digest ${found}, and base.json has ${sha256}: find out why before you change it`,
      );
    }
    mkdirSync(cache, { recursive: true });
    // Another build may write the same file.
    const copy = `${path}.${process.pid}`;
    copyFileSync(file, copy);
    renameSync(copy, path);
    return path;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Downloads into an empty folder, with an index of its own if the system's is missing or old. Null if there is none. */
export function downloadPackage(name: string, folder: string): string | null {
  const own = ["-o", `Dir::State=${folder}/state`, "-o", `Dir::Cache=${folder}/cache`];
  const run = (args: string[]) => {
    try {
      execFileSync("apt-get", ["--quiet", "-o", "APT::Sandbox::User=", ...args], {
        cwd: folder,
        stdio: "pipe",
      });
    } catch {
      // What counts is whether the file is there: a source that does not answer may be another one.
    }
    return globSync(join(folder, "*.deb"))[0] ?? null;
  };
  const found = run(["download", name]);
  if (found !== null) return found;
  mkdirSync(join(folder, "state/lists/partial"), { recursive: true });
  mkdirSync(join(folder, "cache/archives/partial"), { recursive: true });
  run([...own, "update"]);
  return run([...own, "download", name]);
}
