import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import { build, type Plugin } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { type Product, startProduct } from "./product.ts";

// The newest client that logs people in without a backend, unmodified, in a page that is not the service's. What
// differs is where the service is and which key its signer has.

describe.runIf(hasBrowser)("in a browser, without a backend,", () => {
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let page: Page;
  let app: Awaited<ReturnType<typeof serveApp>>;
  let stranger: Awaited<ReturnType<typeof serveApp>>;

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    product = await startProduct({ KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` });
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    // What the service says about itself.
    const facts = (await described.json()) as { verificationPublicKey: string };
    const script = await bundlePage(facts.verificationPublicKey);
    [app, stranger] = await Promise.all([serveApp(script), serveApp("")]);
    await switchOn(product, app.origin);
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
    for (const { server } of [app, stranger]) server.close();
  });

  const signed = {
    organizationId: expect.not.stringContaining("nothing"),
    userId: expect.any(String),
    r: expect.stringMatching(/^[0-9a-f]{64}$/),
  };

  /** What the newest mail to somebody brings. */
  async function readCode(to: string): Promise<string> {
    const mailbox = await browser.newPage();
    try {
      await mailbox.goto(product.mailboxUrl);
      const button = mailbox.getByRole("button", { name: `To ${to}` });
      await button.first().click();
      const item = mailbox.getByRole("listitem").filter({ hasText: "Code" });
      return (await item.locator("code").textContent()) ?? "";
    } finally {
      await mailbox.close();
    }
  }

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
      const code = await readCode(contact);
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

/** As the organization's owner switches it on, with a client that knows the feature's name. */
async function switchOn({ url, root }: Product, origin: string) {
  const { organizationId } = root;
  const shown = await fetch(`${url}/proxy/v1/public_key`, {
    method: "POST",
    headers: { "X-Auth-Proxy-Config-ID": organizationId },
  });
  const { publicKey } = (await shown.json()) as { publicKey: string };
  const client = new TurnkeyClient({ baseUrl: url }, new ApiKeyStamper(root));
  const settings = {
    publicKey,
    appName: "Example",
    origins: [origin],
    methods: ["email", "passkey"],
    otpLength: 6,
    otpAlphanumeric: false,
    oauthClientIds: { example: "my-app" },
  };
  const features = [
    { name: "FEATURE_NAME_AUTH_PROXY", value: JSON.stringify(settings) },
    { name: "FEATURE_NAME_OTP_EMAIL_AUTH", value: "" },
  ] as const;
  for (const parameters of features) {
    await client.setOrganizationFeature({
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      timestampMs: String(Date.now()),
      organizationId,
      parameters,
    });
  }
}

/** The client has no option for the key of the signer that it encrypts codes to, so its constant has another value. */
function withSignersKey(publicKey: string): Plugin {
  const name = "PRODUCTION_TLS_FETCHER_SIGN_PUBLIC_KEY";
  return {
    name: "the key of the signer",
    setup({ onLoad }) {
      onLoad({ filter: /@turnkey[\\/]crypto[\\/]dist[\\/]constants\.m?js$/ }, ({ path }) => {
        const text = readFileSync(path, "utf8");
        const contents = text.replace(
          new RegExp(`(const ${name} = )"04[0-9a-f]{128}"`),
          `$1"${publicKey}"`,
        );
        if (contents === text) throw new Error(`${path} has no ${name}`);
        return { contents, loader: "js" };
      });
    },
  };
}

async function bundlePage(signersKey: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("login-proxy.page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "warning",
    plugins: [withSignersKey(signersKey)],
  });
  return outputFiles[0]?.text ?? "";
}

/** An app of another origin. Browsers let no page that a test made up reach a loopback address. */
async function serveApp(script: string): Promise<{ server: Server; origin: string }> {
  const html =
    '<!doctype html><meta charset="utf-8"><body><script type="module" src="/app.js"></script>';
  const server = createServer((request, response) => {
    const isScript = request.url === "/app.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? script : html);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://localhost:${(server.address() as AddressInfo).port}` };
}
