import { execFile } from "node:child_process";
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { secp256k1 } from "@noble/curves/secp256k1";
import { keccak_256 } from "@noble/hashes/sha3";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import {
  copySnippets,
  makeProject,
  nodes,
  type Project,
  root,
  runIn,
  snippets,
  startIn,
} from "./project.ts";

// The emulator as users get it: command line and SDK from their tarballs in an empty folder, outside the clone.

vi.setConfig({ testTimeout: 120_000 });

let project: Project;
let versions: Awaited<ReturnType<typeof nodes>>;
beforeAll(async () => {
  [project, versions] = await Promise.all([makeProject(), nodes()]);
  copySnippets("first.mjs", join(project.folder, "first.mjs"));
}, 300_000);
afterAll(() => project?.remove());

const installed = () => join(project.folder, "node_modules/@keyhearth/cli");
const emulator = () => join(installed(), "dist/emulator");
const bin = () => join(installed(), "bin/keyhearth.mjs");

/** By a library that is not ours. */
function expectSignature(stdout: string) {
  const { address, r, s, v } = JSON.parse(stdout.trim());
  const signature = secp256k1.Signature.fromCompact(r + s).addRecoveryBit(Number.parseInt(v, 16));
  const digest = keccak_256(new TextEncoder().encode("hello, hearth"));
  const signer = signature.recoverPublicKey(digest).toRawBytes(false).slice(1);
  const hex = Buffer.from(keccak_256(signer).slice(-20)).toString("hex");
  expect(address.toLowerCase()).toBe(`0x${hex}`);
}

