import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { secret } from "@keyhearth/crypto/secret";
import { loginOf as socialLoginOf } from "@keyhearth/engine/oidc-logins.testing";
import { codeOf } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appOf, clientOf, newKey, type TestServer } from "../testing.ts";
import { calls } from "./calls.ts";
import { createCaptcha } from "./captcha.ts";
import {
  callerOf,
  loginOf,
  newEmail,
  newProxyFamily,
  PAGE,
  type ProxyFamily,
  signUpByCode,
  signUpOf,
  switchOn,
  verify,
} from "./proxy.testing.ts";

let family: ProxyFamily;
let server: TestServer;

beforeAll(async () => {
  family = await newProxyFamily();
  server = family.server;
});

const nobody = { apiKeys: [], authenticators: [], oauthProviders: [] };

test("the calls are those of the contract", () => {
  expect(calls.map(({ name }) => name)).toEqual([
    "account",
    "oauth2_authenticate",
    "oauth_login",
    "otp_init",
    "otp_init_v2",
    "otp_login",
    "otp_login_v2",
    "otp_verify",
    "otp_verify_v2",
    "signup",
    "signup_v2",
    "wallet_kit_client_params",
    "wallet_kit_config",
  ]);
});

describe("a code by email", () => {
  test("signs somebody up, and logs them in the next time", async () => {
    const ada = await signUpByCode(family);
    const lookedUp = await family.call("account", {
      filterType: "EMAIL",
      filterValue: ada.contact,
      verificationToken: ada.token,
    });
    expect(lookedUp.body).toEqual({ organizationId: ada.organizationId });
    const key = newKey();
    const token = await verify(family, { contact: ada.contact, key });
    const { status, body } = await family.call("otp_login_v2", loginOf(token, key));
    expect([status, typeof body.session]).toEqual([200, "string"]);
    const session = clientOf(server, ada.organizationId, key);
    const { wallets } = await session.listWallets();
    expect(wallets).toEqual([]);
    const { userEmail } = (await session.getUser({ userId: (await session.whoami()).userId })).user;
    expect(userEmail).toBe(ada.contact);
  });

  test("without an account, the answer is that there is none", async () => {
    const key = newKey();
    const contact = newEmail();
    const token = await verify(family, { contact, key });
    const asked = { filterType: "EMAIL", filterValue: contact, verificationToken: token };
    expect((await family.call("account", asked)).body).toEqual({});
    const { status, body } = await family.call("otp_login_v2", loginOf(token, key));
    expect([status, body.message]).toEqual([404, expect.stringContaining("sign up first")]);
  });

  test("has the form that the settings say, and the sender's name", async () => {
    const numbers = await newProxyFamily(server, {
      otpLength: 6,
      otpAlphanumeric: false,
      senderName: "Example mail",
    });
    const { body } = await numbers.call("otp_init", {
      otpType: "OTP_TYPE_EMAIL",
      contact: newEmail(),
    });
    expect(Object.keys(body)).toEqual(["otpId"]);
    expect(await codeOf(server, numbers.organizationId, String(body.otpId))).toMatch(/^\d{6}$/);
  });

  test("in the clear is refused, unless the settings say otherwise", async () => {
    const contact = newEmail();
    const asked = { otpType: "OTP_TYPE_EMAIL", contact };
    const refused = await family.call("otp_verify", { otpId: "x", otpCode: "x" });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining("otp_verify_v2"),
    ]);
    const plain = await newProxyFamily(server, { plainCodes: true });
    const { body } = await plain.call("otp_init", asked);
    const otpId = String(body.otpId);
    const otpCode = await codeOf(server, plain.organizationId, otpId);
    const unbound = await plain.call("otp_verify", { otpId, otpCode });
    expect(unbound.body.message).toContain("`publicKey` is missing");
    const key = newKey();
    const { publicKey } = key;
    const verified = await plain.call("otp_verify", { otpId, otpCode, publicKey });
    const token = String(verified.body.verificationToken);
    const signedUp = await plain.call("signup", signUpOf(contact, token, key));
    expect(signedUp.status).toBe(200);
    expect((await plain.call("otp_login", loginOf(token, key))).status).toBe(200);
  });
});

test("a code by SMS signs somebody up with a phone number", async () => {
  const contact = `+1415555${String(Math.floor(Math.random() * 9000) + 1000)}`;
  const key = newKey();
  const token = await verify(family, { contact, key });
  const asked = { filterType: "PHONE_NUMBER", filterValue: contact, verificationToken: token };
  expect((await family.call("account", asked)).body).toEqual({});
});

