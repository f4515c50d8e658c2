import { fileURLToPath } from "node:url";
import type { RootUserParamsV5 } from "@keyhearth/sdk";
import type { CodeBackend, SentCode } from "@keyhearth/sdk/browser";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Product, startProduct } from "../official-clients/product.ts";
import { type OpenIdProvider, startOpenIdProvider } from "../openid/provider.ts";
import {
  addTestPage,
  closePages,
  hasBrowser,
  openAuthenticator,
  sharedBrowser,
} from "../start/browser.ts";
import { clientOf } from "../start/process.ts";
import type { PageOptions } from "./browser.page.ts";

// People use an app in a real browser: passkeys, logins, sessions and what can go wrong. The SDK runs in
// the page, and the app's server is this test.

describe.runIf(hasBrowser)("in a browser,", () => {
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let script: string;
  let options: PageOptions;
  let page: Page;
  /** The newest one. */
  let verificationToken: string;

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    product = await startProduct({ KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` });
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
    browser = await sharedBrowser();
    script = await bundle();
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await provider?.stop();
  });

  beforeEach(async () => {
    // A context has a storage of its own, as if each test had its own machine.
    page = await openPage(await browser.newContext().then((context) => context.newPage()));
  });

  afterEach(async () => {
    await page.context().close();
  });

  /** The app's server, with the key of the parent organization. */
  const server = () => clientOf(product, product.root);

  type NewUser = RootUserParamsV5;

  /** A sub-organization for one person, with a wallet. */
  async function newPerson(user: Partial<NewUser>) {
    const made = await server().createSubOrganization<"ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8">(
      {
        subOrganizationName: "Ada",
        rootUsers: [
          { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [], ...user },
        ],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts: [ethereumAccount] },
      },
      { type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8" },
    );
    return {
      organizationId: made.subOrganizationId,
      signWith: made.wallet?.addresses[0] ?? "",
    };
  }

  async function openPage(fresh: Page, address = `${options.baseUrl}/test-page`): Promise<Page> {
    await addTestPage(fresh, script);
    await fresh.exposeFunction("server", answer);
    await fresh.goto(address);
    await fresh.waitForFunction(() => window.app !== undefined);
    return fresh;
  }

  /** What the app's server does for its page. */
  const calls: Record<string, (request: never) => Promise<unknown>> = {
    initOtp: (request: Parameters<CodeBackend["initOtp"]>[0]) =>
      server().initOtp({ ...request, appName: "Example" }),
    async verifyOtp(request: Parameters<CodeBackend["verifyOtp"]>[0]) {
      const verified = await server().verifyOtp(request);
      ({ verificationToken } = verified);
      return verified;
    },
    otpLogin: ({
      organizationId,
      ...request
    }: Parameters<NonNullable<CodeBackend["otpLogin"]>>[0] & { organizationId: string }) =>
      server().otpLogin(request, { organizationId }),
    oauthLogin: ({
      organizationId,
      ...request
    }: {
      organizationId: string;
      oidcToken: string;
      publicKey: string;
    }) => server().oauthLogin(request, { organizationId }),
    signUp: (user: Partial<NewUser>) => newPerson(user),
  };

  async function answer(call: string, request: object) {
    // Each call has the type that its page sends.
    return calls[call]?.(request as never);
  }

  /** Signs up with a passkey, and is logged in. */
  async function signUp() {
    await openAuthenticator(page);
    await page.evaluate((given) => window.app.open(given), options);
    return page.evaluate(async () => {
      const { createPasskey, prepareSignUp } = window.app.browser;
      const rp = { id: location.hostname, name: "Example" };
      const passkey = await createPasskey({ rp, user: { name: "Ada" } });
      const ready = await prepareSignUp();
      const request = { authenticators: [passkey], apiKeys: [ready.apiKey] };
      const wallet: { organizationId: string; signWith: string } = await window.server(
        "signUp",
        request,
      );
      const session = await ready.finish(window.app.keeper, wallet);
      return { wallet, session, credentialId: passkey.attestation.credentialId };
    });
  }

  const signWithSession = (on: Page, wallet: { organizationId: string; signWith: string }) =>
    on.evaluate(
      (given) => window.app.outcome(() => window.app.sign(window.app.keeper.connection(), given)),
      wallet,
    );

  const events = (on: Page, count: number) =>
    on.evaluate((expected) => window.app.eventsOnceThereAre(expected), count);

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

  test("somebody signs up with a passkey, signs, reloads, signs again, and logs out in all tabs", async () => {
    const { wallet, session } = await signUp();
    expect(session).toMatchObject({ organizationId: wallet.organizationId });
    expect(session.expiresAtMs).toBeGreaterThan(Date.now() + 800_000);
    expect(await signWithSession(page, wallet)).toEqual({ value: signature });

    await page.reload();
    expect(await page.evaluate((given) => window.app.open(given), options)).toEqual(session);
    expect(await signWithSession(page, wallet)).toEqual({ value: signature });
    await page.evaluate(() => window.app.eventsOnceThereAre(1));

    const other = await openPage(await page.context().newPage());
    expect(await other.evaluate((given) => window.app.open(given), options)).toEqual(session);
    expect(await events(other, 1)).toEqual(["started"]);
    const prolonged = await page.evaluate(() =>
      window.app.keeper.refresh({ expirationSeconds: 3600 }),
    );
    expect(prolonged.publicKey).not.toBe(session.publicKey);
    expect(prolonged.expiresAtMs).toBeGreaterThan(Date.now() + 3_000_000);
    expect(await events(other, 1)).toEqual(["refreshed"]);
    expect(await other.evaluate(() => window.app.session())).toEqual(prolonged);

    await other.evaluate(() => window.app.keeper.logOut());
    expect(await events(page, 2)).toEqual(["refreshed", "ended: logged-out"]);
    for (const each of [page, other]) {
      expect(await signWithSession(each, wallet)).toEqual({ error: sessionEnded });
    }
    await page.reload();
    expect(await page.evaluate((given) => window.app.open(given), options)).toBeUndefined();
  });

  test("the samples of the site sign up, log in, sign and show who is logged in", async () => {
    await openAuthenticator(page);
    let wallet: Awaited<ReturnType<typeof newPerson>> | undefined;
    await page.route("**/sign-up", async (route) => {
      const { name, ...credentials } = route.request().postDataJSON();
      wallet = await newPerson({ userName: name, ...credentials });
      await route.fulfill({ json: { organizationId: wallet.organizationId } });
    });
    const organizationId = await page.evaluate(async (given) => {
      const { startPage, signUp } = window.app.samples;
      return (await signUp(await startPage(given), "Ada")).organizationId;
    }, options);
    expect(organizationId).toBe(wallet?.organizationId);
    await page.reload();
    const shown = await page.evaluate(
      async ([given, signWith]) => {
        const { startPage, signHello, logIn, showUser } = window.app.samples;
        const keeper = await startPage(given);
        const before = await signHello(keeper, signWith);
        await keeper.logOut();
        const title = document.title;
        await logIn(keeper);
        const after = await signHello(keeper, signWith);
        const user = await showUser(given.baseUrl, given.organizationId);
        return { r: [before.r, after.r], title, user };
      },
      [options, wallet?.signWith ?? ""] as const,
    );
    expect(shown).toMatchObject({
      r: [signature, signature],
      title: "Logged out: logged-out",
      user: "You are Ada",
    });
  });

  test("a passkey logs in by the parent's id, and a session ends at its time and when it is revoked", async () => {
    const { wallet, credentialId } = await signUp();
    const logIn = (expirationSeconds: number) =>
      page.evaluate(
        ([id, seconds]) =>
          window.app.browser.logInWithPasskey(window.app.keeper, {
            rpId: location.hostname,
            allowCredentials: [id],
            expirationSeconds: seconds,
          }),
        [credentialId, expirationSeconds] as const,
      );
    expect(await logIn(900)).toMatchObject({ organizationId: wallet.organizationId });
    expect(await events(page, 2)).toEqual(["started", "started"]);
    // Another device ends all sessions, and the page finds out with its next request.
    await page.evaluate(async ({ organizationId }) => {
      const stamper = new window.app.WebAuthnStamper({ rpId: location.hostname });
      const other = new window.app.browser.SessionKeeper({
        ...window.app.keeper.options,
        organizationId,
        storage: window.app.browser.memoryStorage(),
      });
      await window.app.browser.logInWith(other, stamper);
      await other.logOut({ everywhere: true });
    }, wallet);
    expect(await signWithSession(page, wallet)).toEqual({ error: sessionEnded });
    expect(await events(page, 1)).toEqual(["ended: revoked"]);
    expect(await signWithSession(page, wallet)).toEqual({ error: sessionEnded });

    await logIn(1);
    expect(await events(page, 2)).toEqual(["started", "ended: expired"]);
    const stamped = await page.evaluate(() =>
      window.app.outcome(() => new window.app.SessionStamper().stamp("{}")),
    );
    expect(stamped).toEqual({ error: sessionEnded });
  });

  test("passkey prompts that come to nothing are typed errors with a remedy", async () => {
    const { credentialId } = await signUp();
    const devTools = await page.context().newCDPSession(page);
    await devTools.send("WebAuthn.enable");
    const logIn = (more: object) =>
      page.evaluate(
        (given) =>
          window.app.outcome(() =>
            window.app.browser.logInWithPasskey(window.app.keeper, {
              rpId: location.hostname,
              ...given,
            }),
          ),
        more,
      );
    // A passkey that this authenticator does not have: browsers answer as if people had dismissed it.
    expect(await logIn({ allowCredentials: ["AAAA"], timeoutMs: 200 })).toEqual({
      error: {
        name: "Cancelled",
        code: "CANCELLED",
        message:
          "The passkey prompt was dismissed or timed out, or there was no passkey of localhost. Let the user try again, or offer another login",
      },
    });
    expect(await logIn({ rpId: "example.com" })).toMatchObject({
      error: {
        name: "InvalidCredential",
        message: expect.stringContaining("set rpId to its domain"),
      },
    });
    const aborted = await page.evaluate(() =>
      window.app.outcome(() => {
        const signal = AbortSignal.abort();
        return new window.app.WebAuthnStamper({ rpId: location.hostname, signal }).stamp("{}");
      }),
    );
    expect(aborted).toMatchObject({ error: { name: "Cancelled", code: "ABORTED" } });
    const again = await page.evaluate(
      (id) =>
        window.app.outcome(() =>
          window.app.browser.createPasskey({
            rp: { id: location.hostname, name: "Example" },
            user: { name: "Ada" },
            excludeCredentials: [id],
          }),
        ),
      credentialId,
    );
    expect(again).toMatchObject({ error: { name: "Conflict", code: "PASSKEY_EXISTS" } });
  });

  /** Types a code into the page. With a sub-organization, the app's server sends the login. */
  const typeCode = (code: string, sent: SentCode, organizationId?: string) =>
    page.evaluate(
      ([typed, message, at]) =>
        window.app.outcome(() =>
          window.app.browser.logInWithCode(
            window.app.keeper,
            {
              initOtp: (to) => window.server("initOtp", to),
              verifyOtp: (request) => window.server("verifyOtp", request),
              ...(at && {
                otpLogin: (request) =>
                  window.server("otpLogin", { ...request, organizationId: at }),
              }),
            },
            { code: typed, sent: message },
          ),
        ),
      [code, sent, organizationId] as const,
    );

  const sendCode = (contact: string): Promise<SentCode> =>
    page.evaluate(
      (to) =>
        window.app.browser.sendCode(
          {
            initOtp: (asked) => window.server("initOtp", asked),
            verifyOtp: (request) => window.server("verifyOtp", request),
          },
          { otpType: "OTP_TYPE_EMAIL", contact: to },
        ),
      contact,
    );

  test("somebody logs in with the code of a mail, and once the address is proven without a server", async () => {
    const contact = "ada.sdk@example.com";
    const wallet = await newPerson({ userEmail: contact });
    const { organizationId } = wallet;
    await page.evaluate((given) => window.app.open(given), options);
    const sent = await sendCode(contact);
    const code = await readCode(contact);
    expect(await typeCode(` ${code}\n`, sent, organizationId)).toMatchObject({
      value: { organizationId },
    });
    expect(await signWithSession(page, wallet)).toEqual({ value: signature });

    await page.evaluate(([to, token]) => window.app.proveEmail(to, token), [
      contact,
      verificationToken,
    ] as const);
    await page.evaluate(() => window.app.keeper.logOut());
    const next = await sendCode(contact);
    const second = await readCode(contact);
    expect(await typeCode(second, next)).toMatchObject({ value: { organizationId } });
    expect(await signWithSession(page, wallet)).toEqual({ value: signature });
  });

  test("a wrong code, and a key for codes that is not the pinned signer's, log nobody in", async () => {
    const contact = "grace.sdk@example.com";
    const { organizationId } = await newPerson({ userEmail: contact });
    await page.evaluate((given) => window.app.open(given), options);
    const sent = await sendCode(contact);
    const wrong = typeCode("000000000", sent, organizationId);
    await expect(wrong).rejects.toThrow("nvalid OTP code");

    const { sessionPublicKey } = options;
    await page.evaluate((given) => window.app.open(given), {
      ...options,
      verificationPublicKey: sessionPublicKey,
    });
    const code = await readCode(contact);
    expect(await typeCode(code, sent, organizationId)).toMatchObject({
      error: { name: "Unverified", message: expect.stringContaining("so nobody was logged in") },
    });
    await page.evaluate((given) => window.app.open(given), options);
    // The code was never used.
    expect(await typeCode(code, sent, organizationId)).toMatchObject({ value: { organizationId } });
  });

  test("somebody logs in at an OpenID provider and comes back by a redirect", async () => {
    const registration = await provider.logIn("ada.sdk", { nonce: "registration" });
    const wallet = await newPerson({
      oauthProviders: [{ providerName: "Example", oidcToken: registration }],
    });
    for (const organizationId of [undefined, wallet.organizationId]) {
      await page.evaluate((given) => window.app.open(given), options);
      const { nonce } = await page.evaluate(() =>
        window.app.browser.beginOidcLogin(window.app.keeper),
      );
      const oidcToken = await provider.logIn("ada.sdk", { nonce });
      await page.reload();
      await page.evaluate((given) => window.app.open(given), options);
      const logIn = () =>
        page.evaluate(
          ([token, at]) =>
            window.app.outcome(() =>
              window.app.browser.logInWithOidc(window.app.keeper, {
                oidcToken: token,
                ...(at && {
                  backend: {
                    oauthLogin: (request) =>
                      window.server("oauthLogin", { ...request, organizationId: at }),
                  },
                }),
              }),
            ),
          [oidcToken, organizationId] as const,
        );
      expect(await logIn()).toMatchObject({ value: { organizationId: wallet.organizationId } });
      expect(await signWithSession(page, wallet)).toEqual({ value: signature });
      // The key of the login is used up, and another browser never had it.
      expect(await logIn()).toMatchObject({ error: { name: "Unverified" } });
    }
  });

  test("tabs that open a stamper at once share one key, which survives a reload and cannot be read", async () => {
    const other = await openPage(await page.context().newPage());
    const open = (on: Page) =>
      on.evaluate(async () => (await window.app.IndexedDbStamper.open()).publicKey);
    const [publicKey, same] = await Promise.all([open(page), open(other)]);
    expect(publicKey).toMatch(/^0[23][0-9a-f]{64}$/);
    expect(same).toBe(publicKey);
    const wallet = await newPerson({
      apiKeys: [{ apiKeyName: "browser", publicKey, curveType: "API_KEY_CURVE_P256" }],
    });
    await page.reload();
    const signed = await page.evaluate(async (given) => {
      const stamper = await window.app.IndexedDbStamper.open();
      return window.app.sign(window.app.connection(stamper, given.organizationId), given);
    }, wallet);
    expect(signed).toEqual(signature);

    const exported = await page.evaluate(async () => {
      const kept = await window.app.browser.indexedDbStorage().read("stamper:default");
      if (!kept) return "nothing";
      return Promise.any([
        crypto.subtle.exportKey("pkcs8", kept.privateKey as CryptoKey),
        crypto.subtle.exportKey("jwk", kept.privateKey as CryptoKey),
      ]).then(
        () => "exported",
        () => "kept",
      );
    });
    expect(exported).toBe("kept");

    const afterReset = await page.evaluate(async () => {
      const older = await window.app.IndexedDbStamper.open();
      const before = older.publicKey;
      const newer = await window.app.IndexedDbStamper.open();
      const fresh = await newer.reset();
      return {
        isNew: fresh !== before && newer.publicKey === fresh,
        stamp: await window.app.outcome(() => older.stamp("{}")),
      };
    });
    expect(afterReset).toMatchObject({
      isNew: true,
      stamp: { error: { name: "InvalidCredential" } },
    });
  });

  test("a page without WebCrypto, passkeys or storage gets one typed error with a remedy", async () => {
    const attempt = (on: Page) =>
      on.evaluate(async () => ({
        key: await window.app.outcome(() => window.app.IndexedDbStamper.open()),
        prompt: await window.app.outcome(() => new window.app.WebAuthnStamper().stamp("{}")),
        passkey: await window.app.outcome(() =>
          window.app.browser.createPasskey({ rp: { name: "A" }, user: { name: "Ada" } }),
        ),
      }));
    const unsupported = (text: string) => ({
      error: { name: "Unsupported", code: "UNSUPPORTED", message: expect.stringContaining(text) },
    });
    // Chromium gives WebCrypto and passkeys to pages of https and of this machine only.
    const insecure = await openPage(
      await page.context().newPage(),
      "http://app.example.com/test-page",
    );
    expect(await attempt(insecure)).toEqual({
      key: unsupported("Serve it over https"),
      prompt: unsupported("offer another login"),
      passkey: unsupported("Serve it over https"),
    });
    const sandboxed = await page.context().newPage();
    await sandboxed.route("**/sandboxed-page", (route) =>
      route.fulfill({
        contentType: "text/html",
        headers: { "Content-Security-Policy": "sandbox allow-scripts" },
        body: '<!doctype html><script src="/test-page.js"></script>',
      }),
    );
    await openPage(sandboxed, `${options.baseUrl}/sandboxed-page`);
    const { key } = await attempt(sandboxed);
    expect(key).toEqual(unsupported("does not let the page store keys"));
  });
});

const signature = expect.stringMatching(/^[0-9a-f]{64}$/);

const sessionEnded = {
  name: "SessionEnded",
  code: "SESSION_ENDED",
  message: expect.stringMatching(/Ask the user to log in again(\. See .*#session-ended)?$/),
};

const ethereumAccount = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("browser.page.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    platform: "browser",
    write: false,
    logLevel: "warning",
  });
  return outputFiles[0]?.text ?? "";
}
