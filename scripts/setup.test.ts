import { execFile, spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

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

/** As npm names the package with the Node.js of this platform. */
const nodePackage = `node-${process.platform}-${process.arch}`;
const pinnedNode = `node_modules/${nodePackage}/bin/node`;

// A build that does not end by itself.
const waiter = `
  require("node:fs").writeFileSync("../../building", String(process.pid));
  setInterval(() => {}, 1000);`;

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-setup-"));
  await cp(join(root, "scripts/setup.mjs"), join(directory, "scripts/setup.mjs"));
  await cp(join(root, "scripts/setup"), join(directory, "scripts/setup"), { recursive: true });
  await mkdir(join(directory, "packages"), { recursive: true });
  const version = process.versions.node;
  const manifest = { workspaces: ["apps/*"], optionalDependencies: { [nodePackage]: version } };
  const website = { name: "website", version: "1.0.0", scripts: { build: "node build.cjs" } };
  const installed = { [`node_modules/${nodePackage}`]: { version, integrity: "sha512-pinned" } };
  await write("package.json", JSON.stringify(manifest));
  await write("apps/website/package.json", JSON.stringify(website));
  await write("apps/website/build.cjs", builder);
  await write(page, "# Page");
  await write(
    "package-lock.json",
    JSON.stringify({ packages: { "": manifest, "apps/website": website, ...installed } }),
  );
  await write("node_modules/.package-lock.json", JSON.stringify({ packages: installed }));
  await mkdir(dirname(join(directory, pinnedNode)), { recursive: true });
  await writeFile(join(directory, pinnedNode), `#!/bin/sh\nexec "${process.execPath}" "$@"\n`, {
    mode: 0o755,
  });
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

test("the site is built again for a host of plain files at another address", async () => {
  await setup("start");
  const env = { KEYHEARTH_SITE_URL: "https://keys.example.com" };
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

describe("npm ci runs", () => {
  /** An npm that writes down what it is asked, and installs what the lock file pins. */
  async function fakeNpm(): Promise<Record<string, string>> {
    const script = `#!/bin/sh
      echo "$@" >> "${directory}/asked"
      [ "$1" = ci ] && cp "${directory}/package-lock.json" "${directory}/node_modules/.package-lock.json"
      exit 0`;
    await mkdir(join(directory, "bin"));
    await writeFile(join(directory, "bin/npm"), script, { mode: 0o755 });
    return { PATH: `${join(directory, "bin")}:${process.env.PATH}` };
  }
  const asked = async () =>
    (await readFile(join(directory, "asked"), "utf8").catch(() => ""))
      .split("\n")
      .filter((line) => /^(ci|install)\b/.test(line));

  test("if node_modules is missing, and once", async () => {
    const env = await fakeNpm();
    await rm(join(directory, "node_modules/.package-lock.json"));
    expect(await setup("install", env)).toMatchObject({ code: 0 });
    expect(await setup("install", env)).toEqual({ code: 0, output: "" });
    expect(await asked()).toEqual([expect.stringMatching(/^ci .*--include=optional/)]);
  });

  test("if a package has another digest than the lock file, and not if it has the same", async () => {
    const env = await fakeNpm();
    expect(await setup("install", env)).toEqual({ code: 0, output: "" });
    expect(await asked()).toEqual([]);
    const lock = await readFile(join(directory, "package-lock.json"), "utf8");
    await write("package-lock.json", lock.replaceAll("sha512-pinned", "sha512-other"));
    expect(await setup("install", env)).toMatchObject({ code: 0 });
    expect(await asked()).toHaveLength(1);
  });

  test("never to change the lock file: what it lacks is one sentence", async () => {
    const env = await fakeNpm();
    const manifest = JSON.parse(await readFile(join(directory, "package.json"), "utf8"));
    await write("package.json", JSON.stringify({ ...manifest, dependencies: { zod: "4.0.0" } }));
    expect(await setup("install", env)).toEqual({
      code: 1,
      output: expect.stringMatching(/^\nkeyhearth: package-lock.json does not have what a .+\n$/),
    });
    expect(await asked()).toEqual([]);
  });
});

test("a Node.js that npm left out, or of another version, is one sentence", async () => {
  await writeFile(join(directory, pinnedNode), "#!/bin/sh\necho v1.0.0\n");
  expect(await setup("install")).toEqual({
    code: 1,
    output: expect.stringMatching(
      new RegExp(`^\nv1\\.0\\.0\n\nkeyhearth: Node\\.js \\S+ of the package ${nodePackage} .+\n$`),
    ),
  });
});

test("on a platform that the lock file has no Node.js for, the host's own runs the service", async () => {
  const manifest = { workspaces: ["apps/*"] };
  await write("package.json", JSON.stringify(manifest));
  const website = JSON.parse(await readFile(join(directory, "apps/website/package.json"), "utf8"));
  const packages = { "": manifest, "apps/website": website };
  await write("package-lock.json", JSON.stringify({ packages }));
  expect(await setup("install")).toEqual({ code: 0, output: "" });
});

test("a signal that only the shell of npm gets ends the setup, and what it has started", async () => {
  await write("apps/website/build.cjs", waiter);
  const env = { ...process.env, npm_lifecycle_event: "prestart" };
  const shell = spawn("sh", ["-c", `"${process.execPath}" scripts/setup.mjs start; true`], {
    cwd: directory,
    env,
    stdio: "ignore",
  });
  const pid = () => readFile(join(directory, "building"), "utf8").then(Number, () => 0);
  await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0);
  const builder = await pid();
  expect(isRunning(builder)).toBe(true);
  shell.kill("SIGTERM");
  await expect.poll(() => isRunning(builder), { timeout: 5000 }).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

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
