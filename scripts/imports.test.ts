import { execFile } from "node:child_process";
import { cp, glob, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

type Case = { file: string; from: string; rule?: string };

const restricted = "noRestrictedImports";
const undeclared = "noUndeclaredDependencies";

// The globs of the root's configuration would not apply below a second one.
test("the root's biome.json is the only configuration of the linter", async () => {
  const paths = ["packages", "apps"].map((parent) => `${parent}/**/biome.json*`);
  const exclude = (name: string) => /node_modules|build|dist/.test(name);
  const found: string[] = [];
  for await (const path of glob(paths, { cwd: root, exclude })) found.push(path);
  expect(found).toEqual([]);
});

const workspaces = [
  "packages/crypto",
  "packages/cli",
  "packages/engine",
  "packages/outbound",
  "apps/courier",
  "packages/sdk",
  "apps/api",
  "apps/signer",
];

// Each file imports from one place. `rule` must refuse the import; without a rule it is allowed.
const cases: Case[] = [
  { file: "packages/policy/src/parse.ts", from: "./tokens.ts" },
  { file: "packages/policy/src/parse.ts", from: "zod", rule: restricted },
  { file: "packages/policy/src/parse.ts", from: "node:crypto", rule: restricted },
  { file: "packages/policy/src/parse.ts", from: "@keyhearth/crypto/keys/keys", rule: restricted },

  { file: "packages/crypto/src/stamps/stamp.ts", from: "@noble/hashes/sha2" },
  { file: "packages/crypto/src/stamps/stamp.ts", from: "#primitives" },
  { file: "packages/crypto/src/stamps/stamp.ts", from: "node:crypto", rule: restricted },
  {
    file: "packages/crypto/src/stamps/stamp.ts",
    from: "@keyhearth/engine/errors",
    rule: restricted,
  },
  { file: "packages/crypto/src/primitives/node.ts", from: "node:crypto" },
  { file: "packages/crypto/src/primitives/node.ts", from: "node:fs", rule: restricted },

  { file: "packages/engine/src/activities/create-wallet.ts", from: "@keyhearth/crypto/keys/keys" },
  { file: "packages/engine/src/activities/create-wallet.ts", from: "../declare/define.ts" },
  { file: "packages/engine/src/activities/create-wallet.ts", from: "zod" },
  { file: "packages/engine/src/policies/authorize.ts", from: "@keyhearth/policy/decide" },
  {
    file: "packages/engine/src/policies/authorize.ts",
    from: "@keyhearth/policy/advice/lints",
    rule: restricted,
  },
  {
    file: "packages/engine/src/policies/authorize.ts",
    from: "@keyhearth/policy/advice/changes",
    rule: restricted,
  },
  { file: "packages/engine/src/vault/seal.ts", from: "node:fs", rule: restricted },
  { file: "packages/engine/src/vault/seal.ts", from: "node:crypto", rule: restricted },
  { file: "packages/engine/src/vault/seal.ts", from: "pg", rule: restricted },
  { file: "packages/engine/src/vault/seal.ts", from: "@keyhearth/api/app", rule: restricted },
  {
    file: "packages/engine/src/vault/seal.ts",
    from: "../../../../apps/api/src/app.ts",
    rule: restricted,
  },
  { file: "packages/engine/src/vault/seal.ts", from: "jose", rule: undeclared },
  { file: "packages/engine/src/vault/seal.test.ts", from: "node:fs" },
  { file: "packages/engine/src/vault/seal.test.ts", from: "@keyhearth/api/testing" },

  {
    file: "packages/engine/src/vault/seal.ts",
    from: "@keyhearth/outbound/guarded-request",
    rule: restricted,
  },

  { file: "apps/courier/src/courier.ts", from: "node:net" },
  { file: "apps/courier/src/courier.ts", from: "@keyhearth/engine/messages/message" },
  { file: "apps/courier/src/courier.ts", from: "@keyhearth/outbound/guarded-request" },
  { file: "apps/courier/src/courier.ts", from: "@keyhearth/engine/errors", rule: restricted },
  { file: "apps/courier/src/courier.ts", from: "@keyhearth/signer/signer", rule: restricted },
  { file: "apps/courier/src/courier.ts", from: "@keyhearth/api/config/config", rule: restricted },
  { file: "apps/courier/src/courier.ts", from: "pg", rule: restricted },
  { file: "apps/api/src/app.ts", from: "@keyhearth/courier/courier" },

  { file: "packages/outbound/src/addresses.ts", from: "node:http" },
  { file: "packages/outbound/src/addresses.ts", from: "ipaddr.js" },
  {
    file: "packages/outbound/src/addresses.ts",
    from: "@keyhearth/crypto/keys/keys",
    rule: restricted,
  },
  {
    file: "packages/outbound/src/addresses.ts",
    from: "@keyhearth/engine/errors",
    rule: restricted,
  },

  { file: "apps/signer/src/main.ts", from: "node:net" },
  { file: "apps/signer/src/main.ts", from: "@keyhearth/outbound/guarded-request" },
  { file: "apps/signer/src/main.ts", from: "@keyhearth/engine/submission/submit" },
  { file: "apps/signer/src/main.ts", from: "@keyhearth/api/config/config", rule: restricted },
  { file: "apps/signer/src/main.ts", from: "../../api/src/config/config.ts", rule: restricted },
  { file: "apps/signer/src/main.ts", from: "pg", rule: restricted },
  { file: "apps/signer/src/main.ts", from: "@electric-sql/pglite", rule: restricted },

  { file: "apps/api/src/app.ts", from: "hono" },
  { file: "apps/api/src/app.ts", from: "node:http" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/engine/core/protocol" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/engine/activities/create-wallet" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/engine/records/wallet" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/policy/advice/lints" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/outbound/guarded-request" },
  { file: "apps/api/src/app.ts", from: "@keyhearth/engine/vault/seal", rule: restricted },
  { file: "apps/api/src/app.ts", from: "@keyhearth/engine/vault/keyring", rule: restricted },
  { file: "apps/api/src/app.ts", from: "@keyhearth/signer/marks/marks", rule: restricted },
  { file: "apps/api/src/app.ts", from: "../../signer/src/marks/marks.ts", rule: restricted },
  { file: "apps/api/src/app.ts", from: "@keyhearth/sdk", rule: restricted },
  { file: "apps/api/src/app.ts", from: "express", rule: undeclared },
  { file: "apps/api/src/testing.ts", from: "@keyhearth/signer/marks/marks" },

  { file: "packages/sdk/src/client.ts", from: "@keyhearth/crypto/stamps/stamp" },
  { file: "packages/sdk/src/advice.ts", from: "@keyhearth/policy/advice/lints" },
  { file: "packages/sdk/src/client.ts", from: "@keyhearth/engine/errors", rule: restricted },
  { file: "packages/sdk/src/client.ts", from: "@keyhearth/api/app", rule: restricted },
  { file: "packages/sdk/src/client.ts", from: "../../engine/src/errors.ts", rule: restricted },
  { file: "packages/sdk/src/client.ts", from: "node:fs", rule: restricted },
  { file: "packages/sdk/src/client.ts", from: "@keyhearth/policy/advice/lints", rule: restricted },
  { file: "packages/sdk/src/advice.ts", from: "node:fs", rule: restricted },

  { file: "packages/cli/src/program.ts", from: "@keyhearth/policy/decide" },
  { file: "packages/cli/src/program.ts", from: "@keyhearth/sdk/advice" },
  { file: "packages/cli/src/program.ts", from: "@keyhearth/policy/advice/lints" },
  { file: "packages/cli/src/program.ts", from: "node:fs" },
  { file: "packages/cli/src/program.ts", from: "@keyhearth/engine/errors", rule: restricted },
  { file: "packages/cli/src/program.ts", from: "@keyhearth/crypto/keys/keys", rule: restricted },

  { file: "apps/website/src/pages/index.tsx", from: "@keyhearth/sdk" },
  { file: "apps/website/src/pages/index.tsx", from: "../../../../contract/openapi.json" },
  { file: "apps/website/src/pages/index.tsx", from: "@keyhearth/engine/errors", rule: restricted },
  {
    file: "apps/website/src/pages/index.tsx",
    from: "../../../../packages/engine/src/errors.ts",
    rule: restricted,
  },
];

// In each of these folders two files import a type of each other.
const cycles = [
  "packages/crypto",
  "packages/engine",
  "packages/outbound",
  "packages/policy",
  "packages/sdk",
  "packages/cli",
  "apps/api",
  "apps/courier",
  "apps/signer",
].map((workspace) => ({ folder: `${workspace}/src`, keyword: "import type" }));

let directory: string;
let found: Diagnostic[];

type Diagnostic = { rule: string; file: string; line: number };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "keyhearth-imports-"));
  for (const file of [
    "biome.json",
    ".gitignore",
    ...workspaces.map((name) => `${name}/package.json`),
  ]) {
    await cp(join(root, file), join(directory, file));
  }
  for (const file of new Set(cases.map((entry) => entry.file))) {
    const lines = importsOf(file).map((from, index) => `import { name${index} } from "${from}";\n`);
    await write(file, lines.join(""));
  }
  for (const { folder, keyword } of cycles) {
    await write(
      `${folder}/one.ts`,
      `${keyword} { two } from "./two.ts";\nexport { two as one };\n`,
    );
    await write(
      `${folder}/two.ts`,
      `${keyword} { one } from "./one.ts";\nexport { one as two };\n`,
    );
  }
  found = await lint();
});

afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(cases.map((entry) => ({ ...entry, verdict: entry.rule ?? "allowed" })))(
  "$file importing $from: $verdict",
  ({ file, from, rule }) => {
    const line = importsOf(file).indexOf(from) + 1;
    const rules = found
      .filter((entry) => entry.file === file && entry.line === line)
      .map((entry) => entry.rule)
      .filter((name) => name === restricted || name === undeclared);
    if (rule) expect(rules).toContain(rule);
    else expect(rules).toEqual([]);
  },
);

test.each(cycles)("a cycle of `$keyword` in $folder is refused", ({ folder }) => {
  expect(found).toContainEqual({ rule: "noImportCycles", file: `${folder}/one.ts`, line: 1 });
});

function importsOf(file: string) {
  return cases.filter((entry) => entry.file === file).map((entry) => entry.from);
}

async function write(path: string, content: string) {
  await mkdir(dirname(join(directory, path)), { recursive: true });
  await writeFile(join(directory, path), content);
}

/** Runs the linter as `npm run check` does, and proves that it fails. */
async function lint() {
  const biome = join(root, "node_modules/.bin/biome");
  const args = ["lint", "--reporter=github", "--max-diagnostics=500", "."];
  const failure = await promisify(execFile)(biome, args, { cwd: directory }).then(
    () => undefined,
    (error: { code: number; stdout: string }) => error,
  );
  if (failure?.code !== 1) throw new Error("the linter accepted forbidden imports");
  const pattern = /title=lint\/\w+\/(\w+),file=([^,]+),line=(\d+)/g;
  return [...failure.stdout.matchAll(pattern)].map(
    ([, rule = "", file = "", line]): Diagnostic => ({
      rule,
      file: relative(directory, file),
      line: Number(line),
    }),
  );
}