test("a passkey signs up with a key for a minute, which then starts the session", async () => {
  const key = newKey();
  const { status, body } = await family.call("signup_v2", {
    ...nobody,
    userName: "Ada",
    apiKeys: [
      {
        apiKeyName: "passkey-auth",
        publicKey: key.publicKey,
        curveType: "API_KEY_CURVE_P256",
        expirationSeconds: "60",
      },
    ],
    authenticators: [newPasskey().params],
    wallet: {
      walletName: "default",
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    },
  });
  expect(status).toBe(200);
  expect(body.wallet).toEqual({ walletId: expect.any(String), addresses: [expect.any(String)] });
  expect(body.appProofs).toHaveLength(1);
  const temporary = clientOf(server, String(body.organizationId), key);
  const { session } = await temporary.stampLogin({ publicKey: newKey().publicKey });
  expect(session).toBeTruthy();
  expect((await temporary.whoami()).userId).toBe(body.userId);
});

test("a social login signs somebody up alone, and logs them in", async () => {
  const subject = `ada ${Math.random()}`;
  const first = socialLoginOf({ subject });
  const filter = { filterType: "OIDC_TOKEN", filterValue: first.oidcToken };
  expect((await family.call("account", filter)).body).toEqual({});
  const provider = { providerName: "Example", oidcToken: first.oidcToken };
  const { status, body } = await family.call("signup_v2", {
    ...nobody,
    oauthProviders: [provider],
  });
  expect([status, body.organizationId]).toEqual([200, expect.any(String)]);
  expect((await family.call("account", filter)).body).toEqual({
    organizationId: body.organizationId,
  });
  const { key, publicKey, oidcToken } = socialLoginOf({ subject });
  const login = await family.call("oauth_login", { oidcToken, publicKey });
  expect(login.status).toBe(200);
  expect((await clientOf(server, String(body.organizationId), key).whoami()).userId).toBe(
    body.userId,
  );
});

test("a wallet signs up with its key alone, and is found by it", async () => {
  const { publicKey } = newKey();
  const lasting = { apiKeyName: "wallet", publicKey, curveType: "API_KEY_CURVE_P256" };
  const filter = { filterType: "PUBLIC_KEY", filterValue: publicKey };
  expect((await family.call("account", filter)).body).toEqual({});
  const { body } = await family.call("signup_v2", { ...nobody, apiKeys: [lasting] });
  expect((await family.call("account", filter)).body).toEqual({
    organizationId: body.organizationId,
  });
});

test("the settings are shown to the page, without a body in the request", async () => {
  const { body } = await family.call("wallet_kit_config");
  expect(body).toEqual({
    enabledProviders: ["email", "sms", "passkey", "wallet", "example"],
    sessionExpirationSeconds: "900",
    organizationId: family.organizationId,
    oauthClientIds: { example: "my-app" },
    otpAlphanumeric: true,
    otpLength: "9",
  });
  expect((await family.call("wallet_kit_config", {})).status).toBe(200);
  expect((await family.call("wallet_kit_client_params")).body).toEqual({});
});

test("the template of sub-organizations is that of the settings", async () => {
  const made = await newProxyFamily(server, {
    subOrganization: {
      organizationName: "Example customer",
      disableSmsAuth: true,
      wallet: { walletName: "first", accounts: [] },
    },
  });
  const ada = await signUpByCode(made);
  const own = clientOf(server, ada.organizationId, made.rootKey);
  const { configs } = await own.getOrganizationConfigs();
  expect(configs.features?.map(({ name }) => name)).not.toContain("FEATURE_NAME_SMS_AUTH");
  expect((await own.listWallets()).wallets.map(({ walletName }) => walletName)).toEqual(["first"]);
});

const walletOf = (accounts: number, indexes: number) => ({
  walletName: "default",
  accounts: Array.from({ length: accounts }, (_, index) => ({
    curve: "CURVE_SECP256K1",
    pathFormat: "PATH_FORMAT_BIP32",
    path: `m/${index}${"/0".repeat(indexes - 1)}`,
    addressFormat: "ADDRESS_FORMAT_ETHEREUM",
  })),
});

