import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transformSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newApiKey } from "../self-hosting/keys.ts";
import { clientOf } from "../start/process.ts";
import { type SharedProduct, sharedProduct } from "../start/shared.ts";
import { findLanguages, run } from "./toolchains.ts";

// The programs that the API reference makes for each operation. All of them parse, and two of them run as readers would
// run them: in a folder with the key file, against the real service.

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

type SampleLanguage = "curl" | "TypeScript" | "Go" | "Python";

// The site's modules have a compiler's configuration of their own.
const { programOf, readSample } = await import(
  root("apps/website/src/components/samples/programs.ts")
);
const { registrationOf } = await import(root("apps/website/src/components/try-it/registration.ts"));
const contract = JSON.parse(readFileSync(root("contract/openapi.json"), "utf8"));

// Node.js finds the SDK from here.
mkdirSync(root("node_modules/.cache"), { recursive: true });
const folder = mkdtempSync(root("node_modules/.cache/samples-"));
const languages = findLanguages(folder);
const named = (name: string) => languages.find((language) => language.name === name);
const hasTool = (name: string) => named(name)?.missing === undefined || Boolean(process.env.CI);

let service: SharedProduct;

beforeAll(async () => {
  service = await sharedProduct();
  mkdirSync(join(folder, "data"));
  cpSync(service.environment.KEYHEARTH_ROOT_KEY, join(folder, "data/root-api-key.json"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const paths = Object.keys(contract.paths).filter((path) => path.startsWith("/public/v1/"));
const operations = paths.map((path) => {
  const [, kind, name] = /\/(query|submit)\/(\w+)$/.exec(path) ?? [];
  const { example } = contract.paths[path].post.requestBody.content["application/json"];
  return {
    name: String(name),
    kind: kind === "query" ? ("query" as const) : ("submit" as const),
    example,
  };
});

/** The program for an operation, with its example or what a test changes of it. */
function programFor(language: SampleLanguage, name: string, change: object = {}): string {
  const operation = operations.find((each) => each.name === name);
  if (!operation) throw new Error(`the contract has no operation \`${name}\``);
  const { organizationId } = service.root;
  const { example } = operation;
  const parameters = example.parameters && { ...example.parameters, ...change };
  const body = JSON.stringify({ ...example, organizationId, ...(parameters && { parameters }) });
  return programOf(language, readSample(name, operation.kind, body), service.url);
}

const all = (language: SampleLanguage) =>
  operations.map(({ name }) => ({ name, text: programFor(language, name) }));

/** Writes a program, and returns what prints its answer. */
const runners: Record<SampleLanguage, (text: string) => Promise<string>> = {
  async curl(text) {
    return execFileSync("sh", ["-c", text], { cwd: folder, encoding: "utf8" });
  },
  async TypeScript(text) {
    writeFileSync(join(folder, "sample.mjs"), text);
    return execFileSync(process.execPath, ["sample.mjs"], { cwd: folder, encoding: "utf8" });
  },
  async Go(text) {
    cpSync(root("examples/go"), join(folder, "go"), { recursive: true });
    writeFileSync(join(folder, "go/main.go"), text);
    const language = named("Go");
    if (!language) throw new Error("the examples have a program in Go");
    const at = { ...language, folder: join(folder, "go") };
    const built = await run(at, ["go", "build", "-o", join(folder, "sample"), "."]);
    expect(built.stderr).toBe("");
    return execFileSync(join(folder, "sample"), { cwd: folder, encoding: "utf8" });
  },
  async Python(text) {
    writeFileSync(join(folder, "sample.py"), text);
    const python = named("Python")?.program[0] ?? "python3";
    const env = { ...process.env, PYTHONPATH: root("examples/python") };
    return execFileSync(python, ["sample.py"], { cwd: folder, encoding: "utf8", env });
  },
};

describe.each(["curl", "TypeScript", "Go", "Python"] as const)("in %s", (language) => {
  const isThere = language === "curl" || language === "TypeScript" || hasTool(language);

  test.runIf(isThere)("a query and a submission are answered", { timeout: 60_000 }, async () => {
    const told = await runners[language](programFor(language, "whoami"));
    expect(told).toContain(service.root.userId);
    const walletName = `Sample in ${language}, it's ${Date.now()}`;
    const created = await runners[language](programFor(language, "create_wallet", { walletName }));
    const { wallets } = await clientOf(service, service.root).listWallets();
    const wallet = wallets.find((each) => each.walletName === walletName);
    expect(created).toContain(wallet?.walletId);
  });
});

test("the command that registers a key of the browser registers it", async () => {
  const key = newApiKey();
  const command = registrationOf(key.apiPublicKey, service.url);
  const path = `${dirname(process.execPath)}:${process.env.PATH}`;
  execFileSync("sh", ["-c", command], { cwd: folder, env: { ...process.env, PATH: path } });
  const me = await clientOf(service, { ...service.root, ...key }).whoami();
  expect(me.userId).toBe(service.root.userId);
});

describe("the programs of all operations parse", () => {
  test("in a shell", () => {
    const shells = join(folder, "shells");
    mkdirSync(shells);
    const programs = all("curl");
    for (const { name, text } of programs) writeFileSync(join(shells, name), text);
    // One shell starts the others, and says which of them refuse.
    const parse = 'for each in *; do sh -n "$each" && echo parsed || echo "$each"; done';
    const told = execFileSync("sh", ["-c", parse], { cwd: shells, encoding: "utf8" });
    expect(told.trim().split("\n")).toEqual(programs.map(() => "parsed"));
  });

  test("in TypeScript", () => {
    for (const { text } of all("TypeScript")) transformSync(text, { loader: "ts" });
  });

  test.runIf(hasTool("Go"))("in Go", () => {
    const files = all("Go").map(({ name, text }) => {
      writeFileSync(join(folder, `${name}.go`), text);
      return `${name}.go`;
    });
    execFileSync("gofmt", ["-e", ...files], { cwd: folder, stdio: "pipe" });
  });

  test.runIf(hasTool("Python"))("in Python", () => {
    const check = "import json, sys\nfor text in json.load(sys.stdin): compile(text, 'x', 'exec')";
    const python = named("Python")?.program[0] ?? "python3";
    const input = JSON.stringify(all("Python").map(({ text }) => text));
    execFileSync(python, ["-c", check], { input, stdio: "pipe" });
  });
});