describe("the package", () => {
  // Both are refused to it.
  test("makes a wallet and signs on each Node.js that it promises, without files and native code", async () => {
    const before = globSync("**/*", { cwd: project.folder }).toSorted();
    for (const [name, node] of versions) {
      const permission = name.startsWith("20.") ? "--experimental-permission" : "--permission";
      const rights = [permission, "--allow-fs-read=*", "--allow-worker"];
      const { code, stdout, stderr } = await runIn(project.folder, [node, ...rights, "first.mjs"]);
      expect([name, code, stderr.replace(/.*(Warning|--trace-warnings).*\n/g, "")]).toEqual([
        name,
        0,
        "",
      ]);
      expectSignature(stdout);
    }
    expect(globSync("**/*", { cwd: project.folder }).toSorted()).toEqual(before);
  });

  test("has types", async () => {
    const program = `import { connectEmulator, startEmulator, type Emulator } from "@keyhearth/cli/emulator";
      const emulator: Emulator = await startEmulator({ port: 0 });
      const { organizationId } = await connectEmulator(emulator.url).createOrganization();
      export const id: string = organizationId;
      // @ts-expect-error There is no such option.
      await startEmulator({ host: "0.0.0.0" });
      // @ts-expect-error The clock takes a number.
      await emulator.moveClock("1 h");`;
    writeFileSync(join(project.folder, "typed.mts"), program);
    onTestFinished(() => rmSync(join(project.folder, "typed.mts")));
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2023"];
    const tsc = [join(root, "node_modules/.bin/tsc"), ...options, "--types", "", "--ignoreConfig"];
    const { code, stdout } = await runIn(project.folder, [...tsc, "typed.mts"]);
    expect([code, stdout]).toEqual([0, ""]);
  });

  // A change that raises a bound says why. 1.1 MB of it is the server for agents, which one command alone loads: it verifies
  // what each chain signs.
  test("is small, and has neither native code nor scripts that run when it is installed", () => {
    expect(statSync(project.tarball).size).toBeLessThan(7_300_000);
    const files = globSync("**/*", { cwd: installed(), withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    const paths = files.map(({ parentPath, name }) => join(parentPath, name));
    expect(paths.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(12_600_000);
    expect(paths.filter((path) => /\.(node|so|dll|dylib)$|binding\.gyp$/.test(path))).toEqual([]);
    const manifest = JSON.parse(readFileSync(join(installed(), "package.json"), "utf8"));
    expect([manifest.scripts, manifest.optionalDependencies]).toEqual([undefined, undefined]);
    expect(Object.keys(manifest.dependencies)).toEqual(["commander", "jsonc-parser"]);
  });

  test("has nothing that sends messages, keeps files or draws pictures", () => {
    const contents = JSON.parse(readFileSync(join(emulator(), "contents.json"), "utf8"));
    const modules = Object.values<{ modules: object }>(contents).flatMap((each) =>
      Object.keys(each.modules),
    );
    expect(modules).toContain("packages/engine/src/submission/submit.ts");
    expect(modules).toContain("apps/signer/src/in-memory.ts");
    const unwanted =
      /node_modules\/(sharp|nodemailer|twilio|secp256k1|@modelcontextprotocol|minisearch)\/|signer\/src\/(signer|worker|main)\.ts|marks-store|api\/src\/(library|demo)\//;
    expect(modules.filter((each) => unwanted.test(each))).toEqual([]);
  });

  test("uses nothing of ours that came after Node.js 20.18", () => {
    const contents = JSON.parse(readFileSync(join(emulator(), "contents.json"), "utf8"));
    const own = Object.values<{ modules: object }>(contents)
      .flatMap((each) => Object.keys(each.modules))
      .filter((each) => /^(apps|packages)\//.test(each));
    const later = [
      /\bPromise\.(withResolvers|try)\b/,
      /\b(Map|Object)\.groupBy\b/,
      /\bURL\.parse\b/,
      /\bArray\.fromAsync\b/,
      /\bRegExp\.escape\b/,
      /\bError\.isError\b/,
      /\bIterator\.(from|prototype)\b/,
      /\.(union|intersection|difference|isSubsetOf|isSupersetOf|isDisjointFrom)\(new Set/,
      /\.(values|keys|entries)\(\)\s*\.(map|filter|take|drop|toArray|some|every|find|reduce)\(/,
      /Uint8Array\.from(Hex|Base64)\b/,
      /import \{[^}]*\b(zstd\w+|globSync)\b[^}]*\} from "node:/,
      /from "node:sqlite"/,
    ];
    const found = own.flatMap((file) => {
      const text = readFileSync(join(root, file), "utf8").replace(/^ *(\/\/|\*|\/\*\*).*$/gm, "");
      return later.filter((each) => each.test(text)).map((each) => `${file}: ${each}`);
    });
    expect(own.length).toBeGreaterThan(300);
    expect(found).toEqual([]);
  });
});

describe("keyhearth dev", () => {
  const ready = /^\}$/m;

  // These run on the oldest Node.js, because tests/cli has the pinned one.
  test("says where it is, keeps the key in a file, and goes on with it", async () => {
    const [[, node]] = versions;
    const keyFile = join(project.folder, "emulator-key.json");
    rmSync(keyFile, { force: true });
    const command = [node, bin(), "dev", "--port", "0", "--json", "--key-file", keyFile];
    const first = await startIn(project.folder, command, { until: ready });
    const told = JSON.parse(first.stdout());
    expect(told).toEqual({
      url: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      organizationId: expect.any(String),
      userId: expect.any(String),
      apiPublicKey: expect.stringMatching(/^0[23][0-9a-f]{64}$/),
      keyFile,
    });
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
    const kept = JSON.parse(readFileSync(keyFile, "utf8"));
    expect(first.stdout()).not.toContain(kept.apiPrivateKey);
    await signAsReadmeDoes(node, told.url, keyFile);
    expect(await first.stop()).toBe(0);
    await expect(fetch(`${told.url}/healthz`)).rejects.toThrow();

    const second = await startIn(project.folder, command, { until: ready });
    const again = JSON.parse(second.stdout());
    const { organizationId, apiPublicKey } = told;
    expect(again).toMatchObject({ organizationId, apiPublicKey });
    const { userId, apiPrivateKey } = JSON.parse(readFileSync(keyFile, "utf8"));
    expect([userId, apiPrivateKey]).toEqual([again.userId, kept.apiPrivateKey]);
    await signAsReadmeDoes(node, again.url, keyFile);
    expect(await second.stop()).toBe(0);
  });

  test("tells people that it is for tests and keeps nothing", async () => {
    const [, [, node]] = versions;
    const id = "11111111-1111-4111-8111-111111111111";
    const publicKey = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    const flags = ["--port=0", `--organization-id=${id}`, `--api-public-key=${publicKey}`];
    const command = [node, bin(), "dev", ...flags];
    const running = await startIn(project.folder, command, { until: /Ctrl\+C/ });
    const lines = running
      .stdout()
      .split("\n")
      .map((line) => line.trim().split(/ {2,}/));
    expect(running.stdout()).toContain(
      "It is for tests: everything is in memory, and gone when it stops.",
    );
    expect(Object.fromEntries(lines)).toMatchObject({
      API: expect.stringMatching(/^http:\/\/localhost:\d+$/),
      Organization: id,
      "API public key": publicKey,
      "Private key": "you have it",
    });
    expect(await running.stop()).toBe(0);
  });

  test("mistakes get one sentence, and the usage names every option", async () => {
    const [, [, node]] = versions;
    const dev = (...args: string[]) => runIn(project.folder, [node, bin(), "dev", ...args]);
    writeFileSync(join(project.folder, "no-key.json"), '{"apiPrivateKey":"11"');
    const key = `02${"ff".repeat(32)}`;
    for (const [args, sentence] of [
      [["--port", "x"], "--port is `x`; use a whole number from 0 to 65535, and 0 for a free port"],
      [["--organization-id", "acme"], "--organization-id is `acme`; use a UUID in lower case"],
      [["--api-public-key", key], `--api-public-key is \`${key}\`; use the compressed public key`],
      [["--key-file", "no-key.json"], "no-key.json is not a key file of an emulator"],
      [
        ["--port", "0", "--key-file", "none/key.json"],
        "the key file none/key.json cannot be written (ENOENT)",
      ],
      [["--key-file", "a.json", "--api-public-key", key], "give one of the two"],
      [["--prot", "1"], "unknown option '--prot'"],
    ] as const) {
      const { code, stdout, stderr } = await dev(...args);
      expect([args, code, stdout]).toEqual([args, 2, ""]);
      expect(stderr).toMatch(/^keyhearth: [^\n]+\n(add --help to see the usage\n)?$/);
      expect(stderr).toContain(sentence);
    }
    const { stdout } = await dev("--help");
    for (const each of ["--port", "--organization-id", "--api-public-key", "--key-file"]) {
      expect(stdout).toContain(each);
    }
  });
});

describe("keyhearth mcp", () => {
  test("serves an agent that the package made, and only its process loads the protocol", async () => {
    const policy = {
      ...{ policyName: "{{agent}} signs messages", effect: "EFFECT_ALLOW" },
      condition: "activity.kind == 'SIGN_RAW_PAYLOAD'",
      consensus: "approvers.any(user, user.id == '{{agent}}')",
    };
    writeFileSync(join(project.folder, "agent.json"), JSON.stringify(policy));
    const [[name, node]] = versions;
    const keyFile = join(project.folder, `agent-of-${name}.json`);
    const dev = [node, bin(), "dev", "--port", "0", "--json", "--key-file", keyFile];
    const running = await startIn(project.folder, dev, { until: /^\}$/m });
    onTestFinished(async () => void (await running.stop()));
    const { url } = JSON.parse(running.stdout());
    const config = join(project.folder, `config-${name}`);
    const env = { XDG_CONFIG_HOME: config, KEYHEARTH_URL: url, KEYHEARTH_ROOT_KEY: keyFile };
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await runIn(project.folder, [node, bin(), ...args], env);
      expect([name, args, code, stderr]).toEqual([name, args, 0, expect.any(String)]);
      return JSON.parse(stdout);
    };
    const { accounts } = await run("wallets", "create", "w", "--account", "ethereum", "--json");
    await run("profile", "add", "root", "--url", url, "--key", keyFile, "--json");
    const create = ["agent", "create", "trader", "--policy", "agent.json", "--profile", "root"];
    await run(...create, "--yes", "--json");
    const transport = new StdioClientTransport({
      command: node,
      args: [bin(), "mcp", "--profile", "trader"],
      env: { XDG_CONFIG_HOME: config },
      ...{ cwd: project.folder, stderr: "ignore" },
    });
    const client = new Client({ name: "a test", version: "1.0.0" });
    await client.connect(transport);
    const { structuredContent } = await client.callTool({
      name: "sign_message",
      arguments: { signWith: accounts[0].address, message: "hello" },
    });
    await client.close();
    expect([name, structuredContent]).toMatchObject([name, { status: "signed" }]);
    const main = readFileSync(join(installed(), "dist/main.js"), "utf8");
    expect(main).not.toContain("protocolVersion");
    expect(globSync("skills/*/SKILL.md", { cwd: installed() }).length).toBeGreaterThan(2);
    expect(globSync("skills/**/*.json", { cwd: installed() })).toEqual([]);
  });
});

/** The first sample of the SDK's own page, with the variables of all samples. */
async function signAsReadmeDoes(node: string, url: string, keyFile: string) {
  const readme = readFileSync(
    join(project.folder, "node_modules/@keyhearth/sdk/README.md"),
    "utf8",
  );
  const [, sample = ""] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  writeFileSync(join(project.folder, "sign.mjs"), sample);
  const env = { ...process.env, KEYHEARTH_URL: url, KEYHEARTH_ROOT_KEY: keyFile };
  const options = { cwd: project.folder, env };
  expectSignature((await promisify(execFile)(node, ["sign.mjs"], options)).stdout);
}

test("the page's program is the one that was run", () => {
  const shown = readFileSync(join(snippets, "first.mjs"), "utf8");
  expect(readFileSync(join(project.folder, "first.mjs"), "utf8")).toBe(shown);
});
