import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { entries } from "../../packages/sdk/scripts/published/entries.ts";
import { effectsOf, makeProject, measure, peers, type Sizes } from "./bundles.ts";

// What the published package costs a page, bundled by esbuild with all that the package brings along.

const KB = 1024;
const directory = realpathSync(mkdtempSync(join(tmpdir(), "keyhearth-sizes-")));
const rows: { page: string; minified: number; gzip: number; "with lazy parts": number }[] = [];

beforeAll(() => makeProject(directory));
afterAll(() => {
  console.table(rows);
  rmSync(directory, { recursive: true, force: true });
});

/** The sizes of a page that uses these exports of the main entry. */
async function pageOf(...names: string[]): Promise<Sizes> {
  const list = names.join(", ");
  return listed(list, `import { ${list} } from "@keyhearth/sdk"; console.log(${list});`);
}

async function listed(page: string, code: string): Promise<Sizes> {
  const sizes = await measure(directory, code);
  const { start: gzip, all, code: text } = sizes;
  rows.push({ page, minified: text.length, gzip, "with lazy parts": all });
  return sizes;
}

const everything = 'import * as sdk from "@keyhearth/sdk"; console.log(Object.keys(sdk));';

describe("after gzip, a page loads at its start less than", () => {
  test.each([
    [8, ["Connection", "ApiKeyStamper"]],
    [8, ["Connection", "ApiKeyStamper", "createWallet", "signRawPayload"]],
    [12, ["KeyhearthClient", "ApiKeyStamper"]],
  ])("%i KB with %j", async (limit, names) => {
    const { start, parts } = await pageOf(...names);
    expect(start, JSON.stringify(parts, undefined, 1)).toBeLessThan(limit * KB);
    expect(Object.keys(parts)).toContain("sdk/connection/connection.js");
    // WebCrypto signs. What verifies signatures is loaded when it is needed.
    expect(Object.keys(parts).filter((part) => part.includes("@noble"))).toEqual([]);
  });
});

describe("a page that uses one call has less than half of the code of a page that uses all,", () => {
  test("or, with a stamper, not much more", async () => {
    const one = await pageOf("Connection", "ApiKeyStamper", "whoami");
    const all = await listed("everything", everything);
    // Both have the stamper and the checks of answers. What is less than half is the page without them.
    expect(one.code.length).toBeLessThan(all.code.length * 0.51);
  });

  test("without a stamper", async () => {
    const one = await pageOf("Connection", "whoami");
    const all = await pageOf("KeyhearthClient");
    expect(one.code.length).toBeLessThan(all.code.length / 2);
  });
});

describe("a bundler keeps nothing else with", () => {
  test.each([
    // All classes are in one chunk, because what is loaded for a refusal makes errors of each.
    ["an error class", "NotFound", ["sdk/errors/errors.js"], 1000],
    ["a query", "whoami", ["sdk/calls/call.js", "sdk/calls/generated/calls.js"], 600],
    ["a submission", "signRawPayload", ["sdk/calls/call.js", "sdk/calls/generated/calls.js"], 600],
  ] as const)("%s", async (_, name, expected, limit) => {
    const { parts, start } = await pageOf(name);
    expect(Object.keys(parts).filter((part) => part !== "<stdin>")).toEqual(expected);
    expect(start).toBeLessThan(limit);
  });
});

test("nothing of the SDK, and nothing that its client loads, does anything when it is imported", async () => {
  const sdk = join(directory, "node_modules/@keyhearth/sdk");
  const file = join(sdk, "package.json");
  const { sideEffects, ...manifest } = JSON.parse(readFileSync(file, "utf8"));
  expect(sideEffects).toBe(false);
  const own = readdirSync(join(sdk, "sdk"), { recursive: true, encoding: "utf8" });
  const { parts } = await measure(directory, everything);
  const sources = new Set([...own.map((name) => join("sdk", name)), ...Object.keys(parts)]);
  const effects: Record<string, string> = {};
  // Without the mark, esbuild keeps every statement that could have an effect.
  writeFileSync(file, JSON.stringify(manifest));
  for (const source of [...sources].filter((name) => name.endsWith(".js"))) {
    // esbuild needs an object for the names of `export *`, if it does not bundle what they name.
    if (/^export \* from/m.test(readFileSync(join(sdk, source), "utf8"))) continue;
    const effect = await effectsOf(join(sdk, source));
    if (effect) effects[source] = effect;
  }
  writeFileSync(file, JSON.stringify({ ...manifest, sideEffects }));
  expect(effects).toEqual({});
});

