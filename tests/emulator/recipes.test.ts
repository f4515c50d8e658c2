import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";
import { linkPackages } from "../sdk/install.ts";
import { isLong } from "../start/long-form.ts";
import {
  copySnippets,
  makeProject,
  nodes,
  npm,
  type Project,
  root,
  runIn,
  snippets,
} from "./project.ts";

// The recipes of the page about the emulator, run as they stand there.

vi.setConfig({ testTimeout: 300_000 });

let project: Project;
beforeAll(async () => {
  project = await makeProject();
}, 300_000);
afterAll(() => project?.remove());

/** Each recipe has a folder in the project, and finds its packages there. */
function folderOf(recipe: string): string {
  const folder = join(project.folder, recipe);
  copySnippets(recipe, folder);
  return folder;
}

const bare = { NODE_OPTIONS: "", VITEST: "", VITEST_WORKER_ID: "", VITEST_POOL_ID: "", TEST: "" };

describe("with Vitest,", () => {
  beforeAll(() => linkPackages(project.folder, ["vitest"]));

  test("the recipe's tests pass, and so do the types", async () => {
    const folder = folderOf("vitest");
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    const more = ["--allowImportingTsExtensions", "--skipLibCheck", "--ignoreConfig"];
    const types = ["--typeRoots", join(root, "node_modules/@types"), "--types", "node"];
    const files = ["emulator.ts", "client.ts", "wallet.test.ts"];
    const tsc = [join(root, "node_modules/.bin/tsc"), ...options, ...more, ...types, ...files];
    const checked = await runIn(folder, tsc);
    expect([checked.code, checked.stdout]).toEqual([0, ""]);
    const command = [process.execPath, "../node_modules/vitest/vitest.mjs", "run"];
    const { code, stdout, stderr } = await runIn(folder, command, bare);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/Tests .*2 passed/);
  });

  const files = isLong ? 100 : 6;
  test(`${files} files that run beside each other share one emulator, each with its own organization`, async () => {
    const folder = folderOf("vitest");
    for (let i = 0; i < files; i++) writeFileSync(join(folder, `own-${i}.test.ts`), ownTest(i));
    const reported = join(folder, "report.json");
    const command = [process.execPath, "../node_modules/vitest/vitest.mjs", "run", "own-"];
    const report = ["--reporter=json", `--outputFile=${reported}`];
    const { code, stderr } = await runIn(
      folder,
      [...command, ...report, "--testTimeout=60000"],
      bare,
    );
    expect([code, stderr]).toEqual([0, ""]);
    const { numPassedTests, numTotalTestSuites } = JSON.parse(readFileSync(reported, "utf8"));
    expect([numPassedTests, numTotalTestSuites]).toEqual([files, files]);
  });
});

/** Every file takes the same names, and would see the wallets of another one. */
const ownTest = (number: number) => `
import { expect, test } from "vitest";
import { newClient } from "./client.ts";

test("only its own wallet is there", async () => {
  const client = await newClient();
  const accounts = [{
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: "m/44'/60'/0'/0/${number}",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  }];
  const { addresses } = await client.createWallet({ walletName: "Treasury", accounts });
  const { r } = await client.signRawPayload({
    signWith: addresses[0],
    payload: "${"ab".repeat(32)}",
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });
  expect(r).toMatch(/^[0-9a-f]{64}$/);
  expect((await client.listWallets()).wallets).toHaveLength(1);
});
`;

/** What a step of a workflow gives to its shell, with its variables. */
type Step = { run?: string; uses?: string; env?: Record<string, string> };

test("with GitHub Actions, the steps of the workflow run one after another", async () => {
  const workflow = parse(readFileSync(join(snippets, "github/test.yml"), "utf8"));
  const { steps } = workflow.jobs.test as { steps: Step[] };
  expect(steps.flatMap(({ uses }) => uses ?? [])).toEqual([
    expect.stringMatching(/^actions\/checkout@v\d+$/),
    expect.stringMatching(/^actions\/setup-node@v\d+$/),
  ]);
  const folder = join(project.folder, "github");
  mkdirSync(folder, { recursive: true });
  const smoke = `node --eval 'fetch(process.env.KEYHEARTH_URL + "/healthz").then((each) => console.log(each.status, require("fs").existsSync(process.env.KEYHEARTH_ROOT_KEY)))'`;
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ private: true, scripts: { smoke } }),
  );
  const runs = steps.filter(({ run = "npm ci" }) => run !== "npm ci" && !run.includes("vitest"));
  expect(runs).toHaveLength(3);
  // As a runner does: a shell for each step. What a step leaves behind ends with the job.
  const lines = runs.map(({ run = "", env = {} }) => {
    const behind = /^(.+) &$/.exec(run);
    if (behind) return `${behind[1]} > emulator.log 2>&1 & left=$!`;
    const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    return `env ${variables.join(" ")} sh -c '${run}'`;
  });
  const job = ["set -em", "trap 'kill -- -$left' EXIT", ...lines]
    .join("\n")
    .replaceAll("3100", `${await freePort()}`);
  const { code, stdout, stderr } = await runIn(folder, ["bash", "-c", job], bare);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/^200 true$/m);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // it listens on a port
  await new Promise((resolve) => server.close(resolve));
  return port;
}

// `npm run e2e` has these, because the runners are downloaded.
describe.runIf(isLong)("with runners that are installed,", () => {
  test("the recipe for Jest passes on each Node.js", async () => {
    const folder = folderOf("jest");
    await npm(project.folder, ["install", "--save-dev", "jest@30"]);
    for (const [name, node] of await nodes()) {
      const command = [node, "--experimental-vm-modules", "../node_modules/jest/bin/jest.js"];
      const { code, stderr } = await runIn(folder, command, bare);
      expect([name, code, stderr]).toEqual([name, 0, expect.stringMatching(/Tests: +1 passed/)]);
    }
  });

  test("the recipe for Playwright passes in a browser", async () => {
    const folder = folderOf("playwright");
    await npm(project.folder, ["install", "--save-dev", "@playwright/test@1.65"]);
    // The browser of the machine, as Playwright's own is a download of its own.
    const { browserPath } = await import("../start/browser.ts");
    const config = join(folder, "playwright.config.ts");
    const launch = `use: { launchOptions: { executablePath: ${JSON.stringify(browserPath)}, args: ["--no-sandbox"] }, `;
    writeFileSync(config, readFileSync(config, "utf8").replace("use: { ", launch));
    const command = [process.execPath, "../node_modules/@playwright/test/cli.js", "test"];
    const { code, stdout, stderr } = await runIn(folder, command, bare);
    expect([code, stderr, stdout]).toEqual([0, "", expect.stringMatching(/2 passed/)]);
  });
});
