import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { secp256k1 } from "@noble/curves/secp256k1";
import { keccak_256 } from "@noble/hashes/sha3";
import { type Hex, recoverMessageAddress } from "viem";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../packages/sdk/scripts/published/entries.ts";
import { browserPath, launchBrowser, openAuthenticator } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { installPackage, linkPackages, peers, root, run } from "./install.ts";
import { startNextApp } from "./next-app.ts";

// The package as an integrator gets it, installed from its tarball, against the product.

let project: string;
let product: SharedProduct;

beforeAll(async () => {
  [project, product] = await Promise.all([installPackage(), sharedProduct()]);
  writeFileSync(join(project, "sign.mjs"), sampleOfReadme());
}, 120_000);

afterAll(() => {
  if (project) rmSync(dirname(project), { recursive: true, force: true });
});

/** The first sample of the package's own page. */
function sampleOfReadme(): string {
  const readme = readFileSync(join(root, "packages/sdk/README.md"), "utf8");
  const [, sample] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
  if (!sample) throw new Error("the README of the SDK has no sample");
  return sample;
}

/** Runs the sample in the project and checks its signature with a library that is not ours. */
async function expectSignature(command: string, args: string[] = ["sign.mjs"]): Promise<void> {
  const { stdout } = await run(command, args, project, product.environment);
  const { address, r, s, v } = JSON.parse(stdout.trim());
  const signature = secp256k1.Signature.fromCompact(r + s).addRecoveryBit(Number.parseInt(v, 16));
  const digest = keccak_256(new TextEncoder().encode("hello, hearth"));
  const signer = signature.recoverPublicKey(digest).toRawBytes(false).slice(1);
  const hex = Buffer.from(keccak_256(signer).slice(-20)).toString("hex");
  expect(address.toLowerCase()).toBe(`0x${hex}`);
}

test("the sample of the README signs from an installed package", async () => {
  await expectSignature(process.execPath);
});

// `npm run e2e` has these, because the runtimes are downloaded.
describe.runIf(isLong)("the sample of the README also signs on", () => {
  test.each([
    ["node", "20", "node/bin/node", ["sign.mjs"]],
    ["node", "22", "node/bin/node", ["sign.mjs"]],
    ["node", "24", "node/bin/node", ["sign.mjs"]],
    ["bun", "1.4.5", ".bin/bun", ["sign.mjs"]],
    ["deno", "2.9.6", ".bin/deno", ["run", "--allow-all", "sign.mjs"]],
  ])("%s %s", { timeout: 300_000 }, async (name, version, binary, args) => {
    const directory = join(dirname(project), `${name}-${version}`);
    mkdirSync(directory);
    const manifest = { private: true, allowScripts: { [name]: true } };
    writeFileSync(join(directory, "package.json"), JSON.stringify(manifest));
    // A download needs what the environment says about proxies and certificates.
    const settings = { ...process.env };
    await run("npm", ["install", "--prefer-offline", `${name}@${version}`], directory, settings);
    await expectSignature(join(directory, "node_modules", binary), args);
  });
});

