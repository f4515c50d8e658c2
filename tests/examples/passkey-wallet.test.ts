import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build as bundle } from "esbuild";
import type { Browser, BrowserContext, CDPSession, Locator, Page } from "playwright-core";
import { type Hex, parseTransaction, recoverMessageAddress, recoverTransactionAddress } from "viem";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createSignUpLimit } from "../../examples/passkey-wallet/sign-up-limit.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { clientOf } from "../start/process.ts";
import { type Playground, type Program, start, startPlayground } from "./programs.ts";

/** Asks as a browser does that found the server by another name. */
function statusOf(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    asked.on("error", reject).end();
  });
}

test("the passkey wallet's server lets so many people sign up within an hour, of one address and in total", () => {
  const limit = createSignUpLimit({ perAddress: 2, total: 3 });
  const signUp = (address: string, nowMs: number) => {
    const isOpen = limit.isOpenTo(address, nowMs);
    if (isOpen) limit.count(address, nowMs);
    return isOpen;
  };
  expect(["a", "a", "a", "b", "c"].map((address) => signUp(address, 0))).toEqual([
    ...[true, true, false, true, false],
  ]);
  // A sign-up that failed was not counted.
  expect(limit.isOpenTo("a", 3_600_000)).toBe(true);
  expect(["a", "b", "c", "a"].map((address) => signUp(address, 3_600_000))).toEqual([
    ...[true, true, true, false],
  ]);
});

// The web app of `examples/passkey-wallet` in a real browser, with a virtual authenticator.

