import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { verifyMessage, Wallet } from "ethers";
import type { Browser, BrowserContext, FrameLocator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CaptchaProvider, startCaptchaProvider } from "../captcha/provider.ts";
import { type OpenIdProvider, PAGE_CLIENT_ID, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { type App, bundlePage, mailedCode, serveApp, switchOnProxy } from "./apps.ts";
import { type Product, startProduct } from "./product.ts";

// The newest kit of components, unmodified, in a page that is not the service's: people use its buttons and fields, the login
// proxy answers it, and secrets are in the service's frames.

const styles = readFileSync(
  createRequire(import.meta.url).resolve("@turnkey/react-wallet-kit/styles.css"),
  "utf8",
);

describe.runIf(hasBrowser)("in a browser, @turnkey/react-wallet-kit", () => {
  let captcha: CaptchaProvider;
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let app: App;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    [app, browser, captcha] = await Promise.all([
      serveApp(),
      sharedBrowser(),
      startCaptchaProvider(),
    ]);
    // The kit leaves out a slash at the end.
    provider = await startOpenIdProvider({ pages: [app.origin] });
    product = await startProduct({
      KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}`,
      ...captcha.environment,
    });
    // Without a captcha, the kit waits five seconds for one before each code and each sign-up.
    const more = { captcha: true, oauthClientIds: { google: PAGE_CLIENT_ID } };
    await switchOnProxy(product, app.origin, more);
    const { url, root } = product;
    const settings = { url, organizationId: root.organizationId };
    const script = await bundlePage(product, new URL("wallet-kit.page.tsx", import.meta.url));
    app.show({ script, styles, settings });
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await Promise.all([provider?.stop(), app?.stop(), captcha?.stop()]);
  });

  beforeEach(async () => {
    complaints = [];
    context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    // The kit's animations and pictures are at addresses of others.
    await context.route(/^https:/, (route) => route.abort());
    await captcha.serveWidget(context);
    await context.route("https://accounts.google.com/**", (route) => {
      // This provider asks people anyway who they are, and refuses what it does not know.
      const { searchParams } = new URL(route.request().url());
      searchParams.delete("prompt");
      const location = `${provider.issuer}/auth?${searchParams}`;
      return route.fulfill({ status: 302, headers: { location } });
    });
    page = await context.newPage();
    page.on("console", (line) => {
      if (line.type() === "error" && !line.text().includes("ERR_FAILED")) {
        complaints.push(line.text());
      }
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
    await page.exposeFunction("tell", (error: string) => void complaints.push(error));
  });

  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });

  const open = () => page.goto(app.origin);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const said = () => page.locator("output");
  const frame = (): FrameLocator => page.frameLocator("#turnkey-default-iframe-element-id");

  /** Who is logged in, once the app shows their wallet. */
  async function account(): Promise<{ organizationId: string; address: string }> {
    await page.locator("#address", { hasText: /^0x/ }).waitFor({ timeout: 20_000 });
    const [organizationId, address] = await Promise.all(
      ["#organization", "#address"].map((place) => page.locator(place).textContent()),
    );
    return { organizationId: organizationId ?? "", address: address ?? "" };
  }

  /** The kit lets people go on before the frame has its key, which is an error of its own. */
  async function frameIsReady(text: string) {
    const size = () =>
      frame()
        .locator(text)
        .evaluate((element) => getComputedStyle(element).fontSize);
    // The kit sets it once the channel is open. The frame keeps it, and the next one would have it before that.
    await expect.poll(size, { timeout: 20_000 }).toBe("16px");
    await frame()
      .locator(text)
      .evaluate(() => localStorage.clear());
    // What the frame answered arrives, and the kit renders.
    await page.evaluate(() => new Promise((done) => setTimeout(done, 250)));
  }

  async function sign({ address }: { address: string }) {
    await button("Sign").click();
    await page.getByTestId("sign-button").click();
    await expect.poll(() => said().textContent(), { timeout: 10_000 }).toMatch(/^\{/);
    const { r, s, v } = JSON.parse((await said().textContent()) ?? "");
    const signature = { r: `0x${r}`, s: `0x${s}`, v: 27 + Number.parseInt(v, 16) };
    expect(verifyMessage("Hello", signature)).toBe(address);
  }

  async function logOut() {
    await button("Log out").click();
    await button("Log in").waitFor();
  }

  test("people sign up with a passkey, sign, and log in with it again", async () => {
    await openAuthenticator(page);
    await open();
    await button("Log in").click();
    await button("Sign up with passkey").click();
    const first = await account();
    expect(first.organizationId).not.toBe(product.root.organizationId);
    await sign(first);
    await logOut();
    await button("Log in").click();
    await button("Log in with passkey").click();
    expect(await account()).toEqual(first);
  });

  test("people sign up with a code by mail, sign, and log in with another", async () => {
    const contact = "ada.kit@example.com";
    await open();
    const logIn = async () => {
      await button("Log in").click();
      await page.getByTestId("email-input").fill(contact);
      await page.getByTestId("email-continue-icon").click();
      const first = page.locator("input[maxlength='1']").first();
      await first.waitFor();
      await first.focus();
      await page.keyboard.type(await mailedCode(product, browser, contact));
      return account();
    };
    const first = await logIn();
    await sign(first);
    await logOut();
    expect(await logIn()).toEqual(first);
  });

  test("people sign up at a provider in a window, sign, and log in there again", async () => {
    await open();
    await button("Log in").click();
    const popup = page.waitForEvent("popup");
    await button("Continue with Google").click();
    const at = await popup;
    await at.getByPlaceholder("Enter any login").fill("ada");
    await at.getByPlaceholder("and password").fill("any");
    await at.getByRole("button", { name: "Sign-in" }).click();
    await at.getByRole("button", { name: "Continue" }).click();
    const first = await account();
    await sign(first);
    await logOut();
    await button("Log in").click();
    const again = page.waitForEvent("popup");
    await button("Continue with Google").click();
    await (await again).getByRole("button", { name: "Continue" }).click();
    expect(await account()).toEqual(first);
  });

  test("people export and import through the frames, and the page sees no secret", async () => {
    await openAuthenticator(page);
    await open();
    await button("Log in").click();
    await button("Sign up with passkey").click();
    const { address } = await account();

    await button("Export the wallet").click();
    await frameIsReady("#key-div");
    await page.getByTestId("confirm-export-warning-button").click();
    const shown = frame().locator("#key-div");
    await shown.getByText(/\w+ \w+/).waitFor();
    const words = (await shown.textContent()) ?? "";
    expect(Wallet.fromPhrase(words).address).toBe(address);
    expect(await page.content()).not.toContain(words.split(" ").slice(0, 3).join(" "));
    await page.getByTestId("export-done").click();

    await button("Export the account").click();
    await frameIsReady("#key-div");
    await page.getByTestId("confirm-export-warning-button").click();
    await expect.poll(() => shown.textContent()).toBe(Wallet.fromPhrase(words).privateKey);
    await page.getByTestId("export-done").click();

    const other = Wallet.createRandom();
    await button("Import a wallet").click();
    await frameIsReady("#plaintext");
    await frame().locator("#plaintext").fill("not twelve words");
    await page.getByTestId("import-wallet-name-input").fill("Old wallet");
    await page.getByTestId("import-button").click();
    const problem = page.getByTestId("import-error-message");
    await problem.getByText("the recovery phrase has 3 words").waitFor();
    complaints = [];
    await frame()
      .locator("#plaintext")
      .fill(other.mnemonic?.phrase ?? "");
    await page.getByTestId("import-button").click();
    await page.locator("#wallets", { hasText: "Old wallet" }).waitFor();

    const single = Wallet.createRandom();
    await button("Import a key").click();
    await frameIsReady("#plaintext");
    await frame().locator("#plaintext").fill(single.privateKey);
    await page.getByTestId("import-wallet-name-input").fill("Old key");
    await page.getByTestId("import-button").click();
    await expect.poll(() => said().textContent(), { timeout: 10_000 }).toMatch(/^[0-9a-f-]{36}$/);
  });

  test("each code and each sign-up took a captcha of its own", () => {
    const tokens = new Set(captcha.asked.map(({ token }) => token));
    // Two passkeys, a social login that signs up, and two codes. A sign-up by code takes no second one.
    expect([captcha.asked.length, tokens.size]).toEqual([5, 5]);
    expect(captcha.asked.every(({ accepted }) => accepted)).toBe(true);
  });
});