test("a visitor's wallet has few accounts, and the settings' wallet has its own", async () => {
  const signUp = (wallet: object, at = family) =>
    at.call("signup_v2", { ...nobody, authenticators: [newPasskey().params], wallet });
  const large = walletOf(6, 6);
  const refused = await signUp(large);
  expect(refused).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(/has 6 accounts.*`subOrganization.wallet`.*6 indexes/) },
  });
  // Everything that is wrong with it at once.
  const { details } = refused.body as { details: { field: string }[] };
  const paths = large.accounts.map((_, index) => `wallet.accounts[${index}].path`);
  expect(details.map(({ field }) => field)).toEqual(["wallet.accounts", ...paths]);
  expect(await signUp(walletOf(5, 6))).toMatchObject({ status: 400 });
  expect(await signUp(walletOf(6, 5))).toMatchObject({ status: 400 });
  const most = await signUp(walletOf(5, 5));
  expect(most).toMatchObject({ status: 200, body: { wallet: { addresses: { length: 5 } } } });
  const made = await newProxyFamily(server, { subOrganization: { wallet: walletOf(7, 7) } });
  const own = await signUp(large, made);
  expect(own).toMatchObject({ status: 200, body: { wallet: { addresses: { length: 7 } } } });
});

test("the key is shown to whoever switches the proxy on", async () => {
  const { body } = await family.call("public_key", undefined, { origin: null });
  const { users } = await family.root.listUsers();
  const proxy = users.find(({ userName }) => userName === "Login proxy");
  expect(proxy?.apiKeys[0]?.credential.publicKey).toBe(body.publicKey);
});

test("a preflight is answered, and only the configuration's pages read answers", async () => {
  const app = appOf(server.host, { proxy: null });
  expect((await app.request("/proxy/v1/account", { method: "POST" })).status).toBe(404);
  const good = await family.call("wallet_kit_config");
  expect(good.headers.get("access-control-allow-origin")).toBe(PAGE);
  expect(good.headers.get("vary")).toContain("Origin");
  const foreign = await family.call("wallet_kit_config", undefined, {
    origin: "https://evil.test",
  });
  expect(foreign.status).toBe(403);
  expect(foreign.headers.get("access-control-allow-origin")).toBeNull();
});

describe("bad input", () => {
  test.each<[string, unknown, number, RegExp]>([
    ["otp_init_v2", { otpType: "OTP_TYPE_FAX", contact: "a@b.example" }, 400, /invalid OTP type/],
    ["otp_init_v2", { otpType: "OTP_TYPE_EMAIL", contact: "nobody" }, 400, /not an email address/],
    ["otp_init_v2", { otpType: "OTP_TYPE_SMS", contact: "123" }, 400, /phone number such as/],
    ["otp_init_v2", { contact: "a@b.example", extra: 1 }, 400, /unknown field `extra`/],
    ["otp_verify_v2", { otpId: "x", encryptedOtpBundle: "x" }, 400, /`otpId`/],
    ["otp_login_v2", { verificationToken: "x" }, 400, /missing field `publicKey`/],
    ["account", { filterType: "NAME", filterValue: "Ada" }, 400, /looks up EMAIL, PHONE_NUMBER/],
    ["account", { filterType: "EMAIL", filterValue: "a@b.example" }, 400, /`verificationToken` is/],
    ["signup_v2", nobody, 400, /nothing to log in with/],
    ["signup_v2", { ...nobody, userEmail: "a@b.example" }, 400, /`userEmail` is not proven/],
    ["signup_v2", { ...nobody, userTag: "x" }, 400, /`userTag`/],
    [
      "signup_v2",
      {
        ...nobody,
        oauthProviders: [
          { providerName: "x", oidcClaims: { iss: "https://a.example", sub: "1", aud: "2" } },
        ],
      },
      400,
      /claims without a token prove nothing/,
    ],
    [
      "oauth2_authenticate",
      {
        provider: "OAUTH2_PROVIDER_X",
        authCode: "c",
        redirectUri: "https://app.example.com",
        codeVerifier: "v",
        nonce: "n",
        clientId: "id",
      },
      404,
      /no credential for `id` at OAUTH2_PROVIDER_X/,
    ],
    ["magic", {}, 404, /there is no endpoint/],
  ])("%s %j", async (name, body, status, message) => {
    const answer = await family.call(name, body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringMatching(message)]);
  });

  test("a configuration that does not exist, or an id that is none", async () => {
    const unknown = await family.call("wallet_kit_config", undefined, {
      configuration: "00000000-0000-4000-8000-000000000000",
    });
    expect([unknown.status, unknown.body.message]).toEqual([
      404,
      expect.stringContaining("no login proxy is configured"),
    ]);
    // A developer's page can read that.
    expect(unknown.headers.get("access-control-allow-origin")).toBe("*");
    const none = await family.call("wallet_kit_config", undefined, { configuration: "x" });
    expect([none.status, none.body.message]).toEqual([400, expect.stringContaining("is `x`")]);
  });

  test("a method that the settings do not list", async () => {
    const passkeys = await newProxyFamily(server, { methods: ["passkey"], oauthClientIds: {} });
    const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
    for (const [name, body] of [
      ["otp_init_v2", code],
      ["account", { filterType: "PUBLIC_KEY", filterValue: newKey().publicKey }],
    ] as const) {
      const answer = await passkeys.call(name, body);
      expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining("list")]);
    }
  });

  test("an email template that the settings do not list", async () => {
    const emailTemplates = ["welcome"];
    const listing = await newProxyFamily(server, { emailTemplates });
    const ask = (templateId: string) =>
      listing.call("otp_init_v2", {
        otpType: "OTP_TYPE_EMAIL",
        contact: newEmail(),
        emailCustomization: { templateId },
      });
    expect((await ask("welcome")).status).toBe(200);
    const { status, body } = await ask("invoice");
    expect([status, body.message]).toEqual([
      400,
      expect.stringContaining("`invoice`, which is not in the `emailTemplates`"),
    ]);
  });

  test("sign-ups that are switched off, and a proxy that is removed", async () => {
    const closed = await newProxyFamily(server, { signUp: false });
    const refused = await closed.call("signup_v2", {
      ...nobody,
      authenticators: [newPasskey().params],
    });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      expect.stringContaining("signUp"),
    ]);
    await closed.root.removeOrganizationFeature({ name: "FEATURE_NAME_AUTH_PROXY" });
    expect((await closed.call("wallet_kit_config")).status).toBe(404);
    await switchOn(closed);
    expect((await closed.call("wallet_kit_config")).status).toBe(200);
  });

  test("a DENY of the organization stops its proxy, with a sentence for the page", async () => {
    const stopped = await newProxyFamily(server);
    await stopped.root.createPolicy({
      policyName: "no codes",
      effect: "EFFECT_DENY",
      condition: "activity.kind == 'INIT_OTP'",
    });
    const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
    const answer = await stopped.call("otp_init_v2", code);
    expect([answer.status, answer.body.message]).toEqual([
      403,
      expect.stringContaining("does not let its login proxy do this"),
    ]);
  });
});

