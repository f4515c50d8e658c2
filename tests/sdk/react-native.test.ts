import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { builtinModules, createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { runInContext } from "node:vm";
import { fetchOfPage, newProxyFamily } from "@keyhearth/api/proxy/proxy.testing";
import { newKey, newOrganization } from "@keyhearth/api/testing";
import { hashMessage, recoverAddress } from "ethers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newPhone, type Phone } from "../../packages/sdk/src/stampers/phone.testing.ts";
import { newHermes, randomValues } from "./hermes.ts";
import { bundleForHermes } from "./metro.ts";

// An app of React Native, bundled by Metro with the published SDK: the page's program, and all of the example app but its
// screens. Hermes' compiler makes bytecode of it. Node.js runs it with no more than Hermes and React Native have.

const directory = realpathSync(mkdtempSync(join(tmpdir(), "keyhearth-react-native-")));
const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
let code: string;

beforeAll(async () => {
  // The native modules belong to the phone.
  const native = (name: string) => `node_modules/${name}/index.js`;
  code = await bundleForHermes(directory, {
    "index.js": `
      globalThis.openPage = () => require("./app.js");
      globalThis.openExample = () => {
        require("react-native-get-random-values");
        return require("./src/account.ts");
      };`,
    "app.js": read("apps/website/snippets/react-native/app.js"),
    "src/account.ts": read("examples/react-native/src/account.ts"),
    "src/settings.ts": read("examples/react-native/src/settings.ts"),
    [native("react-native-get-random-values")]:
      "globalThis.crypto = { getRandomValues: globalThis.phone.randomValues };",
    [native("react-native-passkeys")]: "module.exports = globalThis.phone.passkeys;",
    [native("expo-secure-store")]: "module.exports = globalThis.phone.store;",
  });
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
  type App = { signHello(facts: object): Promise<{ username: string; r: string }> };

  /** Runs the bundle in a world of its own, and returns what the page's program exports. */
  async function run(): Promise<App> {
    const { server } = await newOrganization();
    const world = newHermes(server.fetch);
    runInContext(code, world);
    // The program has this export.
    return runInContext("globalThis.openPage()", world) as App;
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
    const { signHello } = await run();
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
    const { signHello } = await run();
    const facts = { baseUrl, organizationId, apiPublicKey, apiPrivateKey, signWith: "0x" };
    await expect(signHello(facts)).rejects.toMatchObject({ name: "Unauthenticated" });
  });
});

describe("the example app, with no more than React Native has and a phone in software,", () => {
  type Account = typeof import("../../examples/react-native/src/account.ts");
  type Family = Awaited<ReturnType<typeof newProxyFamily>>;
  const domain = "app.example.com";

  /** Starts the app on a phone. */
  function start(family: Family, phone: Phone): Account {
    const described = family.server.signer.handle({ call: "describe" });
    if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
    // A native app sends no origin.
    const world = newHermes(fetchOfPage(family, null));
    Object.assign(world, { phone: { ...phone, randomValues } });
    Object.assign(world.process.env, {
      EXPO_PUBLIC_KEYHEARTH_URL: "http://keyhearth.test",
      EXPO_PUBLIC_KEYHEARTH_ORGANIZATION_ID: family.organizationId,
      EXPO_PUBLIC_KEYHEARTH_SESSION_KEY: described.sessionPublicKey,
      EXPO_PUBLIC_KEYHEARTH_VERIFICATION_KEY: described.verificationPublicKey,
      EXPO_PUBLIC_DOMAIN: domain,
    });
    runInContext(code, world);
    // The module has these exports.
    return runInContext("globalThis.openExample()", world) as Account;
  }

  test("signs somebody up with a passkey, signs, restarts, logs out and logs in", async () => {
    const family = await newProxyFamily(undefined, { nativeApps: true });
    const phone = newPhone();
    const app = start(family, phone);
    await app.signUp("Ada");
    expect(phone.asked).toEqual([]);
    const address = await app.findAddress();
    const message = "hello from a phone: grüße, 👋";
    const signature = await app.signMessage(message);
    expect(recoverAddress(hashMessage(message), signature)).toBe(address);
    const { userId } = app.keeper.session ?? {};
    app.keeper.close();

    const restarted = start(family, phone);
    expect(restarted.keeper.session).toBeUndefined();
    expect(await restarted.keeper.restore()).toMatchObject({ userId });
    // Signatures are deterministic.
    expect(await restarted.signMessage(message)).toBe(signature);
    await restarted.keeper.refresh();
    await restarted.keeper.logOut();
    expect(phone.kept.size).toBe(0);
    await expect(restarted.signMessage(message)).rejects.toMatchObject({ name: "SessionEnded" });

    await restarted.logIn();
    expect(phone.asked).toHaveLength(1);
    expect(await restarted.signMessage(message)).toBe(signature);
    restarted.keeper.close();
  });

  test("is refused by the login proxy of an organization without native apps", async () => {
    const app = start(await newProxyFamily(), newPhone());
    await expect(app.signUp("Ada")).rejects.toMatchObject({
      name: "PermissionDenied",
      message: expect.stringContaining("nativeApps"),
    });
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
