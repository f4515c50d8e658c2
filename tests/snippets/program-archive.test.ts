import { execFile, execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packPackages } from "../../scripts/bundle/packages.ts";
import { packPrograms, programPaths } from "../../scripts/release/programs-archive.ts";
import { isLong } from "../start/long-form.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";

// The archive of the programs as a reader has it: unpacked in an empty folder, installed, and run by commands of the pages.

const root = fileURLToPath(new URL("../../", import.meta.url));
const temporary = mkdtempSync(join(tmpdir(), "keyhearth-programs-"));
const folder = join(temporary, "keyhearth-programs");
let product: SharedProduct;
let archive: Buffer;
let rootKey: string;

beforeAll(async () => {
  product = await sharedProduct();
  archive = readFileSync(join(await packPackages(root), "keyhearth-programs.tgz"));
  rootKey = await getPrograms();
}, 400_000);
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

/** The commands of the page, in a folder in which Keyhearth was started. Returns the key file that they name. */
async function getPrograms(): Promise<string> {
  symlinkSync(dirname(product.environment.KEYHEARTH_ROOT_KEY), join(temporary, "data"));
  const page = readFileSync(join(root, "apps/website/docs/getting-started/examples.mdx"), "utf8");
  const [, block = ""] = /\{\/\* #programs \*\/\}.*?```bash\n(.*?)```/s.exec(page) ?? [];
  const commands = block.replaceAll("http://localhost:3000", product.url);
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_audit: "false" };
  const { stdout } = await promisify(execFile)(
    "sh",
    ["-ec", `${commands}\nprintf '\\n%s' "$KEYHEARTH_ROOT_KEY"`],
    { cwd: temporary, env, maxBuffer: 1 << 24 },
  );
  return stdout.split("\n").at(-1) ?? "";
}

/** Runs a command of a page. Nothing of the clone is on its path. */
async function run(command: string): Promise<string> {
  const path = (process.env.PATH ?? "").split(":").filter((each) => !each.startsWith(root));
  const keyhearth = { KEYHEARTH_URL: product.url, KEYHEARTH_ROOT_KEY: rootKey };
  const env = { ...process.env, ...keyhearth, PATH: path.join(":") };
  const options = { cwd: folder, env, timeout: 120_000 };
  return (await promisify(execFile)("sh", ["-c", command], options)).stdout;
}

test("is the one that the packed command line makes apps from", async () => {
  const packed = join(await packPackages(root), "keyhearth-cli.tgz");
  const text = gunzipSync(readFileSync(packed)).toString("latin1");
  const digest = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
  expect(text.split(digest)).toHaveLength(2);
});

/** One program of each kind runs always; these run from the sources. */
const others: [string, RegExp][] = [
  ["npx node apps/website/snippets/policy-quickstart.ts", /OUTCOME_DENY/],
  ["npx node apps/website/snippets/sign-solana.ts", /signed the message: 64 bytes/],
  ["sh apps/website/snippets/signing-automation-quickstart.sh", /02[0-9a-f]{20}/],
];

test.each([
  ["npx node apps/website/snippets/connection.ts", /ACTIVITY_STATUS_COMPLETED/],
  ["npx node apps/website/snippets/sign-with-ethers.ts", /signed: true/],
  ["npm run treasury --prefix examples/treasury -- setup", /0x[0-9a-fA-F]{40}/],
  ...(isLong ? others : []),
] as [string, RegExp][])(
  "%s",
  async (command, printed) => {
    expect(await run(command)).toMatch(printed);
  },
  150_000,
);

const hasPython = spawnSync("python3", ["-c", "import cryptography"]).status === 0;
test.runIf(isLong && hasPython)(
  "the Python client",
  async () => {
    expect(await run("cd examples/python && python3 main.py")).toMatch(/0x[0-9a-fA-F]{40}/);
  },
  150_000,
);

const hasGo = spawnSync("go", ["version"]).status === 0;
test.runIf(isLong && hasGo)(
  "the Go client",
  async () => {
    expect(await run("cd examples/go && go run .")).toMatch(/0x[0-9a-fA-F]{40}/);
  },
  200_000,
);

test("the archive has programs only, is small, and is the same each time", async () => {
  const sdk = readFileSync(join(await packPackages(root), "keyhearth-sdk.tgz"));
  expect(archive.equals(await packPrograms(root, sdk))).toBe(true);
  expect(archive.length - sdk.length).toBeLessThan(300_000);
  const paths = programPaths(root);
  const tracked = execFileSync("git", ["ls-files", "apps/website/snippets", "examples"], {
    cwd: root,
    encoding: "utf8",
  }).split("\n");
  expect(paths.filter((path) => !tracked.includes(path))).toEqual([]);
  expect(paths.filter((path) => /test|\.out\.txt$/i.test(path))).toEqual([]);
  expect(gunzipSync(archive).includes('apiPrivateKey":"')).toBe(false);
});
