import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isLong } from "../start/long-form.ts";

// Anyone who builds a release again gets the same bytes, wherever the clone is.

const root = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));

/** Packs the service in the clone that it runs in. */
const packing = `
  import { npmPackage } from "./scripts/release/npm-package.ts";
  import { servicePackage } from "./scripts/release/service-package.ts";
  const context = { root: process.cwd() + "/", version: "${version}", epoch: 1700000000 };
  await npmPackage(servicePackage).write(process.cwd(), context);
`;

async function buildIn(clone: string) {
  const run = promisify(execFile);
  const limits = { maxBuffer: 64 * 1024 * 1024 };
  await mkdir(dirname(clone), { recursive: true });
  await run("git", ["clone", "--quiet", root, clone]);
  // Their links lead to the workspaces of the clone. What was built before stays behind.
  const isKept = (path: string) => !path.endsWith("/node_modules/.cache");
  for (const folder of ["", "apps/courier", "apps/website", "packages/cli", "packages/crypto"]) {
    const modules = join(root, folder, "node_modules");
    const options = { recursive: true, verbatimSymlinks: true, filter: isKept };
    await cp(modules, join(clone, folder, "node_modules"), options).catch(ifMissing);
  }
  const node = join(clone, "node_modules/.bin");
  const env = { ...process.env, PATH: `${node}:${process.env.PATH}` };
  await run("npm", ["run", "build", "-w", "apps/website"], { cwd: clone, env, ...limits });
  await writeFile(join(clone, "pack.ts"), packing);
  await run(process.execPath, ["pack.ts"], { cwd: clone, env, ...limits });
}

function ifMissing(error: NodeJS.ErrnoException) {
  if (error.code !== "ENOENT") throw error;
}

describe.runIf(isLong)("in two clones at paths of different lengths", () => {
  let temporary: string;
  const clones: string[] = [];

  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), "keyhearth-reproducible-"));
    clones.push(join(temporary, "one"), join(temporary, "another/and/deeper"));
    await Promise.all(clones.map(buildIn));
  }, 1_800_000);
  afterAll(() => rm(temporary, { recursive: true, force: true }));

  /** The digest of each file in the tarball. */
  async function contentsOf(clone: string): Promise<Record<string, string>> {
    const folder = join(clone, "unpacked");
    await mkdir(folder);
    const tarball = join(clone, `keyhearth-${version}.tgz`);
    await promisify(execFile)("tar", ["-xzf", tarball, "-C", folder]);
    const list = 'find . -type f | sort | xargs -d "\\n" sha256sum';
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)("sh", ["-c", list], options);
    const lines = stdout.trim().split("\n");
    return Object.fromEntries(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  }

  test("the package of the service has the same bytes", { timeout: 120_000 }, async () => {
    // The files first, so that a failure says which of them differ.
    const [first = {}, second = {}] = await Promise.all(clones.map(contentsOf));
    expect(Object.keys(first).length).toBeGreaterThan(1000);
    expect(second).toEqual(first);
    const [one, other] = await Promise.all(
      clones.map((clone) => readFile(join(clone, `keyhearth-${version}.tgz`))),
    );
    expect(one && other && one.equals(other)).toBe(true);
  });
});
