import { createHash } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CLIENT_ID, type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { type App, bundlePage, mailedCode, serveApp, switchOnProxy } from "./apps.ts";
import { type Product, startProduct } from "./product.ts";

// The newest client that logs people in without a backend, unmodified, in a page that is not the service's. What
// differs is where the service is and which key its signer has.

describe.runIf(hasBrowser)("in a browser, without a backend,", () => {
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let page: Page;
  let app: App;
  let stranger: App;

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    product = await startProduct({ KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` });
    [app, stranger] = await Promise.all([serveApp(), serveApp()]);
    const script = await bundlePage(product, new URL("login-proxy.page.ts", import.meta.url));
    app.show({ script });
    await switchOnProxy(product, app.origin, { oauthClientIds: { example: CLIENT_ID } });
    browser = await sharedBrowser();
    page = await browser.newPage();
    await openAuthenticator(page);
    await page.goto(app.origin);
    await page.waitForFunction(() => window.proxied !== undefined);
    await page.evaluate(([...given]) => window.proxied.open(...given), [
      product.url,
      product.root.organizationId,
    ] as const);
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await provider?.stop();
    await Promise.all([app?.stop(), stranger?.stop()]);
  });

  const signed = {
    organizationId: expect.not.stringContaining("nothing"),
    userId: expect.any(String),
    r: expect.stringMatching(/^[0-9a-f]{64}$/),
  };

  test("the client reads what the organization has set", async () => {
    expect(await page.evaluate(() => window.proxied.config())).toMatchObject({
      enabledProviders: ["email", "passkey", "example"],
      organizationId: product.root.organizationId,
      otpLength: "6",
    });
  });

  test("somebody signs up with a passkey, signs, and logs in with it again", async () => {
    const first = await page.evaluate(() => window.proxied.signUpWithPasskey());
    expect(first).toEqual(signed);
    expect(first.organizationId).not.toBe(product.root.organizationId);
    await page.evaluate(() => window.proxied.logOut());
    expect(await page.evaluate(() => window.proxied.logInWithPasskey())).toEqual(first);
    await page.evaluate(() => window.proxied.logOut());
  });

  test("somebody signs up with the code of a mail, signs, and logs in with another", async () => {
    const contact = "ada.proxy@example.com";
    const logIn = async () => {
      const sent = await page.evaluate((to) => window.proxied.sendCode(to), contact);
      const code = await mailedCode(product, browser, contact);
      expect(code).toMatch(/^\d{6}$/);
      const answer = await page.evaluate(([...given]) => window.proxied.logInWithCode(...given), [
        code,
        contact,
        sent,
      ] as const);
      await page.evaluate(() => window.proxied.logOut());
      return answer;
    };
    const first = await logIn();
    expect(first).toEqual({ action: "SIGNUP", ...signed });
    expect(await logIn()).toEqual({ ...first, action: "LOGIN" });
  });

  test("somebody signs up at an OpenID provider, signs, and logs in there again", async () => {
    const logIn = async () => {
      const publicKey = await page.evaluate(() => window.proxied.newKey());
      const nonce = createHash("sha256").update(publicKey).digest("hex");
      const oidcToken = await provider.logIn("ada", { nonce });
      const answer = await page.evaluate(([...given]) => window.proxied.logInWithToken(...given), [
        oidcToken,
        publicKey,
      ] as const);
      await page.evaluate(() => window.proxied.logOut());
      return answer;
    };
    const first = await logIn();
    expect(first).toEqual({ action: "SIGNUP", ...signed });
    expect(await logIn()).toEqual({ ...first, action: "LOGIN" });
  });

  test("a page that the organization did not name reads no answer", async () => {
    const other = await browser.newPage();
    await other.goto(stranger.origin);
    const outcome = await other.evaluate(
      async ([url, id]) => {
        const headers = { "Content-Type": "application/json", "X-Auth-Proxy-Config-ID": id };
        const asked = fetch(`${url}/proxy/v1/wallet_kit_config`, { method: "POST", headers });
        return asked.then(
          () => "read",
          (error: unknown) => String(error),
        );
      },
      [product.url, product.root.organizationId] as const,
    );
    expect(outcome).toBe("TypeError: Failed to fetch");
  });
});
