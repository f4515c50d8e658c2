import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import type { CodeBackend, SessionKeeperOptions } from "@keyhearth/sdk/browser";
import { KeyhearthProvider, type SignUpRequest, useSession } from "@keyhearth/sdk/react";
import { getBase58Encoder, getPublicKeyFromAddress, address as solanaAddress } from "@solana/kit";
import { build, transformSync } from "esbuild";
import type { Browser, Page, Request } from "playwright-core";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { verifyMessage } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { type Product, startProduct } from "../official-clients/product.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import { closePages, hasBrowser, openAuthenticator, sharedBrowser } from "../start/browser.ts";
import { clientOf } from "../start/process.ts";

// The React kit: a server renders the app that the site shows, and a browser continues it in StrictMode.

// Node.js removes types, but it does not translate JSX.
registerHooks({
  load(url, context, next) {
    if (!url.endsWith(".tsx")) return next(url, context);
    const text = readFileSync(fileURLToPath(url), "utf8");
    const { code } = transformSync(text, { loader: "tsx", jsx: "automatic" });
    return { format: "module", source: code, shortCircuit: true };
  },
});
const { Root } = await import("./react.root.tsx");

/** The base point of P-256: a key of the right form. */
const somePublicKey = `04${"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`;

/** A component outside of the provider. */
const Lost = () => createElement("p", {}, useSession().status);

const render = (options: SessionKeeperOptions) =>
  renderToString(createElement(Root, { options, askProvider: () => Promise.reject() }));

describe("on a server,", () => {
  const options = {
    baseUrl: "https://keys.example.com",
    organizationId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    sessionPublicKey: somePublicKey,
  };

  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("an app is rendered while it loads, and nothing of a browser is touched", async () => {
    const touched: string[] = [];
    for (const name of ["fetch", "BroadcastChannel", "indexedDB", "setTimeout"]) {
      const touch = () => {
        touched.push(name);
        throw new Error(`${name} was touched`);
      };
      vi.stubGlobal(name, new Proxy(class {}, { get: touch, apply: touch, construct: touch }));
    }
    const html = render(options);
    expect(html).toContain("<main><p>Opening…</p></main>");
    expect(html).toContain("loading");
    await Promise.resolve();
    expect(touched).toEqual([]);
    vi.unstubAllGlobals();
    expect(render({ ...options, name: "another request" })).toBe(html);
  });

  test("a hook without its provider, and a pinned key of the wrong form, are typed errors", () => {
    expect(() => renderToString(createElement(Lost))).toThrow(
      expect.objectContaining({
        name: "InvalidField",
        message: expect.stringContaining("Render it inside <KeyhearthProvider"),
      }),
    );
    const wrong = { options: { ...options, sessionPublicKey: "04" } };
    expect(() => renderToString(createElement(KeyhearthProvider, wrong))).toThrow(
      expect.objectContaining({ name: "InvalidField", field: "sessionPublicKey" }),
    );
  });
});

