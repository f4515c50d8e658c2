import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { importsOf, root, sourcesOf } from "./source-files.testing.ts";
import { refusalOf, wallOf, walls } from "./workspaces.ts";

const files = sourcesOf("", "{packages,apps}/*/**/*.{ts,tsx,mts,js,jsx,mjs}").filter(
  (file) => wallOf(file) !== undefined,
);

test("every file imports only what its workspace may", () => {
  const refused: string[] = [];
  const read = new Set<unknown>();
  for (const file of files) {
    for (const from of importsOf(file)) {
      const why = refusalOf(file, from);
      read.add(wallOf(file));
      if (why !== null) refused.push(`${file} imports ${from}, but ${why}`);
    }
  }
  expect(refused).toEqual([]);
  expect(read.size).toBe(walls.length);
});

test("only the emulator may import the API, and the signer whose ids can be chosen", () => {
  for (const name of ["@keyhearth/api/app", "@keyhearth/signer/in-memory"]) {
    const folders = walls.flatMap(({ of }) =>
      of.filter((at) => refusalOf(`${at}a.ts`, name) === null),
    );
    expect(folders).toEqual(["packages/cli/src/emulator/"]);
  }
});

test("every workspace with sources has a wall", () => {
  const manifests = globSync("{packages,apps}/*/package.json", { cwd: root });
  const without = manifests.filter((path) => !wallOf(path.replace("package.json", "src/main.ts")));
  expect(manifests.length).toBeGreaterThan(8);
  expect(without).toEqual([]);
});

const app = "apps/api/src/app.ts";
const seal = "packages/engine/src/vault/seal.ts";
const authorize = "packages/engine/src/policies/authorize.ts";
const client = "packages/sdk/src/client.ts";
const screen = "apps/dashboard/src/screens/wallets/screen.tsx";
const page = "apps/website/src/pages/index.tsx";

test.each([
  ["packages/policy/src/parse.ts", "./tokens.ts"],
  ["packages/crypto/src/stamps/stamp.ts", "@noble/hashes/sha2"],
  ["packages/crypto/src/stamps/stamp.ts", "#primitives"],
  ["packages/crypto/src/primitives/node.ts", "node:crypto"],
  ["packages/engine/src/activities/create-wallet.ts", "../declare/define.ts"],
  [authorize, "@keyhearth/policy/decide"],
  [seal, "zod"],
  ["apps/courier/src/courier.ts", "node:net"],
  ["apps/courier/src/courier.ts", "@keyhearth/engine/messages/message"],
  ["packages/outbound/src/addresses.ts", "ipaddr.js"],
  ["apps/signer/src/main.ts", "@keyhearth/engine/submission/submit"],
  ["apps/frames/src/auth.ts", "@keyhearth/crypto/sealing/open-bundle"],
  [app, "@keyhearth/frames/headers"],
  [app, "@keyhearth/dashboard/headers"],
  [screen, "@keyhearth/sdk/browser"],
  [screen, "@keyhearth/policy/check"],
  [screen, "react"],
  [app, "hono"],
  [app, "node:http"],
  [app, "@keyhearth/engine/activities/create-wallet"],
  [app, "@keyhearth/policy/advice/lints"],
  [client, "@keyhearth/crypto/stamps/stamp"],
  ["packages/sdk/src/advice.ts", "@keyhearth/policy/advice/lints"],
  ["packages/cli/src/program.ts", "@keyhearth/sdk/advice"],
  ["packages/cli/src/program.ts", "commander"],
  ["packages/cli/src/emulator/world.ts", "@keyhearth/api/app"],
  ["packages/cli/src/emulator/world.ts", "@keyhearth/signer/in-memory"],
  [page, "@keyhearth/sdk"],
  [page, "../../../../contract/openapi.json"],
])("%s may import %s", (file, from) => {
  expect(refusalOf(file, from)).toBeNull();
});

test.each([
  ["packages/policy/src/parse.ts", "zod"],
  ["packages/policy/src/parse.ts", "node:crypto"],
  ["packages/policy/src/parse.ts", "@keyhearth/crypto/keys/keys"],
  ["packages/crypto/src/stamps/stamp.ts", "node:crypto"],
  ["packages/crypto/src/stamps/stamp.ts", "@keyhearth/engine/errors"],
  ["packages/crypto/src/primitives/portable.ts", "node:crypto"],
  ["packages/crypto/src/primitives/node.ts", "node:fs"],
  [authorize, "@keyhearth/policy/advice/lints"],
  [seal, "node:fs"],
  [seal, "node:crypto"],
  [seal, "pg"],
  [seal, "@keyhearth/api/app"],
  [seal, "../../../../apps/api/src/app.ts"],
  [seal, "@keyhearth/outbound/guarded-request"],
  ["apps/courier/src/courier.ts", "@keyhearth/engine/errors"],
  ["apps/courier/src/courier.ts", "@keyhearth/signer/signer"],
  ["apps/courier/src/courier.ts", "@keyhearth/api/config/config"],
  ["apps/courier/src/courier.ts", "pg"],
  ["packages/outbound/src/addresses.ts", "@keyhearth/crypto/keys/keys"],
  ["packages/outbound/src/addresses.ts", "@keyhearth/engine/errors"],
  ["apps/signer/src/main.ts", "@keyhearth/api/config/config"],
  ["apps/signer/src/main.ts", "../../api/src/config/config.ts"],
  ["apps/signer/src/main.ts", "pg"],
  ["apps/signer/src/main.ts", "@electric-sql/pglite"],
  ["apps/frames/src/auth.ts", "@keyhearth/sdk"],
  ["apps/frames/src/auth.ts", "node:crypto"],
  [app, "@keyhearth/frames/auth"],
  [app, "@keyhearth/dashboard/main"],
  [screen, "@keyhearth/engine/errors"],
  [screen, "@keyhearth/api/app"],
  [screen, "../../../../website/src/css/tokens.ts"],
  [app, "@keyhearth/engine/vault/seal"],
  [app, "@keyhearth/engine/vault/keyring"],
  [app, "@keyhearth/signer/marks/marks"],
  [app, "../../signer/src/marks/marks.ts"],
  [app, "@keyhearth/sdk"],
  [client, "@keyhearth/engine/errors"],
  [client, "@keyhearth/api/app"],
  [client, "../../engine/src/errors.ts"],
  [client, "node:fs"],
  [client, "react"],
  [client, "@keyhearth/policy/advice/lints"],
  ["packages/sdk/src/advice.ts", "node:fs"],
  ["packages/sdk/src/adapters/viem.ts", "node:fs"],
  ["packages/sdk/src/react.ts", "viem"],
  ["packages/cli/src/program.ts", "@keyhearth/engine/errors"],
  ["packages/cli/src/program.ts", "@keyhearth/crypto/keys/keys"],
  [page, "@keyhearth/engine/errors"],
  [page, "../../../../packages/engine/src/errors.ts"],
])("%s may not import %s", (file, from) => {
  expect(refusalOf(file, from)).toBe(wallOf(file)?.why);
});