describe("a captcha", () => {
  const asked: URLSearchParams[] = [];
  let provider: Server;
  let captcha: ReturnType<typeof createCaptcha>;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      let text = "";
      request.on("data", (chunk) => {
        text += chunk;
      });
      request.on("end", () => {
        const form = new URLSearchParams(text);
        asked.push(form);
        if (form.get("response") === "broken") return void response.writeHead(500).end();
        response.end(JSON.stringify({ success: form.get("response") === "solved" }));
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
    const { port } = provider.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}/siteverify`;
    captcha = createCaptcha(
      { url, secret: secret("provider-secret"), siteKey: "site-key" },
      server.host,
    );
  });

  afterAll(() => provider.close());

  test("comes before codes and sign-ups, if the settings ask for it", async () => {
    const shy = await newProxyFamily(server, { captcha: true }, { captcha });
    const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
    const send = (token?: string) =>
      shy.call("otp_init_v2", code, { headers: token ? { "X-Captcha-Token": token } : {} });
    expect((await send()).status).toBe(403);
    expect((await send("guessed")).status).toBe(403);
    expect((await send("broken")).status).toBe(503);
    expect((await send("solved")).status).toBe(200);
    expect(asked.at(-1)?.get("secret")).toBe("provider-secret");
    expect((await shy.call("wallet_kit_client_params")).body).toEqual({
      turnstileSiteKey: "site-key",
    });
  });

  test("is not asked of somebody who has typed a code, which took one", async () => {
    const shy = await newProxyFamily(server, { captcha: true }, { captcha });
    const [contact, key] = [newEmail(), newKey()];
    const token = await verify(shy, { contact, key, captcha: "solved" });
    const signUp = signUpOf(contact, token, key);
    const { verificationToken, clientSignature, userEmail, ...unproven } = signUp;
    expect((await shy.call("signup_v2", unproven)).body.message).toMatch(/^captcha needed/);
    const guessed = await shy.call("signup_v2", { ...signUp, verificationToken: "a.b.c" });
    expect([guessed.status, guessed.body.message]).toEqual([
      400,
      expect.stringContaining("`verificationToken`"),
    ]);
    expect((await shy.call("signup_v2", signUp)).status).toBe(200);
  });

  test("that the service cannot check stops these calls", async () => {
    const shy = await newProxyFamily(server, { captcha: true });
    const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
    const answer = await callerOf(shy)("otp_init_v2", code);
    expect([answer.status, answer.body.message]).toEqual([
      503,
      expect.stringContaining("KEYHEARTH_CAPTCHA_URL"),
    ]);
  });
});
