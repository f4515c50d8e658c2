import { newEmail } from "@keyhearth/api/proxy/proxy.testing";
import * as ofProxy from "@keyhearth/api/proxy/sign-up";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { newToken, TEST_AUDIENCE } from "@keyhearth/engine/oidc.testing";
import { codeOf } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { Wallet } from "ethers";
import express from "express";
import { Hono } from "hono";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { LoginProxy } from "../browser/login-proxy.ts";
import { beginOidcLogin } from "../browser/oidc-login.ts";
import { SessionKeeper } from "../browser/session-keeper.ts";
import { whoami } from "../calls/generated/calls.ts";
import { Connection } from "../connection/connection.ts";
import type { Fetch } from "../connection/request.ts";
import type { WalletParams } from "../generated/types.ts";
import {
  expressLoginHandler,
  honoLoginHandler,
  type LoginHandlerOptions,
  loginHandler,
  nextLoginHandler,
} from "../server.ts";
import { memoryStorage } from "../stampers/key-storage.ts";
import { WalletStamper } from "../stampers/wallet.ts";
import { MOST_ACCOUNTS, MOST_INDEXES, MOST_KEY_SECONDS } from "./login-sign-up.ts";
import { type Listening, listen, listenWeb } from "./proxies.testing.ts";

// The backend's part of logins, with the client that pages have, against the real service.

const PAGE = "https://app.example.com";

let parent: TestOrganization;
let pins: Record<"sessionPublicKey" | "verificationPublicKey" | "quorumPublicKey", string>;
const failures: unknown[] = [];
const open: { stop(): unknown }[] = [];

beforeAll(async () => {
  parent = await newOrganization();
  for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"] as const) {
    await parent.root.setOrganizationFeature({ name });
  }
  const described = parent.server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  const { sessionPublicKey, verificationPublicKey, quorumPublicKey } = described;
  pins = { sessionPublicKey, verificationPublicKey, quorumPublicKey };
});

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.stop()));
  expect(failures.splice(0)).toEqual([]);
});

const optionsOf = (more: Partial<LoginHandlerOptions> = {}): LoginHandlerOptions => ({
  connection: parent.root,
  verificationPublicKey: pins.verificationPublicKey,
  origins: [PAGE],
  methods: ["email", "passkey", "wallet"],
  appName: "Example",
  oauthClientIds: { example: TEST_AUDIENCE },
  onError: (error) => failures.push(error),
  ...more,
});

type Handle = (request: Request) => Promise<Response>;

/** A page whose calls of logins go to the handler, and all others to the service. */
function newPage(handle: Handle = loginHandler(optionsOf())) {
  const keeper = new SessionKeeper({
    baseUrl: "http://keyhearth.test",
    organizationId: parent.organizationId,
    ...pins,
    storage: memoryStorage(),
    name: crypto.randomUUID(),
    fetch: (url, init) => {
      if (!url.startsWith(PAGE)) return parent.server.fetch(new Request(url, init));
      const headers = { ...(init.headers as Record<string, string>), Origin: PAGE };
      return handle(new Request(url, { ...init, headers }));
    },
  });
  open.push({ stop: () => keeper.close() });
  return { keeper, proxy: new LoginProxy(keeper, { url: `${PAGE}/api/login` }) };
}

const readCode = ({ otpId }: { otpId: string }) =>
  codeOf(parent.server, parent.organizationId, otpId);

async function logInByCode(contact: string, handle?: Handle) {
  const { proxy } = newPage(handle);
  const to = { otpType: "OTP_TYPE_EMAIL", contact } as const;
  const sent = await proxy.sendCode(to);
  return proxy.logInWithCode({ code: await readCode(sent), sent, ...to });
}

type Sent = { origin?: string | null; method?: string; headers?: Record<string, string> };

