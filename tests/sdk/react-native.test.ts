import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createContext, runInContext } from "node:vm";
import { newKey, newOrganization } from "@keyhearth/api/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleForHermes } from "./metro.ts";

// An app of React Native, bundled by Metro with the published SDK. Hermes' compiler makes bytecode of it.
// Hermes itself is not a package, so Node.js runs the bundle with no more than what React Native has.

const directory = realpathSync(mkdtempSync(join(tmpdir(), "keyhearth-react-native-")));
const sample = new URL("../../apps/website/snippets/react-native/app.js", import.meta.url);
let code: string;

beforeAll(async () => {
  code = await bundleForHermes(directory, readFileSync(sample, "utf8"));
}, 120_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("no module of Node.js is in it", () => {
  expect(code.length).toBeGreaterThan(10_000);
  expect(code).not.toMatch(/["'`]node:/);
  // Metro replaces every import that it finds by a number, so a name that is left is one that it missed.
  const required = [...code.matchAll(/\brequire\((["'])(.*?)\1\)/g)].map(([, , name]) => name);
  expect(required.filter((name) => builtinModules.includes(name ?? ""))).toEqual([]);
  expect(code).not.toMatch(/\bBuffer\.(from|alloc|concat|isBuffer)\b|new Buffer\b/);
});

test("Hermes compiles it to bytecode", async () => {
  const script = join(directory, "bundle.js");
  const bytecode = join(directory, "bundle.hbc");
  writeFileSync(script, code);
  await promisify(execFile)(hermesc(), ["-w", "-O", "-emit-binary", "-out", bytecode, script]);
  // The magic number of Hermes' files: "Hermes" in Ancient Greek, in UTF-16.
  expect(readFileSync(bytecode).subarray(0, 8).toString("hex")).toBe("c61fbc03c103191f");
});

test("and it does not compile what is no JavaScript", async () => {
  const script = join(directory, "wrong.js");
  writeFileSync(script, `${code}\nclass {`);
  const compiled = promisify(execFile)(hermesc(), [
    "-w",
    "-emit-binary",
    "-out",
    "/dev/null",
    script,
  ]);
  await expect(compiled).rejects.toThrow("error:");
});

describe("with no more than React Native has,", () => {
  type App = (facts: object) => Promise<{ username: string; r: string }>;

  /** Runs the bundle in a world of its own, and returns what the app exports. */
  async function run(): Promise<App> {
    const { server } = await newOrganization();
    const setTimer = (work: () => void, ms: number) => setTimeout(work, ms);
    const world = createContext({
      fetch: (url: string, init: RequestInit) => server.fetch(url, init),
      setTimeout: setTimer,
      clearTimeout,
      performance: { now: () => performance.now() },
      ...{ AbortController, TextEncoder, TextDecoder, URL, console },
    });
    runInContext(`globalThis.global = globalThis; ${code}`, world);
    // The app puts this function there.
    return runInContext("globalThis.signHello", world) as App;
  }

  test("the app stamps, and signs with the real service", async () => {
    const { root, organizationId, rootKey } = await newOrganization();
    const { addresses } = await root.createWallet({
      walletName: "phone",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = rootKey;
    const baseUrl = "http://keyhearth.test";
    const signWith = addresses[0];
    const facts = { baseUrl, organizationId, apiPublicKey, apiPrivateKey, signWith };
    const signHello = await run();
    const { username, r } = await signHello(facts);
    const direct = await root.signRawPayload({
      signWith: signWith ?? "",
      payload: "hello from a phone",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    });
    // Signatures are deterministic.
    expect({ username, r }).toEqual({ username: "Root user", r: direct.r });
  });

  test("a wrong key is one typed error", async () => {
    const { organizationId } = await newOrganization();
    const { publicKey: apiPublicKey, privateKey: apiPrivateKey } = newKey();
    const baseUrl = "http://keyhearth.test";
    const signHello = await run();
    const facts = { baseUrl, organizationId, apiPublicKey, apiPrivateKey, signWith: "0x" };
    await expect(signHello(facts)).rejects.toMatchObject({ name: "Unauthenticated" });
  });
});

function hermesc(): string {
  const require = createRequire(import.meta.url);
  const home = dirname(require.resolve("hermes-compiler/package.json"));
  const folders: Record<string, string> = { darwin: "osx-bin", win32: "win64-bin" };
  return fileURLToPath(
    new URL(`file://${home}/hermesc/${folders[process.platform] ?? "linux64-bin"}/hermesc`),
  );
}
