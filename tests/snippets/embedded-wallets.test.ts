import { execFile } from "node:child_process";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Browser, Locator, Page } from "playwright-core";
import type { Hex } from "viem";
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from "viem/accounts";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Playground, type Program, start, startPlayground } from "../examples/programs.ts";
import {
  type Authenticator,
  addAuthenticator,
  closePages,
  hasBrowser,
  openAuthenticator,
  sharedBrowser,
} from "../start/browser.ts";
import { clientOf } from "../start/process.ts";

// The code examples of embedded wallets as readers use them: their server runs, and a real browser opens
// their pages. What a page shows has to be what the site says it shows.

describe.runIf(hasBrowser)("the code examples of embedded wallets", () => {
  let playground: Playground;
  let server: Program;
  let url: string;
  let browser: Browser;
  let page: Page;
  let device: Authenticator;
  /** How often people used a passkey, and made one. */
  let prompts: { used: number; made: number };
  let problems: string[];

  beforeAll(async () => {
    [playground, browser] = await Promise.all([startPlayground(), sharedBrowser()]);
    await build({ root: fileURLToPath(new URL("..", folder)), logLevel: "error" });
    server = start("passkey-wallet/server.ts", [], {
      ...playground.environment,
      KEYHEARTH_URL: playground.service.url.replace("127.0.0.1", "localhost"),
      PORT: "0",
    });
    url = (await server.waitFor(/http:\/\/localhost:\d+/))[0];
  }, 90_000);

  afterAll(async () => {
    await closePages();
    await server?.stop();
    playground?.stop();
  });

  beforeEach(async () => {
    // A context has a storage of its own, as if each test had its own machine.
    page = await (await browser.newContext()).newPage();
    device = await openAuthenticator(page);
    prompts = { used: 0, made: 0 };
    device.devTools.on("WebAuthn.credentialAsserted", () => {
      prompts.used++;
    });
    device.devTools.on("WebAuthn.credentialAdded", () => {
      prompts.made++;
    });
    problems = [];
    page.on("pageerror", (error) => problems.push(error.message));
  });

  afterEach(async () => {
    await page.context().close();
    expect(problems).toEqual([]);
  });

  test("their server ends if its port is in use, and does not say that it listens", async () => {
    const second = start("passkey-wallet/server.ts", [], {
      ...playground.environment,
      PORT: new URL(url).port,
    });
    const { code, output } = await second.ended;
    expect(code).toBe(1);
    expect(output).toMatch(/^Port \d+ is in use\. /m);
    expect(output).not.toContain("Open http");
  });

  async function open(example: string) {
    // A page asks its server for the settings before its buttons do something.
    await page.goto(`${url}/code-examples/${example}/`, { waitUntil: "networkidle" });
  }

  const reload = () => page.reload({ waitUntil: "networkidle" });

  const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
  const shown = () => textOf(page.locator("pre"));

  async function expectShown(expected: string) {
    await vi.waitFor(async () => expect(numbered(await shown())).toBe(numbered(expected)), {
      timeout: 15_000,
      interval: 20,
    });
  }

  /** Somebody who has a passkey and a wallet. */
  async function signUp() {
    await open("create-sub-org-passkey");
    await press("Sign up");
    await expectShown(output("create-sub-org-passkey"));
    const [organizationId = ""] = idOf.exec(await shown()) ?? [];
    prompts = { used: 0, made: 0 };
    return organizationId;
  }

  test("somebody signs up with one prompt, and only they can sign", async () => {
    await open("create-sub-org-passkey");
    await press("Sign up");
    await expectShown(output("create-sub-org-passkey"));
    expect(prompts).toEqual({ used: 0, made: 1 });
    const [organizationId = ""] = idOf.exec(await shown()) ?? [];
    const parent = clientOf(playground.service, playground.root);
    const { users } = await parent.listUsers({}, { organizationId });
    expect(users).toMatchObject([
      // The key of the sign-up ends after five minutes. The session has a key of its own.
      {
        authenticators: [{}],
        apiKeys: [
          { apiKeyName: "Sign-up", expirationSeconds: "300" },
          { credential: { type: "CREDENTIAL_TYPE_LOGIN" } },
        ],
      },
    ]);
    const [, signWith = ""] = /(0x[0-9a-fA-F]{40})/.exec(await shown()) ?? [];
    const message = {
      signWith,
      payload: "mine",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_SHA256",
    } as const;
    await expect(parent.signRawPayload(message, { organizationId })).rejects.toMatchObject({
      httpStatus: 403,
    });
  });

  test("a request that a passkey stamped may go directly or through the server", async () => {
    await open("integration");
    await press("Register");
    await page.getByText("Registered").waitFor();
    // The passkey is in one sub-organization, and the request names the parent.
    await press("Stamp a request");
    await expectShown(output("integration"));
    expect(prompts).toEqual({ used: 1, made: 1 });
  });

  test("a passkey logs in and writes with a prompt, and reads without one", async () => {
    const organizationId = await signUp();
    await open("authenticate-user-passkey");
    await press("Show wallets");
    await expectShown("Error: Log in first");
    await reload();
    await press("Log in");
    await page.getByText(organizationId).waitFor();
    expect(prompts.used).toBe(1);
    await press("Show wallets");
    await page.getByText("Wallets:").waitFor();
    expect(prompts.used).toBe(1);
    await press("Create a wallet");
    await expectShown(output("authenticate-user-passkey"));
    expect(prompts).toEqual({ used: 2, made: 0 });
  });

  test("a session signs without a prompt, survives a reload, and is renewed when it has ended", async () => {
    await signUp();
    await open("create-passkey-session");
    // The sign-up has started a session.
    await page.getByText("Still logged in").waitFor();
    await press("Log out");
    await page.getByText("Logged out").waitFor();
    await reload();
    await page.getByText("Nobody is logged in").waitFor();
    await press("Log in");
    await page.getByText("Logged in as").waitFor();
    await press("Sign a message");
    await expectShown(output("create-passkey-session"));
    expect(prompts.used).toBe(1);

    await reload();
    await page.getByText("Still logged in").waitFor();
    await press("Sign a message");
    await page.getByText("Signed:").waitFor();
    expect(prompts.used).toBe(1);

    const other = await page.context().newPage();
    await other.goto(`${url}/code-examples/create-passkey-session/`);
    await other.getByText("Still logged in").waitFor();
    await other.getByRole("button", { name: "Log out" }).click();
    await other.getByText("Logged out").waitFor();
    await other.close();
    await press("Sign a message");
    await expectShown(
      "Still logged in\n<signed>\nThe session has ended\nLogged in as Ada\n<signed>",
    );
    expect(prompts.used).toBe(2);
  });

  test("a second passkey takes two prompts, and opens the same wallet", async () => {
    const organizationId = await signUp();
    await open("add-credential");
    await press("Log in");
    await page.getByText("Logged in").waitFor();
    await press("Add a passkey");
    // The device has a passkey of this user already.
    await page.getByText("Conflict").waitFor();
    expect(prompts).toEqual({ used: 1, made: 0 });

    await reload();
    await press("Log in");
    await page.getByText("Logged in").waitFor();
    await takeSecurityKey();
    prompts = { used: 1, made: 0 };
    await press("Add a passkey");
    await expectShown(output("add-credential"));
    expect(prompts).toEqual({ used: 1, made: 1 });

    // The first device is lost.
    await open("authenticate-user-passkey");
    await press("Log in");
    await page.getByText(organizationId).waitFor();
  });

  /** People put the device away and take a security key. */
  async function takeSecurityKey() {
    const { devTools, authenticatorId } = device;
    await devTools.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
    device.authenticatorId = await addAuthenticator(devTools, "ctap2");
  }

  /** Wallets as extensions put them into pages. Each signature is a prompt. */
  async function installWallets() {
    const account = privateKeyToAccount(generatePrivateKey());
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
    const signed = { ethereum: 0, solana: 0 };
    await page.exposeFunction("askEthereum", (method: string, params: string[]) => {
      if (method === "eth_requestAccounts") return [account.address];
      signed.ethereum++;
      return account.signMessage({ message: { raw: params[0] as Hex } }); // as `personal_sign` has it
    });
    await page.exposeFunction("askSolana", (message: number[]) => {
      signed.solana++;
      return [...sign(null, new Uint8Array(message), privateKey)];
    });
    await page.addInitScript(
      (bytes) => {
        const ask = (name: string, ...given: unknown[]) => Reflect.get(window, name)(...given);
        Object.assign(window, {
          ethereum: {
            request: ({ method, params }: { method: string; params?: unknown[] }) =>
              ask("askEthereum", method, params ?? []),
          },
          solana: {
            publicKey: null as { toBytes(): Uint8Array } | null,
            async connect() {
              this.publicKey = { toBytes: () => new Uint8Array(bytes) };
            },
            signMessage: async (message: Uint8Array) =>
              new Uint8Array(await ask("askSolana", [...message])),
          },
        });
      },
      [...raw],
    );
    return signed;
  }

  test.each(["Ethereum", "Solana"] as const)(
    "a wallet of %s is asked twice the first time, and once when people come back",
    async (chain) => {
      const signed = await installWallets();
      const name = chain === "Ethereum" ? "ethereum" : "solana";
      await open("wallet-auth");
      await press(`Log in with ${chain}`);
      await page.getByText("Wallets: Main").waitFor();
      expect(signed).toEqual({ ethereum: 0, solana: 0, [name]: 2 });
      await press(`Log in with ${chain}`);
      await expectShown(output("wallet-auth"));
      expect(signed[name]).toBe(3);
    },
  );

  test("without a wallet in the browser, the page says so", async () => {
    await open("wallet-auth");
    await press("Log in with Ethereum");
    await expectShown("Error: There is no Ethereum wallet in this browser");
  });

  test("in React, somebody signs up, signs, adds a passkey, exports and imports", async () => {
    await open("react");
    await page.getByText("There is no Ethereum wallet in this browser").waitFor();
    await page.getByLabel("Your name").fill("Ada");
    await press("Sign up");
    const signing = page.getByRole("button", { name: "Sign with 0x" });
    await signing.click();
    await page.getByText(/^0x[0-9a-f]{130}$/).waitFor();
    expect(prompts).toEqual({ used: 0, made: 1 });

    await takeSecurityKey();
    await press("Add a passkey");
    await page.getByRole("listitem").filter({ hasText: "Security key" }).waitFor();
    expect(await page.getByRole("listitem").count()).toBe(2);

    await press("Show the words");
    const words = await textOf(page.getByLabel("Words", { exact: true }));
    const address = ((await textOf(signing)).match(/0x\w+/) ?? [""])[0];
    expect(mnemonicToAccount(words).address).toBe(address);
    await press("Hide the words");
    expect(await textOf(page.locator("body"))).not.toContain(words);

    await page.getByLabel("Words of your wallet").fill(importedWords);
    await press("Import");
    const imported = await textOf(page.getByLabel("Imported"));
    expect(imported).toBe(mnemonicToAccount(importedWords).address);

    await press("Log out");
    // The second passkey logs in: the first device is gone.
    await press("Log in");
    await signing.waitFor();
    expect(prompts).toEqual({ used: 1, made: 2 });
  });

  test("in React, a wallet signs up and logs in", async () => {
    const signed = await installWallets();
    await open("react");
    await press("Log in with Ethereum");
    await press("Log out");
    expect(signed.ethereum).toBe(2);
    await press("Log in with Ethereum");
    await page.getByRole("button", { name: "Log out" }).waitFor();
    expect(signed.ethereum).toBe(3);
  });

  test("the shell script creates a sub-organization as the server does", async () => {
    let passkey: unknown;
    await page.route("**/sign-up", (route) => {
      passkey = route.request().postDataJSON().authenticator;
      return route.fulfill({ status: 400, json: { error: "Not this time" } });
    });
    await open("create-sub-org-passkey");
    await press("Sign up");
    await page.getByText("Error: Not this time").waitFor();
    const file = join(playground.directory, "passkey.json");
    writeFileSync(file, JSON.stringify(passkey));
    const script = fileURLToPath(new URL("create-sub-org.sh", folder));
    const { stdout } = await promisify(execFile)("bash", [script, file], {
      env: { PATH: process.env.PATH, ...playground.environment },
    });
    expect(numbered(stdout)).toBe(numbered(read("create-sub-org.out.txt")));
  });

  test("the server gives nobody its key, and refuses what is not a sign-up", async () => {
    const { apiPrivateKey, apiPublicKey } = playground.root;
    const configured = await (await fetch(`${url}/config`)).text();
    expect(configured).not.toContain(apiPrivateKey);
    expect(configured).not.toContain(apiPublicKey);
    const post = async (path: string, body: unknown) => {
      const headers = { "content-type": "application/json" };
      const answer = await fetch(url + path, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      });
      return [answer.status, await answer.json()];
    };
    const refused = [400, { error: expect.stringMatching(/name|rootUsers|filterValue|publicKey/) }];
    expect(await post("/sign-up", {})).toEqual(refused);
    expect(await post("/sign-up", { name: "Mallory", authenticator: {}, apiKey: {} })).toEqual(
      refused,
    );
    expect(await post("/wallet-sign-up", { publicKey: ["02"] })).toEqual(refused);
    for (const path of ["/server.ts", "/../server.ts", "/sign-up.ts", "/%2e%2e/server.ts"]) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    const forwarded = await fetch(`${url}/keyhearth/public/v1/query/list_wallets`, {
      method: "POST",
    });
    expect(forwarded.status).toBe(404);
  });
});

/** Words of BIP-39 that everybody knows: never put money there. */
const importedWords = "test test test test test test test test test test test junk";

const folder = new URL("../../examples/passkey-wallet/code-examples/", import.meta.url);
const read = (name: string) => readFileSync(new URL(name, folder), "utf8");

/** What the site says that a page shows. */
const output = (example: string) => read(`${example}/out.txt`);

const textOf = async (place: Locator) => (await place.textContent()) ?? "";

const idOf = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** The output without ids, addresses and signatures, which differ in each run. */
function numbered(text: string): string {
  return text
    .trim()
    .replace(new RegExp(idOf, "g"), "<id>")
    .replace(/^Signed: 0x([0-9a-f]{130}|5d3b…)$/gm, "<signed>")
    .replace(/0x[0-9a-fA-F]{40}\b/g, "<address>");
}
