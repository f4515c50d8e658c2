import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = "apps/website/docs/page.mdx";

// A repository with nothing to download. Building its site counts the builds.
const builder = `
  const { existsSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
  const builds = existsSync("../../builds") ? Number(readFileSync("../../builds", "utf8")) : 0;
  writeFileSync("../../builds", String(builds + 1));
  if (readFileSync("docs/page.mdx", "utf8").includes("broken")) throw new Error("broken link");
  mkdirSync("build/es", { recursive: true });
  writeFileSync("build/index.html", "");
  writeFileSync("build/es/index.html", "");`;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-setup-"));
  await cp(join(root, "scripts/setup.mjs"), join(directory, "scripts/setup.mjs"));
  await cp(join(root, "scripts/setup"), join(directory, "scripts/setup"), { recursive: true });
  await mkdir(join(directory, "packages"), { recursive: true });
  const { version } = process;
  const manifest = { workspaces: ["apps/*"], devDependencies: { node: version.slice(1) } };
  const website = { name: "website", version: "1.0.0", scripts: { build: "node build.cjs" } };
  const installed = { "node_modules/node": { version: version.slice(1) } };
  await write("package.json", JSON.stringify(manifest));
  await write("apps/website/package.json", JSON.stringify(website));
  await write("apps/website/build.cjs", builder);
  await write(page, "# Page");
  await write(
    "package-lock.json",
    JSON.stringify({ packages: { "": manifest, "apps/website": website, ...installed } }),
  );
  await write("node_modules/.package-lock.json", JSON.stringify({ packages: installed }));
  await mkdir(join(directory, "node_modules/node/bin"), { recursive: true });
  await writeFile(
    join(directory, "node_modules/node/bin/node"),
    `#!/bin/sh\nexec "${process.execPath}" "$@"\n`,
    { mode: 0o755 },
  );
});

afterEach(() => rm(directory, { recursive: true }));

test("the site is built once, and again only when the content of an input changes", async () => {
  expect(await setup("start")).toMatchObject({ code: 0 });
  expect(await builds()).toBe(1);
  await setup("start");
  expect(await builds()).toBe(1);

  await utimes(join(directory, page), new Date(), new Date());
  await setup("start");
  expect(await builds()).toBe(1);

  await write(page, "# Other page");
  await setup("start");
  expect(await builds()).toBe(2);
});

test("the site is built again for another address", async () => {
  await setup("start");
  const env = { KEYHEARTH_PUBLIC_URL: "https://keys.example.com" };
  await setup("start", env);
  await setup("start", env);
  expect(await builds()).toBe(2);
});

test("a build that has only one language is not the whole site", async () => {
  await setup("start");
  await rm(join(directory, "apps/website/build/es"), { recursive: true });
  await setup("start");
  expect(await builds()).toBe(2);
});

test("a failed build is shown, ends with advice, and is tried again", async () => {
  await write(page, "broken");
  const failed = await setup("start");
  expect(failed.code).toBe(1);
  expect(failed.output).toContain("broken link");
  expect(failed.output.trim().split("\n").at(-1)).toMatch(
    /^keyhearth: The site could not be built/,
  );

  await write(page, "# Fixed");
  expect(await setup("start")).toMatchObject({ code: 0 });
  expect(await builds()).toBe(2);
});

test("dependencies that somebody installed with npm are accepted as they are", async () => {
  expect(await setup("install")).toEqual({ code: 0, output: "" });
});

test("a damaged lock file gives an error of one sentence", async () => {
  await write("package-lock.json", "{");
  expect(await setup("install")).toEqual({
    code: 1,
    output: "\nkeyhearth: package-lock.json is missing or damaged: restore it from git\n",
  });
});

test("a missing npm gives an error of one sentence", async () => {
  await rm(join(directory, "node_modules/.package-lock.json"));
  // npm is also searched next to the interpreter, so that directory must not have one.
  await mkdir(join(directory, "bin"));
  const node = join(directory, "bin/node");
  await cp(process.execPath, node, { dereference: true });
  const { code, output } = await run(node, "install", { PATH: dirname(node) });
  expect(code).toBe(1);
  expect(output).toMatch(/^\nkeyhearth: npm was not found: install Node.js 20 or newer/);
});

async function setup(goal: string, env: Record<string, string> = {}) {
  return run(process.execPath, goal, { PATH: process.env.PATH ?? "", ...env });
}

async function run(node: string, goal: string, env: Record<string, string>) {
  return promisify(execFile)(node, ["scripts/setup.mjs", goal], { cwd: directory, env }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      output: error.stdout + error.stderr,
    }),
  );
}

async function builds() {
  return Number(await readFile(join(directory, "builds"), "utf8"));
}

async function write(path: string, content: string) {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}
