import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { ApiKeyStamper } from "@turnkey/api-key-stamper";
import { TurnkeyClient } from "@turnkey/http";
import { build } from "esbuild";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenIdProvider, REDIRECT, startOpenIdProvider } from "../openid/provider.ts";
import {
  addTestPage,
  closePages,
  hasBrowser,
  openAuthenticator,
  sharedBrowser,
} from "../start/browser.ts";
import { type ApiKeyPair, apiKeyParams, newApiKeyPair } from "./clients.ts";
import { type Product, startProduct } from "./product.ts";

// People log in and recover in a real browser, by what they read in the mailbox, and then sign. The
// unmodified clients run in the page and in the app's backend.

describe.runIf(hasBrowser)("in a browser,", () => {
  let provider: OpenIdProvider;
  let product: Product;
  let browser: Browser;
  let page: Page;
  let backend: TurnkeyClient;
  let parent: string;
  let verificationPublicKey: string;

  beforeAll(async () => {
    provider = await startOpenIdProvider();
    product = await startProduct({ KEYHEARTH_OIDC_ISSUERS: `private:${provider.issuer}` });
    const described = await fetch(`${product.url}/.well-known/keyhearth.json`);
    // What the service says about itself.
    const facts = (await described.json()) as { verificationPublicKey: string };
    ({ verificationPublicKey } = facts);
    parent = product.root.organizationId;
    backend = clientOf(product.root);
    for (const name of [
      "FEATURE_NAME_OTP_EMAIL_AUTH",
      "FEATURE_NAME_EMAIL_AUTH",
      "FEATURE_NAME_EMAIL_RECOVERY",
    ] as const) {
      await setFeature(backend, parent, name);
    }
    browser = await sharedBrowser();
    page = await openPage(browser, product.url.replace("127.0.0.1", "localhost"));
  }, 120_000);

  afterAll(async () => {
    await closePages();
    await product?.stop();
    await provider?.stop();
  });

  const clientOf = (key: ApiKeyPair) =>
    new TurnkeyClient({ baseUrl: product.url }, new ApiKeyStamper(key));

  const setFeature = (
    client: TurnkeyClient,
    organizationId: string,
    name: Parameters<TurnkeyClient["setOrganizationFeature"]>[0]["parameters"]["name"],
  ) =>
    client.setOrganizationFeature({
      type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
      timestampMs: now(),
      organizationId,
      parameters: { name, value: "" },
    });

  const now = () => String(Date.now());

  type RootUser = Parameters<
    TurnkeyClient["createSubOrganization"]
  >[0]["parameters"]["rootUsers"][number];

  /** A sub-organization for one person, with a wallet. */
  async function newPerson(user: Partial<RootUser>) {
    const { activity } = await backend.createSubOrganization({
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      timestampMs: now(),
      organizationId: parent,
      parameters: {
        subOrganizationName: "Ada",
        rootUsers: [
          { userName: "Ada", apiKeys: [], authenticators: [], oauthProviders: [], ...user },
        ],
        rootQuorumThreshold: 1,
        wallet: { walletName: "default", accounts: [ethereumAccount] },
      },
    });
    const made = activity.result.createSubOrganizationResultV8;
    return {
      organizationId: made?.subOrganizationId ?? "",
      userId: made?.rootUserIds?.[0] ?? "",
      signWith: made?.wallet?.addresses[0] ?? "",
    };
  }

  /** What the newest message to somebody brings, as people copy it from the mailbox. */
  async function readMailbox(to: string, part: "Code" | "Bundle"): Promise<string> {
    const mailbox = await browser.newPage();
    try {
      await mailbox.goto(product.mailboxUrl);
      await mailbox
        .getByRole("button", { name: `To ${to}` })
        .first()
        .click();
      const text = await mailbox
        .getByRole("listitem")
        .filter({ hasText: part })
        .locator("code")
        .textContent();
      return text ?? "";
    } finally {
      await mailbox.close();
    }
  }

  test("a person logs in with the code of a mail, and signs", async () => {
    const userEmail = "ada.code@example.com";
    const ada = await newPerson({ userEmail });
    const key = await page.evaluate(() => window.logins.newKey());
    const { activity: sent } = await backend.initOtp({
      type: "ACTIVITY_TYPE_INIT_OTP_V3",
      timestampMs: now(),
      organizationId: parent,
      parameters: { otpType: "OTP_TYPE_EMAIL", contact: userEmail, appName: "Example" },
    });
    const { otpId, otpEncryptionTargetBundle } = sent.result.initOtpResultV2 ?? {
      otpId: "",
      otpEncryptionTargetBundle: "",
    };
    const code = await readMailbox(userEmail, "Code");
    const encryptedOtpBundle = await page.evaluate(
      ([...given]) => window.logins.encryptCode(...given),
      [code, otpEncryptionTargetBundle, key.publicKey, verificationPublicKey] as const,
    );
    const { activity: verified } = await backend.verifyOtp({
      type: "ACTIVITY_TYPE_VERIFY_OTP_V2",
      timestampMs: now(),
      organizationId: parent,
      parameters: { otpId, encryptedOtpBundle },
    });
    const verificationToken = verified.result.verifyOtpResult?.verificationToken ?? "";
    const { id } = JSON.parse(
      Buffer.from(verificationToken.split(".")[1] ?? "", "base64url").toString(),
    );
    const session = await page.evaluate(() => window.logins.newKey());
    const clientSignature = await page.evaluate(([...given]) => window.logins.spend(...given), [
      key,
      String(id),
      session.publicKey,
    ] as const);
    const { activity: login } = await backend.otpLogin({
      type: "ACTIVITY_TYPE_OTP_LOGIN_V2",
      timestampMs: now(),
      organizationId: ada.organizationId,
      parameters: { verificationToken, publicKey: session.publicKey, clientSignature },
    });
    expect(login.result.otpLoginResult?.session).toMatch(/^ey/);
    const signed = await page.evaluate(([...given]) => window.logins.sign(...given), [
      session,
      ada,
    ] as const);
    expect(signed).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a person logs in with the bundle of a mail, and signs", async () => {
    const userEmail = "ada.bundle@example.com";
    const ada = await newPerson({ userEmail });
    const key = await page.evaluate(() => window.logins.newKey());
    await backend.emailAuth({
      type: "ACTIVITY_TYPE_EMAIL_AUTH_V3",
      timestampMs: now(),
      organizationId: ada.organizationId,
      parameters: {
        email: userEmail,
        targetPublicKey: key.publicKeyUncompressed,
        emailCustomization: { appName: "Example" },
      },
    });
    const credentialBundle = await readMailbox(userEmail, "Bundle");
    const signed = await page.evaluate(([...given]) => window.logins.openAndSign(...given), [
      credentialBundle,
      key,
      ada,
    ] as const);
    expect(signed).toMatch(/^[0-9a-f]{64}$/);
  });

  test("a person logs in at an OpenID provider, and signs", async () => {
    const registration = await provider.logIn("ada", { nonce: "registration" });
    const ada = await newPerson({
      oauthProviders: [{ providerName: "Example", oidcToken: registration }],
    });
    const session = await page.evaluate(() => window.logins.newKey());
    const nonce = createHash("sha256").update(session.publicKey).digest("hex");
    const code = await logInAtProvider("ada", nonce);
    const oidcToken = await provider.exchange(code);
    const { activity: login } = await backend.oauthLogin({
      type: "ACTIVITY_TYPE_OAUTH_LOGIN",
      timestampMs: now(),
      organizationId: ada.organizationId,
      parameters: { oidcToken, publicKey: session.publicKey },
    });
    expect(login.result.oauthLoginResult?.session).toMatch(/^ey/);
    const signed = await page.evaluate(([...given]) => window.logins.sign(...given), [
      session,
      ada,
    ] as const);
    expect(signed).toMatch(/^[0-9a-f]{64}$/);
  });

  /** The app opens the provider in a window of its own, which ends at the app's callback. */
  async function logInAtProvider(subject: string, nonce: string): Promise<string> {
    const popup = await browser.newPage();
    try {
      // The host of the callback is not there, and browsers show that in different ways.
      const arrived = popup.waitForRequest((request) => request.url().startsWith(REDIRECT));
      await popup.goto(provider.authorizationUrl(nonce));
      await popup.locator('input[name="login"]').fill(subject);
      await popup.locator('input[name="password"]').fill("any");
      await popup.locator('button[type="submit"]').click();
      // The next form asks for consent, and its button looks the same.
      await popup.locator('input[value="consent"]').waitFor({ state: "attached" });
      await popup.locator('button[type="submit"]').click();
      return new URL((await arrived).url()).searchParams.get("code") ?? "";
    } finally {
      await popup.close();
    }
  }

  test("a person who lost every credential recovers by mail, and signs with a new passkey", async () => {
    await openAuthenticator(page);
    const userEmail = "ada.recovery@example.com";
    const lost = newApiKeyPair();
    const ada = await newPerson({ userEmail, apiKeys: [apiKeyParams(lost)] });
    // While she still has her key.
    const { organizationId } = ada;
    await setFeature(clientOf(lost), organizationId, "FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY");

    const key = await page.evaluate(() => window.logins.newKey());
    await backend.initUserEmailRecovery({
      type: "ACTIVITY_TYPE_INIT_USER_EMAIL_RECOVERY_V2",
      timestampMs: now(),
      organizationId,
      parameters: {
        email: userEmail,
        targetPublicKey: key.publicKeyUncompressed,
        emailCustomization: { appName: "Example" },
      },
    });
    const credentialBundle = await readMailbox(userEmail, "Bundle");
    const signed = await page.evaluate(([...given]) => window.logins.recover(...given), [
      credentialBundle,
      key,
      ada,
    ] as const);
    expect(signed).toMatch(/^[0-9a-f]{64}$/);
  });
});

const ethereumAccount = {
  curve: "CURVE_SECP256K1" as const,
  pathFormat: "PATH_FORMAT_BIP32" as const,
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
};

/** A page of the service's origin with the unmodified packages. */
async function openPage(browser: Browser, url: string): Promise<Page> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("logins.page.ts", import.meta.url))],
    bundle: true,
    format: "esm",
    platform: "browser",
    write: false,
    logLevel: "warning",
  });
  const page = await browser.newPage();
  await addTestPage(page, outputFiles[0]?.text ?? "");
  await page.goto(`${url}/test-page`);
  await page.waitForFunction(() => window.logins !== undefined);
  return page;
}