describe("after gzip, the login of a page loads at its start less than", () => {
  test.each([
    ["./browser", 12, "SessionKeeper, logInWithPasskey"],
    ["./browser", 15, "SessionKeeper, logInWithPasskey, LoginProxy"],
    ["./react", 18, "KeyhearthProvider, useSession, usePasskeyLogin, useWallets, useSignMessage"],
    ["./react/kit", 21, "Auth, KitProvider, google"],
  ])("with %s, %i KB", async (subpath, limit, names) => {
    const code = `import { ${names} } from "@keyhearth/sdk${subpath.slice(1)}"; console.log(${names});`;
    const { start, all, code: text, parts } = await measure(directory, code, { external: peers });
    rows.push({ page: subpath, minified: text.length, gzip: start, "with lazy parts": all });
    expect(start, JSON.stringify(parts, undefined, 1)).toBeLessThan(limit * KB);
  });
});

test("after gzip, a page loads less than 4 KB for the stamper of frames", async () => {
  const code =
    'import { IframeStamper } from "@keyhearth/sdk/stampers/iframe"; console.log(IframeStamper);';
  const { start, parts } = await listed("./stampers/iframe", code);
  expect(start, JSON.stringify(parts, undefined, 1)).toBeLessThan(4 * KB);
  expect(Object.keys(parts).filter((part) => part.startsWith("crypto/"))).toEqual([]);
});

describe("after gzip, the stampers of native apps have less than", () => {
  test("4 KB for passkeys, without a curve", async () => {
    const code =
      'import { NativePasskeyStamper } from "@keyhearth/sdk/stampers/native-passkey"; console.log(NativePasskeyStamper);';
    const { start, parts } = await listed("./stampers/native-passkey", code);
    expect(start, JSON.stringify(parts, undefined, 1)).toBeLessThan(4 * KB);
    expect(Object.keys(parts).filter((part) => part.includes("@noble"))).toEqual([]);
  });

  test("26 KB for secure storage, with the curves that WebCrypto has elsewhere", async () => {
    const code =
      'import { secureStorage } from "@keyhearth/sdk/stampers/secure-storage"; console.log(secureStorage);';
    const { start, parts } = await listed("./stampers/secure-storage", code);
    expect(start, JSON.stringify(parts, undefined, 1)).toBeLessThan(26 * KB);
  });
});

test.each(["react", "kit"])(
  "the entry %s is marked as one for the client, where frameworks render on servers",
  (name) => {
    const entry = readFileSync(
      join(directory, `node_modules/@keyhearth/sdk/sdk/${name}.js`),
      "utf8",
    );
    expect(entry).toMatch(/^"use client";/);
  },
);

const adapters = entries.filter(({ source }) => source.startsWith("sdk/src/adapters/"));

describe.runIf(adapters.length > 0)(
  "after gzip, an adapter adds less than 4 KB to the client:",
  () => {
    test.each(adapters.map(({ subpath }) => subpath))("%s", async (subpath) => {
      const client =
        'import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk"; console.log(ApiKeyStamper, KeyhearthClient);';
      const adapter = `import * as adapter from "@keyhearth/sdk${subpath.slice(1)}"; console.log(Object.keys(adapter));`;
      const options = { external: peers };
      const before = await measure(directory, client, options);
      const after = await measure(directory, client + adapter, options);
      const [minified, gzip] = [after.code.length - before.code.length, after.start - before.start];
      rows.push({
        page: `+ ${subpath}`,
        minified,
        gzip,
        "with lazy parts": after.all - before.all,
      });
      expect(gzip, JSON.stringify(after.parts, undefined, 1)).toBeLessThan(4 * KB);
    });
  },
);