describe.runIf(hasBrowser)("in a browser,", () => {
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let script: string;
  let options: SessionKeeperOptions;
  let page: Page;
  let complaints: string[];
  let asked: string[];
  /** Made by the app's server, newest last. */
  let people: Awaited<ReturnType<typeof newPerson>>[];

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    const environment = { KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` };
    [product, browser, script] = await Promise.all([
      startProduct(environment),
      sharedBrowser(),
      bundle(),
    ]);
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    // What the service says about itself.
    const facts = (await described.json()) as {
      sessionPublicKey: string;
      verificationPublicKey: string;
    };
    const { sessionPublicKey, verificationPublicKey } = facts;
    options = {
      baseUrl: product.url.replace("127.0.0.1", "localhost"),
      organizationId: product.root.organizationId,
      sessionPublicKey,
      verificationPublicKey,
    };
    await server().setOrganizationFeature({ name: "FEATURE_NAME_OTP_EMAIL_AUTH" });
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await provider?.stop();
  });

  beforeEach(async () => {
    complaints = [];
    asked = [];
    people = [];
    page = await openPage();
  });

  afterEach(async () => {
    await page.context().close();
    // Such as a mismatch of what the server rendered, or a state that was set too late.
    expect(complaints).toEqual([]);
  });

  /** The app's server, with the key of the parent organization. */
  const server = () => clientOf(product, product.root);

  async function newPerson(user: object) {
    const made = await server().createSubOrganization<"ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8">(
      {
        subOrganizationName: "Ada",
        rootUsers: [
          { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [], ...user },
        ],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts },
      },
      { type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8" },
    );
    const [ethereum = "", solana = ""] = made.wallet?.addresses ?? [];
    return { organizationId: made.subOrganizationId, ethereum, solana };
  }

  /** What the app's server does for its page. */
  const calls: Record<string, (request: never) => Promise<object>> = {
    "/sign-up": async ({ name, authenticator, apiKey }: SignUpRequest & { name: string }) => {
      const credentials = { authenticators: [authenticator], apiKeys: [apiKey] };
      const person = await newPerson({ userName: name, ...credentials });
      people.push(person);
      return person;
    },
    "/codes/init": (request: Parameters<CodeBackend["initOtp"]>[0]) =>
      server().initOtp({ ...request, appName: "Example" }),
    "/codes/verify": (request: Parameters<CodeBackend["verifyOtp"]>[0]) =>
      server().verifyOtp(request),
    "/codes/log-in": (request: Parameters<NonNullable<CodeBackend["otpLogin"]>>[0]) =>
      server().otpLogin(request, { organizationId: people.at(-1)?.organizationId ?? "" }),
  };

  async function openPage(): Promise<Page> {
    // A context has a storage of its own, as if each test had its own machine.
    const context = await browser.newContext();
    const fresh = await context.newPage();
    const given = `window.options = ${JSON.stringify(options)};`;
    const html = `<!doctype html><title>App</title><link rel="icon" href="data:,"><div id="root">${render(options)}</div>
      <script>${given}</script><script type="module" src="/app.js"></script>`;
    await fresh.route("**/app", (route) =>
      route.fulfill({ contentType: "text/html; charset=utf-8", body: html }),
    );
    await fresh.route("**/app.js", (route) =>
      route.fulfill({ contentType: "text/javascript; charset=utf-8", body: script }),
    );
    for (const [path, call] of Object.entries(calls)) {
      await fresh.route(`**${path}`, async (route) => {
        // Each call has the type that its page sends.
        const work = call(route.request().postDataJSON() as never);
        const { status, json } = await work.then(
          (done) => ({ status: 200, json: done }),
          ({ message }: Error) => ({ status: 400, json: { message } }),
        );
        await route.fulfill({ status, json });
      });
    }
    await fresh.exposeFunction("askProvider", (nonce: string) =>
      provider.logIn("ada.react", { nonce }),
    );
    fresh.on("console", (message) => {
      const isAnswer = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !isAnswer) complaints.push(message.text());
    });
    fresh.on("pageerror", ({ message }) => complaints.push(message));
    fresh.on("request", (request) => {
      const [, call] = callOf.exec(request.url()) ?? [];
      if (call) asked.push(call);
    });
    await fresh.goto(`${options.baseUrl}/app`);
    return fresh;
  }

  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const shown = (label: string) => page.getByLabel(label, { exact: true });
  const message = () => page.locator("main [role=alert]");

  async function expectText(label: string, text: string | RegExp) {
    await vi.waitFor(async () => expect(await shown(label).textContent()).toMatch(text), {
      timeout: 10_000,
      interval: 20,
    });
  }

  async function signUp(name = "Ada") {
    await shown("Name").fill(name);
    await button("Sign up").click();
    await button("Log out").waitFor();
    const person = people.at(-1);
    if (!person) throw new Error("nobody signed up");
    return person;
  }

  async function signWith(address: string) {
    await shown("Address").fill(address);
    await button("Sign with it").click();
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
      const code = mailbox.getByRole("listitem").filter({ hasText: "Code" }).locator("code");
      return (await code.textContent()) ?? "";
    } finally {
      await mailbox.close();
    }
  }

  test("somebody signs up with a passkey, sees wallets, signs, reloads, signs again and logs out", async () => {
    await openAuthenticator(page);
    const { organizationId, ethereum } = await signUp();
    const entry = page.getByRole("listitem").filter({ hasText: ethereum });
    await entry.waitFor();
    expect(await page.getByRole("listitem").count()).toBe(2);
    // StrictMode runs every effect twice, and one request of each kind is sent.
    expect(asked).toEqual(["stamp_login", "list_wallets", "list_wallet_accounts"]);
    const signHello = async () => {
      await entry.getByRole("button").click();
      const signature = (await page.locator("main output").textContent()) ?? "";
      expect(signature).toMatch(/^0x[0-9a-f]{130}$/);
      // The patterns of addresses and signatures are checked above.
      const proof = { address: ethereum as `0x${string}`, signature: signature as `0x${string}` };
      expect(await verifyMessage({ ...proof, message: "hello" })).toBe(true);
    };
    await signHello();
    // The provider beside it heard of the login.
    await expectText("State", `logged-in ${organizationId}`);

    asked.length = 0;
    await page.reload();
    await entry.waitFor();
    expect(asked).toEqual(["list_wallets", "list_wallet_accounts"]);
    await signHello();

    await button("Log out").click();
    await page.getByText("You were logged out: logged-out").waitFor();
    await expectText("State", "logged-out");
    await expectText("Connection", "none");
    await button("Log in").click();
    await entry.waitFor();
    expect(await page.locator("main output").count()).toBe(0);
  });

  test("what one person has signed is shown to nobody who logs in later", async () => {
    await openAuthenticator(page);
    const { ethereum, solana, organizationId } = await signUp();
    await expectText("Connection", organizationId);
    await signWith(solana);
    await expectText("Signed", /^success \w{80,90}$/);
    const [, signature = ""] = ((await shown("Signed").textContent()) ?? "").split(" ");
    const isValid = await crypto.subtle.verify(
      "Ed25519",
      await getPublicKeyFromAddress(solanaAddress(solana)),
      new Uint8Array(getBase58Encoder().encode(signature)),
      new TextEncoder().encode("grüße"),
    );
    expect(isValid).toBe(true);
    await button("Log out").click();
    await expectText("Signed", /^idle $/);
    const other = await signUp("Grace");
    expect(other.organizationId).not.toBe(organizationId);
    await expectText("Connection", other.organizationId);
    await expectText("Signed", /^idle $/);
    // Neither do their keys sign for each other.
    await signWith(ethereum);
    await expectText("Signed", "error NotFound");
  });

  test("a prompt that people dismiss, and a failure of the app's own server, are typed errors", async () => {
    await openAuthenticator(page);
    await button("Ask for another passkey").click();
    await expectText("Prompt", "error Cancelled CANCELLED");
    await page.route("**/sign-up", (route) => route.fulfill({ status: 503 }));
    await shown("Name").fill("Ada");
    await button("Sign up").click();
    await message().getByText("The server could not sign you up").waitFor();
    expect(people).toEqual([]);
    await expectText("State", "logged-out");
  });

  test("a session that was ended elsewhere is a typed error, and the app is logged out", async () => {
    await openAuthenticator(page);
    const { ethereum, organizationId } = await signUp();
    await expectText("Connection", organizationId);
    await page.evaluate(async () => {
      const { SessionKeeper, logInWithPasskey, memoryStorage } = window.browser;
      const storage = memoryStorage();
      const device = new SessionKeeper({ ...window.options, storage, name: "another device" });
      await logInWithPasskey(device, { rpId: location.hostname });
      await device.logOut({ everywhere: true });
    });
    await signWith(ethereum);
    await expectText("Signed", "error SessionEnded");
    await page.getByText("You were logged out: revoked").waitFor();
    await expectText("State", "logged-out");
  });

  test("a request is aborted when its component goes away", async () => {
    await openAuthenticator(page);
    await signUp();
    await page.getByRole("listitem").first().waitFor();
    let isWaiting = () => {};
    const waiting = new Promise<void>((resolve) => {
      isWaiting = resolve;
    });
    // It is never answered.
    await page.route("**/list_wallets", () => isWaiting());
    await page.reload();
    await waiting;
    const aborted = page.waitForEvent("requestfailed");
    await button("Log out").click();
    const request: Request = await aborted;
    expect(request.url()).toMatch(/list_wallets$/);
    expect(request.failure()?.errorText).toBe("net::ERR_ABORTED");
    await page.getByText("You were logged out").waitFor();
  });

  test("somebody logs in with a code, and a wrong one is a typed error", async () => {
    const contact = "ada.react@example.com";
    people.push(await newPerson({ userEmail: contact }));
    await shown("Email").fill(contact);
    await button("Send a code").click();
    await shown("Code").fill("000000000");
    await button("Enter").click();
    await page.locator("aside [role=alert]").getByText("nvalid OTP code").waitFor();
    await shown("Code").fill(await readCode(contact));
    await button("Enter").click();
    await expectText("State", `logged-in ${people[0]?.organizationId}`);
    expect(await page.locator("aside [role=alert]").count()).toBe(0);
  });

  test("somebody logs in at an OpenID provider", async () => {
    const oidcToken = await provider.logIn("ada.react", { nonce: "registration" });
    const oauthProviders = [{ providerName: "Example", oidcToken }];
    const { organizationId } = await newPerson({ oauthProviders });
    await button("Log in with Example").click();
    await expectText("State", `logged-in ${organizationId}`);
  });
});

/** The call that an address names. */
const callOf = /\/public\/v1\/\w+\/(\w+)$/;

const path = { pathFormat: "PATH_FORMAT_BIP32" } as const;
const accounts = [
  {
    ...path,
    curve: "CURVE_SECP256K1" as const,
    path: "m/44'/60'/0'/0/0",
    addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
  },
  {
    ...path,
    curve: "CURVE_ED25519" as const,
    path: "m/44'/501'/0'/0'",
    addressFormat: "ADDRESS_FORMAT_SOLANA" as const,
  },
];

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("react.page.tsx", import.meta.url))],
    bundle: true,
    format: "iife",
    platform: "browser",
    jsx: "automatic",
    write: false,
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}