describe.runIf(isLong)("in an application,", () => {
  test("a page that Vite built signs in a browser", { timeout: 120_000 }, async () => {
    const code = `import { ApiKeyStamper, Connection, whoami } from "@keyhearth/sdk";
      globalThis.ask = ({ baseUrl, organizationId, ...key }) =>
        whoami(new Connection({ baseUrl, organizationId, stamper: new ApiKeyStamper(key) }));`;
    const app = join(project, "app");
    mkdirSync(app);
    writeFileSync(join(app, "main.js"), code);
    const script = '<!doctype html><script type="module" src="/main.js"></script>';
    writeFileSync(join(app, "index.html"), script);
    await run(join(root, "node_modules/.bin/vite"), ["build"], app);
    const files = readdirSync(join(app, "dist/assets")).map((name) =>
      join(app, "dist/assets", name),
    );
    const [main = ""] = files.filter((file) => /index-.*\.js$/.test(file));
    if (!browserPath) throw new Error("no browser");
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      // The site of the service is a page on which scripts may run and which is a secure context.
      await page.goto(`${product.url}/healthz`);
      await page.addScriptTag({ content: readFileSync(main, "utf8"), type: "module" });
      const answer = await page.evaluate(
        // The page's own script has defined it.
        (options) => (globalThis as unknown as { ask(o: object): Promise<object> }).ask(options),
        { baseUrl: product.url, ...product.root },
      );
      expect(answer).toMatchObject({ organizationId: product.root.organizationId });
    } finally {
      await browser.close();
    }
  });

  test("the Next.js app of the quickstart signs up, signs, and stays logged in", {
    timeout: 600_000,
  }, async () => {
    if (!browserPath) throw new Error("no browser");
    const { organizationId } = product.root;
    const baseUrl = product.url.replace("127.0.0.1", "localhost");
    const { sessionPublicKey } = await (
      await fetch(`${baseUrl}/.well-known/keyhearth.json`)
    ).json();
    const app = await startNextApp(project, join(root, "apps/website/snippets/next-wallet"), {
      NEXT_PUBLIC_KEYHEARTH_URL: baseUrl,
      NEXT_PUBLIC_ORGANIZATION_ID: organizationId,
      NEXT_PUBLIC_SESSION_PUBLIC_KEY: sessionPublicKey,
      KEYHEARTH_ROOT_KEY: product.environment.KEYHEARTH_ROOT_KEY,
    });
    const browser = await launchBrowser();
    try {
      const page = await browser.newPage();
      await openAuthenticator(page);
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      await page.goto(`${app.url}/dashboard`);
      await page.getByRole("link", { name: "Log in first" }).click();
      await page.getByLabel("Name").fill("Ada");
      await button("Sign up").click();
      await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
      const address = await page.locator("code").textContent();
      await button("Sign a message").click();
      const signature = await page.locator("output").textContent();
      expect(
        await recoverMessageAddress({
          message: "Hello from Keyhearth",
          signature: signature as Hex, // viem refuses anything else
        }),
      ).toBe(address);

      await page.reload();
      await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
      await button("Log out").click();
      await page.getByRole("link", { name: "Log in first" }).click();
      await button("Log in").click();
      await page.getByRole("heading", { name: "Hello, Ada" }).waitFor();
      expect(await page.locator("code").textContent()).toBe(address);

      const body = JSON.stringify({ name: "Mallory", apiKey: { publicKey: "02" } });
      const headers = { "content-type": "application/json" };
      const request = { method: "POST", headers, body };
      const refused = await fetch(`${app.url}/sign-up`, request);
      expect(refused.status).toBe(400);
      expect((await refused.json()).error).toContain("authenticators");
    } finally {
      await browser.close();
      await app.stop();
    }
  });

  test("a component is rendered on a server", async () => {
    await linkPackages(project, ["react", "react-dom"]);
    const code = `import { createElement } from "react";
      import { renderToString } from "react-dom/server";
      import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
      const { baseUrl, organizationId, ...key } = JSON.parse(process.env.OPTIONS);
      const client = new KeyhearthClient({ baseUrl, organizationId, stamper: new ApiKeyStamper(key) });
      const { username } = await client.whoami();
      console.log(renderToString(createElement("p", {}, username)));`;
    writeFileSync(join(project, "server.mjs"), code);
    const OPTIONS = JSON.stringify({ baseUrl: product.url, ...product.root });
    const { stdout } = await run(process.execPath, ["server.mjs"], project, { OPTIONS });
    expect(stdout).toMatch(/^<p>.+<\/p>\n$/);
  });
});

