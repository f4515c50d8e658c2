import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { createApiKey } from "@keyhearth/sdk/crypto";
import { expressLoginHandler } from "@keyhearth/sdk/server";
import { Transaction, verifyMessage, Wallet } from "ethers";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { loginOptions } from "../../apps/website/snippets/server/login-options.ts";
import { createServerUser } from "../../apps/website/snippets/server/server-user.ts";
import { type CaptchaProvider, startCaptchaProvider } from "../captcha/provider.ts";
import { type Product, startProduct } from "../official-clients/product.ts";
import { type OpenIdProvider, PAGE_CLIENT_ID, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { isLong } from "../start/long-form.ts";
import { clientOf } from "../start/process.ts";
import { type KitPage, serveKitPage } from "./serve-page.ts";

// The components in a page that Vite built, of a different origin from the service and its frames, under a policy without
// `unsafe-inline`. Nobody but the browser knows the session.

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** 0.25 ETH on Ethereum. */
const transaction =
  "02f0010a843b9aca008506fc23ac0082520894742d35cc6634c0532925a3b844bc454e4438f44e8803782dace9d9000080c0";

describe.runIf(hasBrowser)("in a browser,", () => {
  let captcha: CaptchaProvider;
  let provider: OpenIdProvider;
  let product: Product;
  let root: KeyhearthClient;
  let app: KitPage;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let complaints: string[];
  let failures: unknown[];

  beforeAll(async () => {
    [app, browser] = await Promise.all([serveKitPage(), sharedBrowser()]);
    provider = await startOpenIdProvider({ pages: [`${app.origin}/`] });
    captcha = await startCaptchaProvider();
    product = await startProduct({
      KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}`,
      ...captcha.environment,
    });
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    const facts = (await described.json()) as Record<string, string>;
    const { sessionPublicKey = "", verificationPublicKey = "" } = facts;
    const { organizationId } = product.root;
    const options = {
      baseUrl: product.url,
      organizationId,
      sessionPublicKey,
      verificationPublicKey,
    };
    const { issuer } = provider;
    app.show(product.url, {
      options,
      transaction,
      provider: { name: "example", label: "Example", authorizationEndpoint: `${issuer}/auth` },
    });
    root = clientOf(product, product.root);
    await switchOn(product, root, app.origin);
    const kinds = ["INIT_OTP", "VERIFY_OTP", "CREATE_SUB_ORGANIZATION"];
    const stamper = await createServerUser(root, "Logins", kinds);
    const { url: baseUrl, rootKeyFile: keyFile } = product;
    const given = { baseUrl, keyFile, verificationPublicKey, origin: app.origin };
    app.logins.handle = expressLoginHandler({
      ...(await loginOptions(given)),
      // With a key that may do this and nothing else.
      connection: connect(product, organizationId, stamper),
      onError: (error) => failures.push(error),
    });
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await Promise.all([provider?.stop(), app?.stop(), captcha?.stop()]);
  });

  beforeEach(async () => {
    [complaints, failures] = [[], []];
    context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    page = await context.newPage();
    page.on("console", (line) => {
      // A refusal is also a line of the browser. The provider's own pages complain about other things.
      const isOurs =
        !line.location().url.startsWith("https:") && !/status of 4\d\d/.test(line.text());
      if (line.type() === "error" && isOurs) {
        complaints.push(line.text());
      }
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
  });

  afterEach(async () => {
    await context.close();
    expect(complaints).toEqual([]);
    expect(failures).toEqual([]);
  });

  const open = (query = "") => page.goto(`${app.origin}/?${query}`);
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const told = () => page.evaluate(() => window.told);
  const problem = () => page.locator(".keyhearth [role=alert]");

  async function expectTold(what: string | RegExp): Promise<string> {
    await expect.poll(told, { timeout: 15_000 }).toContainEqual(expect.stringMatching(what));
    return (await told()).at(-1) ?? "";
  }

  async function organizationNow(): Promise<string> {
    const state = page.getByLabel("State");
    await expect.poll(() => state.textContent(), { timeout: 15_000 }).toMatch(/^logged-in /);
    return ((await state.textContent()) ?? "").replace("logged-in ", "");
  }

  async function logOut() {
    await button("Log out").click();
    await field("Email address").waitFor();
    await page.evaluate(() => void window.told.splice(0));
  }

  async function signUpWithPasskey(name = "Ada") {
    await button("Create an account with a passkey").click();
    await expect(page.evaluate(() => document.activeElement?.tagName)).resolves.toBe("INPUT");
    await field("Your name").fill(name);
    await page.keyboard.press("Enter");
    await expectTold(/^signed up$/);
    return organizationNow();
  }

  /** The newest code to somebody, as people copy it from the mailbox. */
  async function readCode(to: string): Promise<string> {
    const mailbox = await browser.newPage();
    try {
      await mailbox.goto(product.mailboxUrl);
      await mailbox
        .getByRole("button", { name: `To ${to}` })
        .first()
        .click();
      const item = mailbox.getByRole("listitem").filter({ hasText: "Code" });
      return (await item.locator("code").textContent()) ?? "";
    } finally {
      await mailbox.close();
    }
  }

  async function askForCode(contact: string) {
    await field("Email address").fill(contact);
    await button("Send me a code").click();
    await field("Code").waitFor();
  }

  test.each(isLong ? ["proxy", "handler"] : ["proxy"])(
    "somebody signs up and logs in with a passkey by the %s",
    async (via) => {
      await openAuthenticator(page);
      await open(`via=${via}`);
      const organizationId = await signUpWithPasskey();
      await logOut();
      await button("Log in with a passkey").click();
      await expectTold(/^logged in$/);
      expect(await organizationNow()).toBe(organizationId);
      const session = await page.evaluate(() => window.keeper.session);
      expect((session?.expiresAtMs ?? 0) - Date.now()).toBeLessThan(601_000);
    },
  );

  test.each(["proxy", "handler"])(
    "somebody signs up and logs in with a code by the %s",
    async (via) => {
      const contact = `ada.${via}@example.com`;
      await open(`via=${via}`);
      await field("Email address").fill("ada");
      await page.keyboard.press("Enter");
      await page.getByText("Check the address").waitFor();
      await askForCode(contact);
      expect(await page.evaluate(() => document.activeElement?.getAttribute("autocomplete"))).toBe(
        "one-time-code",
      );
      await expect(page.getByText(`We sent a code to ${contact}.`).count()).resolves.toBe(2);
      expect(await button(/^Another code in \d+ s$/).getAttribute("aria-disabled")).toBe("true");
      const length = via === "proxy" ? 6 : 9;
      await field("Code").fill("0".repeat(length));
      await problem().getByText("That isn’t the code. Attempts left: 2.").waitFor();
      const code = await readCode(contact);
      // As people paste it.
      await field("Code").fill(` ${code.toLowerCase().replace(/^(...)/, "$1 ")} `);
      await expectTold(/^signed up$/);
      const organizationId = await organizationNow();
      await logOut();
      await askForCode(contact);
      await field("Code").fill(await readCode(contact));
      await expectTold(/^logged in$/);
      expect(await organizationNow()).toBe(organizationId);
    },
  );

  async function logInAtProvider(at: Page) {
    await at.getByPlaceholder("Enter any login").fill("ada");
    await at.getByPlaceholder("and password").fill("any");
    await at.getByRole("button", { name: "Sign-in" }).click();
    await at.getByRole("button", { name: "Continue" }).click();
  }

  test("somebody signs up at a provider in a window, and logs in there by leaving the page", async () => {
    await open();
    const popup = page.waitForEvent("popup");
    await button("Continue with Example").click();
    await logInAtProvider(await popup);
    await expectTold(/^signed up$/);
    const organizationId = await organizationNow();
    await logOut();

    await open("via=handler&flow=redirect");
    await button("Continue with Example").click();
    // The provider knows them by its cookie, and asks again whether this app may.
    await button("Continue").click();
    expect(await organizationNow()).toBe(organizationId);
    expect(page.url()).not.toContain("id_token");
  });

  test("a window that is closed, and a login that people cancel, are said", async () => {
    await open();
    const popup = page.waitForEvent("popup");
    await button("Continue with Example").click();
    await (await popup).close();
    await problem().getByText("That was closed or took too long").waitFor();
    expect(await told()).toEqual(["error CANCELLED"]);
  });

  test("somebody signs up and logs in with a wallet that announces itself", async () => {
    const wallet = Wallet.createRandom();
    await page.exposeFunction("signText", (hex: string) =>
      wallet.signMessage(Buffer.from(hex.slice(2), "hex")),
    );
    await page.addInitScript((address) => {
      const provider = {
        request: ({ method, params }: { method: string; params: string[] }) =>
          method === "eth_requestAccounts"
            ? Promise.resolve([address])
            : (window as unknown as { signText(hex: string): Promise<string> }).signText(
                params[0] ?? "",
              ),
      };
      window.addEventListener("eip6963:requestProvider", () => {
        const detail = { info: { uuid: "1", name: "Test Wallet" }, provider };
        window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail }));
      });
    }, wallet.address);
    await open("via=handler");
    await button("Continue with Test Wallet").click();
    await expectTold(/^signed up$/);
    const organizationId = await organizationNow();
    await logOut();
    await open();
    await button("Continue with Test Wallet").click();
    await expectTold(/^logged in$/);
    expect(await organizationNow()).toBe(organizationId);
  });

  test("somebody signs up and logs in with a wallet of Solana", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("ed25519");
    await page.exposeFunction("signText", (text: string) => [
      ...sign(null, Buffer.from(text), privateKey),
    ]);
    const raw = [...Buffer.from(publicKey.export({ format: "jwk" }).x ?? "", "base64url")];
    await page.addInitScript((bytes) => {
      const { signText } = window as unknown as { signText(text: string): Promise<number[]> };
      window.solana = {
        publicKey: { toBytes: () => Uint8Array.from(bytes) },
        signMessage: async (message) =>
          Uint8Array.from(await signText(new TextDecoder().decode(message))),
      };
    }, raw);
    await open();
    await button("Continue with Solana Wallet").click();
    await expectTold(/^signed up$/);
    const organizationId = await organizationNow();
    await logOut();
    await open("via=handler");
    await button("Continue with Solana Wallet").click();
    await expectTold(/^logged in$/);
    expect(await organizationNow()).toBe(organizationId);
  });

  test("somebody signs up and logs in with a code by SMS", async () => {
    const contact = "+14155550123";
    await open("sms");
    await field("Phone number").fill("555 0123");
    await page.keyboard.press("Enter");
    await page.getByText("Check the number. It begins with the country’s code").waitFor();
    const logIn = async (outcome: RegExp) => {
      // As people write it.
      await field("Phone number").fill("+1 415 555 0123");
      await button("Send me a code").click();
      await field("Code").fill(await readCode(contact));
      await expectTold(outcome);
      return organizationNow();
    };
    const organizationId = await logIn(/^signed up$/);
    await button("Log out").click();
    await page.evaluate(() => void window.told.splice(0));
    expect(await logIn(/^logged in$/)).toBe(organizationId);
  });

  test("somebody solves a captcha for a code and for a passkey, and signs up with each", async () => {
    await switchOn(product, root, app.origin, { captcha: true });
    try {
      await captcha.serveWidget(context);
      await openAuthenticator(page);
      await open("captcha");
      const contact = "captcha@example.com";
      await askForCode(contact);
      await field("Code").fill(await readCode(contact));
      await expectTold(/^signed up$/);
      expect(captcha.asked).toEqual([{ token: expect.any(String), accepted: true }]);
      await logOut();
      await signUpWithPasskey();
      await logOut();
      expect(captcha.asked.map(({ accepted }) => accepted)).toEqual([true, true]);
      // An app that brings no captcha reads what is missing.
      await open();
      await field("Email address").fill(contact);
      await button("Send me a code").click();
      await problem().getByText("The app doesn’t allow this.").waitFor();
      expect(await told()).toEqual(["error REQUEST_NOT_AUTHORIZED"]);
    } finally {
      await switchOn(product, root, app.origin);
    }
  });

  test("somebody signs, exports and imports, and the page sees no secret", async () => {
    await openAuthenticator(page);
    await open();
    await signUpWithPasskey();
    await button("Open sign").click();
    await page.locator("pre", { hasText: "grüße" }).waitFor();
    await button("Sign").click();
    const [signer, signature = ""] = (await expectTold(/^0x\w{40} 0x\w{130}$/)).split(" ");
    expect(verifyMessage("grüße", signature)).toBe(signer);

    await button("Open confirm").click();
    await page.getByText("0.25 ETH", { exact: true }).waitFor();
    await page.getByText("at most 0.00063 ETH").waitFor();
    await button("Sign the transaction").click();
    const [, signed = ""] = (await expectTold(/^0x\w{40} 0x02f87/)).split(" ");
    expect(Transaction.from(signed)).toMatchObject({
      from: signer,
      value: 250_000_000_000_000_000n,
    });

    await button("Open export").click();
    expect(await button("Show").getAttribute("aria-disabled")).toBe("true");
    await field("Nobody else can see my screen.").check();
    await button("Show").click();
    await expectTold(/^shown$/);
    const words = (await page.frameLocator("iframe").locator("#key-div").textContent()) ?? "";
    expect(Wallet.fromPhrase(words).address).toBe(signer);
    expect(await page.content()).not.toContain(words.split(" ").slice(0, 3).join(" "));
    await button("Hide").click();
    expect(await page.locator("iframe").count()).toBe(0);

    await button("Open key").click();
    await field("Nobody else can see my screen.").check();
    await button("Show").click();
    const key = page.frameLocator("iframe").locator("#key-div");
    await expect.poll(() => key.textContent()).toBe(Wallet.fromPhrase(words).privateKey);
    await button("Close").click();
    expect(await page.locator("iframe").count()).toBe(0);

    const other = Wallet.createRandom();
    await button("Open import").click();
    await page.frameLocator("iframe").locator("#plaintext").fill("not twelve words");
    await field("Name").fill("Old wallet");
    await button("Import").click();
    await problem().getByText("That can’t be imported").waitFor();
    await page
      .frameLocator("iframe")
      .locator("#plaintext")
      .fill(other.mnemonic?.phrase ?? "");
    await button("Import").click();
    expect(await expectTold(new RegExp(other.address))).toMatch(/^[0-9a-f-]{36} 0x/);
    await page.locator(".keyhearth-good", { hasText: "Imported." }).waitFor();

    const single = Wallet.createRandom();
    await button("Open import key").click();
    await page.frameLocator("iframe").locator("#plaintext").fill(single.privateKey);
    await field("Name").fill("Old key");
    await button("Import").click();
    await expectTold(new RegExp(single.address));
  });

  test("the app of the page about the kit runs", async () => {
    await openAuthenticator(page);
    await open("sample");
    await button("Create an account with a passkey").click();
    await field("Your name").fill("Ada");
    await button("Create a passkey").click();
    await button("Sign").click();
    const signature = page.locator("pre", { hasText: /^0x\w{130}$/ });
    const signer = verifyMessage("Hello from Keyhearth", (await signature.textContent()) ?? "");
    expect(await page.locator(".keyhearth").textContent()).toContain(signer);
    const colour = (element: Element) => getComputedStyle(element).getPropertyValue("--_accent");
    expect(await page.locator(".keyhearth").evaluate(colour)).toBe("#1b5a4c");
    await button("Back up").click();
    await field("Nobody else can see my screen.").check();
    await button("Show").click();
    await page
      .frameLocator("iframe")
      .locator("#key-div")
      .getByText(/\w+ \w+/)
      .waitFor();
    await button("Close").click();
    await button("Log out").click();
    await button("Log in with a passkey").waitFor();
  });

  test("what waits for approvals goes on by itself, and a rejection is said", async () => {
    await openAuthenticator(page);
    await open();
    const organizationId = await signUpWithPasskey();
    const key = createApiKey();
    await page.evaluate((publicKey) => window.addApprover(publicKey), key.apiPublicKey);
    const approver = connect(product, organizationId, new ApiKeyStamper(key));
    await button("Open confirm").click();
    await button("Sign the transaction").click();
    await page.locator(".keyhearth-warning").getByText("waits for the approval").waitFor();
    await approver.approve(await pendingOf(approver), () => true);
    await expectTold(/^0x\w{40} 0x02f87/);
    await button("Open sign").click();
    await button("Sign").click();
    await page.locator(".keyhearth-warning").getByText("waits for the approval").waitFor();
    await approver.reject(await pendingOf(approver));
    await problem().getByText("Somebody rejected this.").waitFor();
  });

  test("without a network, and in Spanish, people read what to do", async () => {
    await open("language=es");
    await page.getByRole("heading", { name: "Inicia sesión o regístrate" }).waitFor();
    await page.route(`${product.url}/**`, (route) => route.abort());
    await field("Correo electrónico").fill("ada@example.com");
    await button("Enviarme un código").click();
    await problem().getByText("No podemos conectarnos al servicio").waitFor();
    expect(await told()).toEqual(["error NETWORK"]);
    complaints = complaints.filter((line) => !line.includes("ERR_FAILED"));
  });

  // In one view, and in the long form in both themes and widths.
  test.each<[number, string[]]>(
    isLong
      ? [
          [390, ["light", "dark"]],
          [1440, ["light", "dark"]],
        ]
      : [[390, ["dark"]]],
  )("axe finds nothing in any state at %i px, %o", async (width, schemes) => {
    await page.setViewportSize({ width, height: 900 });
    for (const scheme of schemes) {
      await open(`gallery&scheme=${scheme}`);
      await page
        .locator("[data-state='ConfirmTransaction approval']")
        .getByText("without a limit")
        .waitFor();
      await page.evaluate(axe);
      const found = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as { axe: typeof import("axe-core") };
        const { violations } = await axe.run(document, {
          // Thirty forms of one page have the same names.
          rules: {
            "landmark-unique": { enabled: false },
            "page-has-heading-one": { enabled: false },
          },
        });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`);
      });
      expect([scheme, found]).toEqual([scheme, []]);
      const isWide = () => document.documentElement.scrollWidth > innerWidth;
      expect(await page.evaluate(isWide)).toBe(false);
    }
  });
});

function connect({ url }: Product, organizationId: string, stamper: ApiKeyStamper) {
  return new KeyhearthClient({ baseUrl: url, organizationId, stamper });
}

/** The activity that waits for this approver. */
async function pendingOf(approver: KeyhearthClient): Promise<string> {
  const { activities } = await approver.listActivities({
    filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
  });
  return activities[0]?.id ?? "";
}

async function switchOn(
  { url }: Product,
  root: KeyhearthClient,
  origin: string,
  more: object = {},
) {
  const { organizationId } = root;
  const shown = await fetch(`${url}/proxy/v1/public_key`, {
    method: "POST",
    headers: { "X-Auth-Proxy-Config-ID": organizationId },
  });
  const { publicKey } = (await shown.json()) as { publicKey: string };
  const settings = {
    publicKey,
    appName: "Example",
    origins: [origin],
    methods: ["email", "sms", "passkey", "wallet"],
    otpLength: 6,
    otpAlphanumeric: false,
    oauthClientIds: { example: PAGE_CLIENT_ID },
    ...more,
  };
  const value = JSON.stringify(settings);
  await root.setOrganizationFeature({ name: "FEATURE_NAME_AUTH_PROXY", value });
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const) {
    await root.setOrganizationFeature({ name });
  }
}