/** A call as any program can make it. */
async function send(
  name: string,
  body: unknown,
  { origin = PAGE, ...more }: Sent = {},
  handle?: Handle,
) {
  const { method = "POST", headers } = more;
  const request = new Request(`${PAGE}/api/login/${name}`, {
    method,
    headers: {
      "Content-Type": "application/json",
      "X-Auth-Proxy-Config-ID": parent.organizationId,
      ...(origin !== null && { Origin: origin }),
      ...headers,
    },
    ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const response = await (handle ?? loginHandler(optionsOf()))(request);
  const text = await response.text();
  const answer = text === "" ? {} : JSON.parse(text);
  const { code, field } = answer.details?.[0] ?? {};
  return { status: response.status, headers: response.headers, answer, code, field };
}

const nobody = { apiKeys: [], authenticators: [], oauthProviders: [] };

describe("by the client of pages,", () => {
  test("the settings are those of the handler", async () => {
    const handle = loginHandler(optionsOf({ otpLength: 6, otpAlphanumeric: false }));
    expect(await newPage(handle).proxy.settings()).toEqual({
      organizationId: parent.organizationId,
      methods: ["email", "passkey", "wallet", "example"],
      oauthClientIds: { example: TEST_AUDIENCE },
      otpLength: 6,
      otpAlphanumeric: false,
      sessionExpirationSeconds: 900,
    });
  });

  test("a code signs somebody up, and logs them in the next time", async () => {
    const wallet = { walletName: "Main", accounts: [] };
    const handle = loginHandler(optionsOf({ subOrganization: { wallet } }));
    const contact = newEmail();
    const first = await logInByCode(contact, handle);
    expect(first.isNew).toBe(true);
    const second = await logInByCode(contact, handle);
    expect([second.isNew, second.session.userId]).toEqual([false, first.session.userId]);
    expect(first.session.organizationId).not.toBe(parent.organizationId);
  });

  test("a passkey, a social login and a wallet sign people up", async () => {
    const { keeper, proxy } = newPage();
    const { params: passkey } = newPasskey();
    const { session } = await proxy.signUpWithPasskey({ passkey, userName: "Ada" });
    expect((await whoami(keeper.connection())).userId).toBe(session.userId);
    await expect(
      newPage().proxy.signUpWithPasskey({ passkey, userName: "Bob" }),
    ).rejects.toMatchObject({ name: "Conflict", code: "ALREADY_EXISTS" });

    const sub = crypto.randomUUID();
    const social = async () => {
      const page = newPage();
      const { nonce } = await beginOidcLogin(page.keeper);
      const oidcToken = newToken({ sub, nonce });
      return page.proxy.logInWithOidc({ oidcToken, providerName: "Example" });
    };
    const [one, two] = [await social(), await social()];
    expect([one.isNew, two.isNew]).toEqual([true, false]);
    expect(two.session.userId).toBe(one.session.userId);

    const signer = Wallet.createRandom();
    const request = async ({ method, params }: { method: string; params?: unknown[] }) =>
      method === "eth_requestAccounts"
        ? [signer.address]
        : signer.signMessage(Buffer.from(String(params?.[0]).slice(2), "hex"));
    const stamper = new WalletStamper({ ethereum: { request } });
    expect((await newPage().proxy.logInWithWallet(stamper)).isNew).toBe(true);
    expect((await newPage().proxy.logInWithWallet(stamper)).isNew).toBe(false);
  });

  test("a page verifies an account that the handler had to wait for", async () => {
    const answered: string[] = [];
    // As a service answers that has not finished yet.
    const fetch: Fetch = async (url, init) => {
      const response = await parent.server.fetch(new Request(url, init));
      const name = url.slice(url.lastIndexOf("/") + 1);
      answered.push(name);
      if (name !== "create_sub_organization" || answered.filter((one) => one === name).length > 1) {
        return response;
      }
      const { activity } = await response.json();
      const { appProofs: _, ...early } = activity;
      return Response.json({
        activity: { ...early, status: "ACTIVITY_STATUS_PENDING", result: {} },
      });
    };
    const { organizationId, root } = parent;
    const { baseUrl, stamper } = root;
    const connection = new Connection({ baseUrl, organizationId, stamper, fetch });
    const { proxy } = newPage(loginHandler(optionsOf({ connection })));
    const { isNew } = await proxy.signUpWithPasskey({ passkey: newPasskey().params });
    expect(isNew).toBe(true);
    expect(answered).toContain("get_activity");
  });

  test("a wrong code is the error of the service, whose page explains it", async () => {
    const { proxy } = newPage();
    const to = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() } as const;
    const sent = await proxy.sendCode(to);
    await expect(proxy.logInWithCode({ code: "000000000", sent, ...to })).rejects.toMatchObject({
      name: "InvalidField",
      code: "OTP_INVALID",
      serviceMessage: expect.stringContaining("attempts left at this code: 2"),
    });
  });

  test("an address that is none is said", () => {
    const { keeper } = newPage();
    const proxy = new LoginProxy(keeper, { url: "ftp://app.example.com" });
    return expect(proxy.settings()).rejects.toMatchObject({
      name: "InvalidField",
      field: "url",
    });
  });
});

/** The handler below `/api/login` in each framework. */
const frameworks: Record<string, (options: LoginHandlerOptions) => Promise<Listening>> = {
  Express: (options) => {
    const app = express();
    app.use("/api/login", expressLoginHandler(options));
    return listen(app);
  },
  Hono: (options) => {
    const app = new Hono();
    app.all("/api/login/:call", honoLoginHandler(options));
    return listenWeb(async (request) => app.fetch(request));
  },
  "a route handler of Next.js": (options) => listenWeb(nextLoginHandler(options)),
};

describe.each(Object.keys(frameworks))("in %s,", (name) => {
  test("it answers a call, a preflight and nothing else", async () => {
    const { url, stop } = await (frameworks[name] as (typeof frameworks)[string])(optionsOf());
    open.push({ stop });
    const headers = {
      "Content-Type": "application/json",
      "X-Auth-Proxy-Config-ID": parent.organizationId,
      Origin: PAGE,
    };
    const post = (call: string, body: string) =>
      fetch(`${url}/api/login/${call}`, { method: "POST", headers, body });
    const contact = newEmail();
    const sent = await post("otp_init_v2", JSON.stringify({ otpType: "OTP_TYPE_EMAIL", contact }));
    expect(sent.status).toBe(200);
    expect(sent.headers.get("access-control-allow-origin")).toBe(PAGE);
    expect(sent.headers.get("cache-control")).toBe("no-store");
    expect(Object.keys(await sent.json())).toEqual(["otpId", "otpEncryptionTargetBundle"]);
    const asked = await fetch(`${url}/api/login/account`, { method: "OPTIONS", headers });
    expect([asked.status, asked.headers.get("access-control-allow-methods")]).toEqual([
      204,
      "POST",
    ]);
    expect((await post("create_wallet", "{}")).status).toBe(404);
    expect((await post("account", "x".repeat(65 * 1024))).status).toBe(413);
  });
});

describe("other callers", () => {
  test("another page, a program and another organization are refused, and may read nothing", async () => {
    for (const origin of ["https://evil.example", "null", null, `${PAGE}.evil.example`]) {
      const { status, code, headers } = await send("wallet_kit_config", {}, { origin });
      expect([status, code]).toEqual([403, "REQUEST_NOT_AUTHORIZED"]);
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
    const headers = { "X-Auth-Proxy-Config-ID": "00000000-0000-4000-8000-000000000000" };
    expect(await send("wallet_kit_config", {}, { headers })).toMatchObject({ status: 400 });
    expect(await send("wallet_kit_config", {}, { method: "GET" })).toMatchObject({ status: 405 });
    const form = { "Content-Type": "text/plain" };
    expect(await send("wallet_kit_config", {}, { headers: form })).toMatchObject({ status: 400 });
    for (const name of ["constructor", "__proto__", "otp_login_v2", ""]) {
      expect(await send(name, {})).toMatchObject({ status: 404, code: "ROUTE_NOT_FOUND" });
    }
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["a member twice", '{"otpType":"OTP_TYPE_EMAIL","otpType":"OTP_TYPE_SMS","contact":"a@b.c"}'],
    ["an unknown member", { otpType: "OTP_TYPE_EMAIL", contact: "a@example.com", appName: "Evil" }],
    ["a number", { otpType: "OTP_TYPE_EMAIL", contact: 7 }],
    ["another type", { otpType: "OTP_TYPE_FAX", contact: "a@example.com" }],
    ["no contact", { otpType: "OTP_TYPE_EMAIL" }],
    ["a long contact", { otpType: "OTP_TYPE_EMAIL", contact: "a".repeat(255) }],
  ])("a body with %s is refused with a sentence", async (_, body) => {
    const { status, answer } = await send("otp_init_v2", body);
    expect(status).toBe(400);
    expect(answer.message).toMatch(/must be|is missing|is unknown/);
  });

  test("nobody learns who has an account, by the answer to a code or without one", async () => {
    const known = newEmail();
    await logInByCode(known);
    const ask = (contact: string) => send("otp_init_v2", { otpType: "OTP_TYPE_EMAIL", contact });
    const [one, other] = [await ask(known), await ask(newEmail())];
    expect([one.status, Object.keys(one.answer)]).toEqual([200, Object.keys(other.answer)]);
    const asked = { filterType: "EMAIL", filterValue: known };
    expect(await send("account", asked)).toMatchObject({ status: 400, field: "verificationToken" });
    const forged = { ...asked, verificationToken: "e30.e30.e30" };
    expect(await send("account", forged)).toMatchObject({ code: "VERIFICATION_TOKEN_INVALID" });
    const signUp = { ...nobody, userEmail: known, verificationToken: "e30.e30.e30" };
    expect(await send("signup_v2", signUp)).toMatchObject({ code: "VERIFICATION_TOKEN_INVALID" });
    expect(await send("signup_v2", { ...nobody, userEmail: known })).toMatchObject({
      status: 400,
      field: "userEmail",
    });
  });

  test("a token of another app, and credentials of several people, are refused", async () => {
    const oidcToken = newToken({ aud: "other-app", nonce: "n" });
    const asked = { filterType: "OIDC_TOKEN", filterValue: oidcToken };
    expect(await send("account", asked)).toMatchObject({ status: 400, code: "OIDC_TOKEN_INVALID" });
    const { params: passkey } = newPasskey();
    const key = {
      apiKeyName: "k",
      publicKey: `02${"ab".repeat(32)}`,
      curveType: "API_KEY_CURVE_P256",
    };
    const provider = { providerName: "Example", oidcToken: newToken({ nonce: "n" }) };
    const both = [
      { ...nobody, apiKeys: [key], authenticators: [passkey] },
      { ...nobody, apiKeys: [{ ...key, expirationSeconds: "901" }], authenticators: [passkey] },
      { ...nobody, apiKeys: [{ ...key, expirationSeconds: "0" }], authenticators: [passkey] },
      { ...nobody, oauthProviders: [provider], authenticators: [passkey] },
      { ...nobody, oauthProviders: [provider, provider] },
      nobody,
    ];
    for (const body of both) {
      expect(await send("signup_v2", body)).toMatchObject({ status: 400, code: "FIELD_INVALID" });
    }
  });

  test("a sign-up may ask for as much as at the login proxy of the service", () => {
    const { MOST_ACCOUNTS: accounts, MOST_INDEXES: indexes, MOST_KEY_SECONDS: seconds } = ofProxy;
    expect([MOST_ACCOUNTS, MOST_INDEXES, MOST_KEY_SECONDS]).toEqual([accounts, indexes, seconds]);
  });

  test("a visitor's wallet has few accounts, and that of the options has its own", async () => {
    const walletOf = (accounts: number, indexes: number): WalletParams => ({
      walletName: "default",
      accounts: Array.from({ length: accounts }, (_, index) => ({
        curve: "CURVE_SECP256K1",
        pathFormat: "PATH_FORMAT_BIP32",
        path: `m/${index}${"/0".repeat(indexes - 1)}`,
        addressFormat: "ADDRESS_FORMAT_ETHEREUM",
      })),
    });
    const signUp = (wallet: object, options: Partial<LoginHandlerOptions> = {}) => {
      const body = { ...nobody, authenticators: [newPasskey().params], wallet };
      return send("signup_v2", body, {}, loginHandler(optionsOf(options)));
    };
    const refused = await signUp(walletOf(6, 6));
    expect(refused).toMatchObject({ status: 400, code: "FIELD_INVALID", field: "wallet.accounts" });
    expect(refused.answer.message).toMatch(
      /has 6 accounts.*`subOrganization.wallet`.*`wallet.accounts\[5\].path` has 6 indexes/,
    );
    expect(await signUp(walletOf(5, 6))).toMatchObject({ field: "wallet.accounts[0].path" });
    expect(await signUp({ accounts: "many" })).toMatchObject({ status: 400 });
    expect((await signUp(walletOf(5, 5))).status).toBe(200);
    const wallet = walletOf(7, 7);
    expect((await signUp(walletOf(6, 6), { subOrganization: { wallet } })).status).toBe(200);
  });

  test("the app decides about codes and sign-ups, and closes them", async () => {
    const asked: unknown[] = [];
    const allow = (attempt: object) => {
      asked.push(attempt);
      // Not a yes.
      return "no" as never;
    };
    const refusing = loginHandler(optionsOf({ allow }));
    const contact = newEmail();
    const code = { otpType: "OTP_TYPE_EMAIL", contact };
    expect(await send("otp_init_v2", code, {}, refusing)).toMatchObject({
      status: 403,
      code: "REQUEST_NOT_AUTHORIZED",
    });
    expect(asked).toMatchObject([{ call: "code", contact }]);
    const closed = loginHandler(optionsOf({ signUp: false }));
    const { params: passkey } = newPasskey();
    const signUp = { ...nobody, authenticators: [passkey] };
    expect(await send("signup_v2", signUp, {}, closed)).toMatchObject({
      status: 403,
      code: "FEATURE_DISABLED",
    });
    const only = loginHandler(optionsOf({ methods: ["sms"] }));
    expect(await send("otp_init_v2", code, {}, only)).toMatchObject({ code: "FEATURE_DISABLED" });
    expect(await send("signup_v2", signUp, {}, only)).toMatchObject({ code: "FEATURE_DISABLED" });
  });

  test("sign-ups that prove nothing are limited for each network", async () => {
    const handle = loginHandler({ ...optionsOf(), clientAddress: () => "192.0.2.7" });
    const signUp = () => {
      const { params } = newPasskey();
      return send(
        "signup_v2",
        { ...nobody, userName: "Ada", authenticators: [params] },
        {},
        handle,
      );
    };
    for (let index = 0; index < 20; index++) expect((await signUp()).status).toBe(200);
    expect(await signUp()).toMatchObject({ status: 429, code: "RATE_LIMITED" });
  });

  test("the networks of an IPv6 site count, and not its addresses", async () => {
    let network = 0;
    let asked = 0;
    const clientAddress = () => `2001:db8:1:${network}::${(++asked).toString(16)}`;
    // A connection of its own counts by itself.
    const { organizationId, stamper } = parent.root;
    const connection = new Connection({
      ...{ baseUrl: "http://keyhearth.test", organizationId, stamper },
      fetch: (url, init) => parent.server.fetch(new Request(url, init)),
    });
    const handle = loginHandler({ ...optionsOf({ connection }), clientAddress });
    const signUp = async () => {
      const authenticators = [newPasskey().params];
      const body = { ...nobody, userName: "Ada", authenticators };
      return (await send("signup_v2", body, {}, handle)).status;
    };
    const statuses: number[] = [];
    for (; network < 10; network++) {
      for (let count = 0; count < 21; count++) statuses.push(await signUp());
    }
    expect(statuses.slice(0, 22)).toEqual([...Array.from({ length: 20 }, () => 200), 429, 200]);
    // Eight networks of twenty.
    expect(statuses.filter((status) => status === 200)).toHaveLength(160);
    const codes: number[] = [];
    for (let count = 0; count < 25; count++) {
      const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
      codes.push((await send("otp_init_v2", code, {}, handle)).status);
    }
    expect(codes).toEqual([...Array.from({ length: 24 }, () => 200), 429]);
  }, 60_000);

  test("what the app does not allow, and more credentials than a user may have, cost no request of the app's key", async () => {
    let requests = 0;
    const { organizationId, stamper } = parent.root;
    const connection = new Connection({
      ...{ baseUrl: "http://keyhearth.test", organizationId, stamper },
      fetch(url, init) {
        requests += 1;
        return parent.server.fetch(new Request(url, init));
      },
    });
    const handle = loginHandler(optionsOf({ connection, allow: () => false }));
    const signUp = (count: number) => {
      const authenticators = Array.from({ length: count }, () => newPasskey().params);
      return send("signup_v2", { ...nobody, authenticators }, {}, handle);
    };
    expect(await signUp(10)).toMatchObject({ status: 403, code: "REQUEST_NOT_AUTHORIZED" });
    expect(await signUp(11)).toMatchObject({
      status: 400,
      answer: { message: "`authenticators` must be a list of at most 10 objects" },
    });
    expect(requests).toBe(0);
  });

  test("a key without permission, and a service that is away, are told to the server alone", async () => {
    const { organizationId, stamper } = parent.root;
    const away = new Connection({
      ...{ baseUrl: "http://internal.example:7000", organizationId, stamper },
      fetch: () => Promise.reject(new Error("ECONNREFUSED 10.0.0.7")),
    });
    const handle = loginHandler(optionsOf({ connection: away }));
    const code = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() };
    const { status, answer } = await send("otp_init_v2", code, {}, handle);
    expect(status).toBe(500);
    expect(JSON.stringify(answer)).not.toMatch(/internal|10\.0/);
    expect(failures.splice(0)).toMatchObject([{ code: "NETWORK" }]);
  });
});

test("wrong options are named, all at once", () => {
  const wrong = { connection: {}, origins: ["https://app.example.com/"], methods: ["fax"] };
  expect(() => loginHandler(wrong as never)).toThrow(
    /connection must be .*; origins\[0\] must be an origin .*; methods must list some of .*; appName must be text/,
  );
  expect(() => loginHandler(optionsOf({ verificationPublicKey: "04ab" }))).toThrow(
    "verificationPublicKey must be that of",
  );
});