test("the package has code, types and source maps, and nothing of ours that is not published", () => {
  const sdk = join(project, "node_modules/@keyhearth/sdk");
  const files = readdirSync(sdk, { recursive: true, encoding: "utf8" });
  expect(files).toEqual(expect.arrayContaining(["LICENSE", "README.md", "package.json"]));
  expect(
    files.filter((file) => /\.test(ing)?\.|\.tsx?$/.test(file.replace(/\.d\.ts$/, ""))),
  ).toEqual([]);
  expect(readdirSync(join(project, "node_modules/@keyhearth"))).toEqual(["sdk"]);
  for (const file of files.filter((name) => /\.(js|d\.ts)$/.test(name))) {
    const text = readFileSync(join(sdk, file), "utf8");
    expect(text, file).not.toMatch(/(from |import\(|import )"(@keyhearth\/|#)/);
    if (!file.startsWith("sdk/server")) expect(text, file).not.toMatch(/from "node:|\bBuffer\b/);
    if (file.endsWith(".js")) expect(files).toContain(`${file}.map`);
  }
  for (const file of files.filter((name) => name.endsWith(".map"))) {
    const { sources, sourceRoot = "" } = JSON.parse(readFileSync(join(sdk, file), "utf8"));
    const own = `keyhearth:///packages/${file.replace("/", "/src/").replace(".js.map", ".ts")}`;
    // Relative paths would name the folders of whoever built the package.
    expect([sources.length, sources[0].replace(/x$/, ""), sourceRoot], file).toEqual([1, own, ""]);
  }
});

test("every subpath can be imported by Node.js", async () => {
  // React has its types in a package of their own, which TypeScript users install beside it.
  await linkPackages(project, [...peers, "@types/react"]);
  const names = entries.map(({ subpath }) => `@keyhearth/sdk${subpath.slice(1)}`);
  const code = `for (const name of ${JSON.stringify(names)}) console.log(Object.keys(await import(name)).length);`;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], project);
  const counts = stdout.trim().split("\n").map(Number);
  expect(counts).toHaveLength(names.length);
  expect(Math.min(...counts)).toBeGreaterThan(0);
});

describe("a program in strict TypeScript, which also checks the declarations, is accepted", () => {
  /** What servers use. Types of browsers are not declared there. */
  const onServers = new Set([".", "./advice", "./crypto", "./server"]);
  onServers.add("./stampers/api-key").add("./stampers/api-key-portable");
  onServers.add("./stampers/native-passkey");
  const resolutions = [
    { module: "esnext", moduleResolution: "bundler" },
    ...(isLong ? [{ module: "node16", moduleResolution: "node16" }] : []),
    { module: "nodenext", moduleResolution: "nodenext" },
    { module: "nodenext", moduleResolution: "nodenext", lib: ["es2022"], types: ["node"] },
  ];
  test.each(resolutions)("%o", async (options) => {
    const snippet = readFileSync(join(root, "apps/website/snippets/sign-a-message.ts"), "utf8");
    writeFileSync(join(project, "sign.ts"), snippet);
    const usable = entries.filter(({ subpath }) => !("lib" in options) || onServers.has(subpath));
    const names = usable.map(({ subpath }) => `@keyhearth/sdk${subpath.slice(1)}`);
    const imports = names.map((name, at) => `import * as entry${at} from "${name}";`);
    const uses = `export const used = [${names.map((_, at) => `entry${at}`).join(", ")}];`;
    writeFileSync(join(project, "entries.ts"), `${imports.join("\n")}\n${uses}\n`);
    const compilerOptions = {
      ...options,
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      // Our declarations are checked, and those of the language itself are not.
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      noEmit: true,
    };
    const config = { compilerOptions, files: ["sign.ts", "entries.ts"] };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify(config));
    expect(await problemsOf("tsconfig.json")).toEqual([]);
  });

  test("and one that gives a field the wrong type is not", async () => {
    const code = 'import { whoami } from "@keyhearth/sdk"; whoami("here", {});\n';
    writeFileSync(join(project, "wrong.ts"), code);
    // The declarations have been checked.
    const compilerOptions = { skipLibCheck: true };
    const config = { extends: "./tsconfig.json", compilerOptions, files: ["wrong.ts"] };
    writeFileSync(join(project, "wrong.json"), JSON.stringify(config));
    expect(await problemsOf("wrong.json")).toEqual([expect.stringContaining("TS2345")]);
  });

  /** What tsc says about the program and about our declarations, not about those of other packages. */
  async function problemsOf(config: string): Promise<string[]> {
    const tsc = join(root, "node_modules/.bin/tsc");
    // Several threads would each check what the others need too.
    const args = ["-p", config, "--singleThreaded", "--pretty", "false"];
    const output = await run(tsc, args, project).then(
      () => "",
      (error: Error) => error.message,
    );
    const lines = output.split("\n").filter((line) => /error TS\d+/.test(line));
    return lines.filter((line) => !/^\S*node_modules\/(?!@keyhearth\/)/.test(line));
  }
});