describe.runIf(hasBrowser)("the passkey wallet", () => {
  let playground: Playground;
  let server: Program;
  let url: string;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let devTools: CDPSession;
  let authenticatorId: string;
  let problems: string[];
  let script: string;

  beforeAll(async () => {
    playground = await startPlayground();
    const folder = fileURLToPath(new URL("../../examples/passkey-wallet/", import.meta.url));
    await build({ root: folder, logLevel: "error" });
    const { outputFiles } = await bundle({
      entryPoints: [fileURLToPath(new URL("passkey-wallet.page.ts", import.meta.url))],
      bundle: true,
      format: "esm",
      write: false,
    });
    script = outputFiles[0]?.text ?? "";
    server = start("passkey-wallet/server.ts", [], {
      ...playground.environment,
      KEYHEARTH_URL: playground.service.url.replace("127.0.0.1", "localhost"),
      PORT: "0",
    });
    url = (await server.waitFor(/http:\/\/localhost:\d+/))[0];
    browser = await sharedBrowser();
  }, 90_000);

  afterAll(async () => {
    await closePages();
    await server?.stop();
    playground?.stop();
  });

  beforeEach(async () => {
    problems = [];
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      reducedMotion: "reduce",
    });
    await context.route("**/person.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: script }),
    );
    page = await context.newPage();
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") problems.push(message.text());
    });
    ({ devTools, authenticatorId } = await openAuthenticator(page));
    await page.goto(url);
  });

  afterEach(async () => {
    await context.close();
  });

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const card = (name: string) => page.getByRole("region", { name, exact: true });

  async function signUp(name: string) {
    await page.getByLabel("Your name").fill(name);
    await button("Create a wallet").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
  }

  /** Does something with the session of the wallet, in another tab. */
  async function elsewhere(what: "deleteWallets" | "endSessions") {
    const other = await context.newPage();
    await other.goto(url);
    await other.addScriptTag({ url: "/person.js", type: "module" });
    await other.waitForFunction(() => window.person !== undefined);
    await other.evaluate((name) => window.person[name](), what);
    await other.close();
  }

  /** Keeps a picture for people to look at, if a folder is named. */
  async function screenshot(name: string) {
    const folder = process.env.KEYHEARTH_SCREENSHOTS;
    if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }

  /** The address of an account, or the first result, as the page shows it. */
  async function shown(where: Locator): Promise<string> {
    return (await where.locator("code").first().textContent()) ?? "";
  }
  const addressOf = (chain: string) =>
    shown(page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: chain }) }));
  const newest = () => card("Signed").getByRole("listitem").first();

  test("somebody signs up, signs, reloads, logs out and logs in again", async () => {
    await signUp("Ada");
    // A keyboard begins at the new page's heading.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
    const ethereum = await addressOf("Ethereum");
    const solana = await addressOf("Solana");
    expect(ethereum).toMatch(/^0x[0-9a-fA-F]{40}$/);
    expect(solana).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
    expect(await card("Signed").textContent()).toContain("Nothing yet");

    // By the keyboard alone: the account, the message, the button.
    const form = card("Sign a message");
    await form.getByRole("radio", { name: "Ethereum" }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Hello, hearth");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await newest().getByText("Hello, hearth").waitFor();
    const signature = (await shown(newest())) as Hex; // viem refuses anything else
    expect(await recoverMessageAddress({ message: "Hello, hearth", signature })).toBe(ethereum);

    // The page shows only signatures that Solana’s own library verifies.
    await form.getByRole("radio", { name: "Solana" }).check();
    await form.getByLabel("Message").fill("Hello, Solana");
    await form.getByRole("button", { name: "Sign message" }).click();
    await newest().getByText("Hello, Solana").waitFor();
    expect(await shown(newest())).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);

    // A reload keeps the session, and asks for no passkey.
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
    expect(await addressOf("Ethereum")).toBe(ethereum);

    await button("Log out").click();
    await page.getByText("You’re logged out").waitFor();
    await page.reload();
    await button("Log in with a passkey").waitFor();
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await button("Log in with a passkey").click();
    await page.getByRole("heading", { level: 1, name: "Ada" }).waitFor();
    expect(await addressOf("Solana")).toBe(solana);
    expect(problems).toEqual([]);
  });

  test("a transfer is signed, and its mistakes are named at their fields", async () => {
    await signUp("Grace");
    const form = card("Sign a transfer");
    const to = form.getByLabel("To, on Ethereum");
    await to.fill("0x12");
    await form.getByLabel("Amount in ETH").fill("0.5");
    await form.getByRole("button", { name: /^Sign (message|transfer)$/ }).click();
    await form.getByText("This isn’t an Ethereum address").waitFor();
    expect(await to.getAttribute("aria-invalid")).toBe("true");
    expect(await to.evaluate((input) => input === document.activeElement)).toBe(true);

    await to.fill("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045");
    await form.getByRole("button", { name: /^Sign (message|transfer)$/ }).click();
    await newest().getByText("0.5 ETH").waitFor();
    const serializedTransaction = (await shown(newest())) as `0x02${string}`; // as it was asked for
    expect(parseTransaction(serializedTransaction).value).toBe(5n * 10n ** 17n);
    expect(await recoverTransactionAddress({ serializedTransaction })).toBe(
      await addressOf("Ethereum"),
    );
  });

  test("a passkey prompt that is closed changes nothing, and can be repeated", async () => {
    // An authenticator that does not recognize its user ends the prompt as a cancel button does.
    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await page.getByLabel("Your name").fill("Lin");
    await button("Create a wallet").click();
    const notice = page.getByText("The passkey prompt was closed");
    await notice.waitFor();
    expect(await page.getByLabel("Your name").inputValue()).toBe("Lin");

    await page.reload();
    await button("Log in with a passkey").click();
    await notice.waitFor();

    await devTools.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await signUp("Lin");
  });

  test("somebody without a wallet makes one", async () => {
    await signUp("Mary");
    await elsewhere("deleteWallets");
    await page.reload();
    await page.getByRole("heading", { name: "No wallet yet" }).waitFor();
    await button("Make a wallet").click();
    await card("Accounts").waitFor();
    expect(await addressOf("Ethereum")).toMatch(/^0x/);
  });

  test("a session that was ended elsewhere leads back to the login", async () => {
    await signUp("Edith");
    await elsewhere("endSessions");
    const sign = async () => {
      await card("Sign a message").getByLabel("Message").fill("Too late");
      await card("Sign a message")
        .getByRole("button", { name: /^Sign (message|transfer)$/ })
        .click();
    };
    // The other tab may have to poll for its answer. Then it is refused first, and tells this one.
    await Promise.any([sign(), page.getByText("Your session has ended").waitFor()]);
    await page.getByText("Your session has ended").waitFor();
    await button("Log in with a passkey").click();
    await page.getByRole("heading", { level: 1, name: "Edith" }).waitFor();
  });

  test("the server part makes nothing of a request that the page would not send", async () => {
    const post = (body: string, type = "application/json") =>
      fetch(`${url}/sign-up`, {
        method: "POST",
        headers: { "content-type": type },
        body,
      });
    const count = async () =>
      (await clientOf(playground.service, playground.root).listSuborgs()).organizationIds.length;
    const before = await count();
    const publicKey = "036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296";
    for (const body of [
      "[",
      "null",
      JSON.stringify({ name: "", apiKey: { publicKey }, authenticator: {} }),
      JSON.stringify({ name: "Mallory", apiKey: { publicKey: "02" }, authenticator: {} }),
      JSON.stringify({ name: "Mallory", apiKey: { publicKey } }),
      JSON.stringify({ name: "Mallory", apiKey: { publicKey }, authenticator: {} }),
    ]) {
      expect((await post(body)).status).toBe(400);
    }
    expect((await post("{}", "text/plain")).status).toBe(400);
    expect((await post(JSON.stringify({ name: "x".repeat(20_000) }))).status).toBe(413);
    for (const path of ["/../server.ts", "/%2e%2e/sign-up.ts", "/..%2fserver.ts", "/data", "/%"]) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect(await count()).toBe(before);
    const index = await fetch(url);
    expect(index.headers.get("content-security-policy")).toContain("default-src 'self'");
    expect(await index.text()).not.toContain(playground.root.apiPrivateKey);
  });

  test("the server part answers at its own name only", async () => {
    for (const path of ["/", "/config", "/sign-up"]) {
      const named = (host: string) => statusOf(`${url}${path}`, host);
      const { host } = new URL(url);
      expect([path, await named(host)]).toEqual([path, path === "/sign-up" ? 404 : 200]);
      for (const other of [
        "attacker.example",
        `attacker.example:${new URL(url).port}`,
        "localhost",
      ]) {
        expect([path, other, await named(other)]).toEqual([path, other, 421]);
      }
    }
  });

  test.each(isLong ? [390, 1440] : [390])(
    "at %i pixels nothing is cut off, in either theme",
    async (width) => {
      await page.setViewportSize({ width, height: 900 });
      const widths = () =>
        page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const [content = 0, window = 0] = await widths();
        expect(content).toBeLessThanOrEqual(window);
        await screenshot(`welcome-${width}-${colorScheme}`);
      }
      await signUp("Ada Lovelace");
      await card("Sign a message").getByLabel("Message").fill("I keep my own keys.");
      await card("Sign a message")
        .getByRole("button", { name: /^Sign (message|transfer)$/ })
        .click();
      await newest().getByText("I keep my own keys.").waitFor();
      // What happened is in view, on a phone too.
      const result = card("Sign a message").getByText("Signed.");
      const place = await result.evaluate((each) => each.getBoundingClientRect().top);
      expect(place).toBeGreaterThan(0);
      expect(place).toBeLessThan(900);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        const [content = 0, window = 0] = await widths();
        expect(content).toBeLessThanOrEqual(window);
        await screenshot(`wallet-${width}-${colorScheme}`);
      }
    },
  );
});
