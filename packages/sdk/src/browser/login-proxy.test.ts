import {
  fetchOfPage,
  newEmail,
  newProxyFamily,
  type ProxyFamily,
  stampAsProxy,
} from "@keyhearth/api/proxy/proxy.testing";
import { newKey, newOrganization } from "@keyhearth/api/testing";
import { decodeHex, decodeUtf8, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { createApiKeyStamper } from "@keyhearth/crypto/stamps/create-stamp";
import {
  peekVerificationToken,
  type VerificationClaims,
} from "@keyhearth/crypto/tokens/verification-token";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { codeOf } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import { Wallet } from "ethers";
import { afterEach, beforeAll, expect, test } from "vitest";
import { listWallets, whoami } from "../calls/generated/calls.ts";
import type { Fetch } from "../connection/request.ts";
import {
  Conflict,
  InvalidField,
  NotFound,
  PermissionDenied,
  RateLimited,
  Unverified,
} from "../errors/errors.ts";
import { memoryStorage } from "../stampers/key-storage.ts";
import { WalletStamper } from "../stampers/wallet.ts";
import { logInWithCode } from "./code-login.ts";
import { LoginProxy, type LoginProxyOptions } from "./login-proxy.ts";
import { beginOidcLogin } from "./oidc-login.ts";
import { SessionKeeper } from "./session-keeper.ts";

let family: ProxyFamily;
let pins: Record<"sessionPublicKey" | "verificationPublicKey" | "quorumPublicKey", string>;
const keepers: SessionKeeper[] = [];

beforeAll(async () => {
  family = await newProxyFamily();
  const described = family.server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  const { sessionPublicKey, verificationPublicKey, quorumPublicKey } = described;
  pins = { sessionPublicKey, verificationPublicKey, quorumPublicKey };
});

afterEach(() => {
  for (const keeper of keepers.splice(0)) keeper.close();
});

function newPage(fetch: Fetch = fetchOfPage(family), options: LoginProxyOptions = {}) {
  const keeper = new SessionKeeper({
    baseUrl: "http://keyhearth.test",
    organizationId: family.organizationId,
    ...pins,
    storage: memoryStorage(),
    name: crypto.randomUUID(),
    fetch,
  });
  keepers.push(keeper);
  return { keeper, proxy: new LoginProxy(keeper, options) };
}

const codeSent = ({ otpId }: { otpId: string }) =>
  codeOf(family.server, family.organizationId, otpId);

test("the settings say what to offer", async () => {
  expect(await newPage().proxy.settings()).toEqual({
    organizationId: family.organizationId,
    methods: ["email", "sms", "passkey", "wallet", "example"],
    oauthClientIds: { example: "my-app" },
    otpLength: 9,
    otpAlphanumeric: true,
    sessionExpirationSeconds: 900,
  });
});

test.each([
  ["OTP_TYPE_EMAIL", newEmail()],
  ["OTP_TYPE_SMS", `+1415555${Math.floor(Math.random() * 9000) + 1000}`],
] as const)("a code of %s signs somebody up, and logs them in the next time", async (type, to) => {
  const contact = { otpType: type, contact: to };
  const first = newPage();
  const sent = await first.proxy.sendCode(contact);
  const wallet = { walletName: "default", accounts: [] };
  const code = await codeSent(sent);
  const ada = await first.proxy.logInWithCode({ code, sent, ...contact, userName: "Ada", wallet });
  expect(ada.isNew).toBe(true);
  expect(ada.session.organizationId).not.toBe(family.organizationId);
  const connection = first.keeper.connection();
  expect((await whoami(connection)).username).toBe("Ada");
  expect((await listWallets(connection)).wallets).toHaveLength(1);
  const second = newPage();
  const again = await second.proxy.sendCode(contact);
  const login = { code: await codeSent(again), sent: again, ...contact };
  const { session, isNew } = await second.proxy.logInWithCode(login);
  expect([isNew, session.userId]).toEqual([false, ada.session.userId]);
});

test("only an account that exists, and only the one that was asked for, is logged in to", async () => {
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() } as const;
  const logIn = async (asked: { signUp?: boolean; organizationId?: string }) => {
    const { proxy } = newPage(undefined, { configurationId: family.organizationId });
    const sent = await proxy.sendCode(contact);
    return proxy.logInWithCode({ code: await codeSent(sent), sent, ...contact, ...asked });
  };
  await expect(logIn({ signUp: false })).rejects.toThrow(NotFound);
  const { session } = await logIn({});
  const other = crypto.randomUUID();
  await expect(logIn({ organizationId: other })).rejects.toThrow("belongs to another account");
  const { organizationId } = session;
  expect((await logIn({ signUp: false, organizationId })).isNew).toBe(false);

  const sub = crypto.randomUUID();
  const page = fetchOfPage(family);
  const loggedInAt: string[] = [];
  const fetch: Fetch = (url, init) => {
    if (url.endsWith("/stamp_login")) loggedInAt.push(JSON.parse(`${init.body}`).organizationId);
    return page(url, init);
  };
  const atProvider = async (asked: { signUp?: boolean; organizationId?: string }) => {
    const { keeper, proxy } = newPage(fetch, { configurationId: family.organizationId });
    const { nonce } = await beginOidcLogin(keeper);
    const oidcToken = newToken({ sub, nonce });
    return proxy.logInWithOidc({ oidcToken, providerName: "Example", ...asked });
  };
  await expect(atProvider({ signUp: false })).rejects.toThrow("Nobody has an account");
  await atProvider({});
  await expect(atProvider({ organizationId: other })).rejects.toThrow(NotFound);
  const { isNew, session: own } = await atProvider({ signUp: false });
  expect(isNew).toBe(false);
  const again = await atProvider({ signUp: false, organizationId: own.organizationId });
  expect(again.session.userId).toBe(own.userId);
  // The parent's id could lead to another account of the same person.
  expect(loggedInAt.at(-1)).toBe(own.organizationId);
});

/** A page whose proxy answers each code with a token for its key that says something else. */
function newDeceivedPage(lie: (honest: VerificationClaims) => Partial<VerificationClaims>) {
  const honest = fetchOfPage(family);
  return newPage(async (url, init) => {
    const response = await honest(url, init);
    if (!url.endsWith("/otp_verify_v2") || response.status !== 200) return response;
    const { verificationToken } = (await response.json()) as { verificationToken: string };
    const claims = peekVerificationToken(verificationToken);
    if (!claims) throw new Error("the proxy answered without a token");
    const { id: _, exp: __, ...said } = claims;
    return Response.json({
      verificationToken: tokenOf(family.server, { ...said, ...lie(claims) }),
    });
  });
}

test.each<[string, (honest: VerificationClaims) => Partial<VerificationClaims>]>([
  ["of another contact", () => ({ contact: newEmail() })],
  ["of a contact of another type", () => ({ verification_type: "OTP_TYPE_SMS" })],
  ["of another organization", () => ({ organization_id: crypto.randomUUID() })],
  ["for another key", () => ({ public_key: newKey().publicKey })],
])("a token %s, which the pinned signer made, logs nobody in", async (_, lie) => {
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() } as const;
  const { proxy, keeper } = newDeceivedPage(lie);
  const sent = await proxy.sendCode(contact);
  const login = proxy.logInWithCode({ code: await codeSent(sent), sent, ...contact });
  await expect(login).rejects.toBeInstanceOf(Unverified);
  expect(keeper.session).toBeUndefined();
});

test("what is missing of a code that was sent is named at once", async () => {
  const { keeper, proxy } = newPage();
  const { otpId } = await proxy.sendCode({ otpType: "OTP_TYPE_EMAIL", contact: newEmail() });
  const backend = { verifyOtp: async () => ({ verificationToken: "" }) };
  const login = { sent: { otpId } };
  await expect(logInWithCode(keeper, backend as never, login as never)).rejects.toMatchObject({
    name: "InvalidField",
    message: expect.stringMatching(/^code is missing.*sent\.otpEncryption.*otpType.*sent\.contact/),
  });
});

test("a social login signs somebody up, and logs them in the next time", async () => {
  const sub = crypto.randomUUID();
  const logIn = async () => {
    const { keeper, proxy } = newPage();
    const { nonce } = await beginOidcLogin(keeper);
    const oidcToken = newToken({ sub, nonce });
    return proxy.logInWithOidc({ oidcToken, providerName: "Example" });
  };
  const [first, second] = [await logIn(), await logIn()];
  expect([first.isNew, second.isNew]).toEqual([true, false]);
  expect(second.session.userId).toBe(first.session.userId);
});

test("a passkey signs up, and its session begins without another prompt", async () => {
  const { keeper, proxy } = newPage();
  const { params: passkey } = newPasskey();
  const { session } = await proxy.signUpWithPasskey({ passkey, userName: "Ada" });
  expect((await whoami(keeper.connection())).userId).toBe(session.userId);
  const again = newPage().proxy.signUpWithPasskey({ passkey });
  await expect(again).rejects.toBeInstanceOf(Conflict);
});

test("a passkey of a device that names no transports signs up", async () => {
  const { params: passkey } = newPasskey();
  delete (passkey.attestation as { transports?: unknown }).transports;
  expect((await newPage().proxy.signUpWithPasskey({ passkey })).isNew).toBe(true);
});

test("a wallet signs up with one prompt, and logs in the next time", async () => {
  const wallet = Wallet.createRandom();
  let prompts = 0;
  const ethereum = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      if (method === "eth_requestAccounts") return [wallet.address];
      prompts += 1;
      return wallet.signMessage(decodeHex(String(params[0]).slice(2)));
    },
  };
  const logIn = () => newPage().proxy.logInWithWallet(new WalletStamper({ ethereum }));
  const first = await logIn();
  expect([first.isNew, prompts]).toEqual([true, 1]);
  const second = await logIn();
  expect([second.isNew, second.session.userId]).toEqual([false, first.session.userId]);
});

test("a wallet logs in to the account that the application names, whatever the proxy knows", async () => {
  const wallet = Wallet.createRandom();
  const signed: string[] = [];
  const ethereum = {
    async request({ method, params = [] }: { method: string; params?: unknown[] }) {
      if (method === "eth_requestAccounts") return [wallet.address];
      const text = decodeHex(String(params[0]).slice(2));
      signed.push(decodeUtf8(text));
      return wallet.signMessage(text);
    },
  };
  const logIn = (login: object, fetch?: Fetch) =>
    newPage(fetch).proxy.logInWithWallet(new WalletStamper({ ethereum }), login);
  await expect(logIn({ signUp: false })).rejects.toBeInstanceOf(NotFound);
  const { session } = await logIn({});
  const { organizationId } = session;
  // A host that names an account of its own for the wallet's key is not asked.
  const lying: Fetch = async (url, init) =>
    url.endsWith("/account")
      ? Response.json({ organizationId: crypto.randomUUID() })
      : fetchOfPage(family)(url, init);
  const again = await logIn({ organizationId }, lying);
  expect([again.isNew, again.session.organizationId]).toEqual([false, organizationId]);
  expect(signed.at(-1)).toContain(organizationId);
  const other = await newPage().proxy.signUpWithPasskey({ passkey: newPasskey().params });
  const wrong = logIn({ organizationId: other.session.organizationId });
  await expect(wrong).rejects.toThrow("another account than the one that was asked for");
});

test("each refusal is an error of its class", async () => {
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: "nobody" } as const;
  await expect(newPage().proxy.sendCode(contact)).rejects.toBeInstanceOf(InvalidField);
  const good = { ...contact, contact: newEmail() };
  const foreign = newPage(fetchOfPage(family, "https://evil.example"));
  await expect(foreign.proxy.sendCode(good)).rejects.toBeInstanceOf(PermissionDenied);
  const unknown = newPage(undefined, { configurationId: crypto.randomUUID() });
  await expect(unknown.proxy.settings()).rejects.toBeInstanceOf(NotFound);
  const busy: Fetch = async () =>
    Response.json(
      { code: 8, message: "too many codes", details: [{ code: "RATE_LIMITED" }] },
      { status: 429, headers: { "retry-after": "1" } },
    );
  await expect(newPage(busy).proxy.sendCode(good)).rejects.toBeInstanceOf(RateLimited);
  const { proxy } = newPage();
  const sent = await proxy.sendCode(good);
  await expect(proxy.logInWithCode({ code: "000000000", sent, ...good })).rejects.toThrow(
    /nvalid OTP code/,
  );
});

test("a call is sent once, and the captcha's token with codes and sign-ups only", async () => {
  const asked: string[] = [];
  const fetch: Fetch = async (url, { headers }) => {
    const token = new Headers(headers).get("x-captcha-token");
    asked.push(`${url.split("/").at(-1)} ${token}`);
    throw new TypeError("no network");
  };
  const { proxy } = newPage(fetch, { captchaToken: async () => "solved" });
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() } as const;
  await expect(proxy.sendCode(contact)).rejects.toThrow();
  expect(asked).toEqual(["otp_init_v2 solved"]);
  await expect(proxy.settings()).rejects.toThrow();
  expect(asked.slice(1).sort()).toEqual([
    "wallet_kit_client_params null",
    "wallet_kit_config null",
  ]);
});

test("the key of the account is the pinned signer's, or nobody is logged in", async () => {
  const keeper = new SessionKeeper({
    ...newPage().keeper.options,
    verificationPublicKey: pins.sessionPublicKey,
    storage: memoryStorage(),
  });
  const proxy = new LoginProxy(keeper);
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: newEmail() } as const;
  const sent = await proxy.sendCode(contact);
  const login = proxy.logInWithCode({ code: "000000000", sent, ...contact });
  await expect(login).rejects.toThrow(/not by the pinned signer/);
});

const logins = {
  passkey: async ({ proxy }: ReturnType<typeof newPage>) =>
    proxy.signUpWithPasskey({ passkey: newPasskey().params }),
  wallet: async ({ proxy }: ReturnType<typeof newPage>) => {
    const wallet = Wallet.createRandom();
    const request = async ({ method, params }: { method: string; params?: unknown[] }) =>
      method === "eth_requestAccounts"
        ? [wallet.address]
        : wallet.signMessage(decodeHex(String(params?.[0]).slice(2)));
    return proxy.logInWithWallet(new WalletStamper({ ethereum: { request } }));
  },
  "social login": async ({ keeper, proxy }: ReturnType<typeof newPage>) => {
    const { nonce } = await beginOidcLogin(keeper);
    const oidcToken = newToken({ sub: crypto.randomUUID(), nonce });
    return proxy.logInWithOidc({ oidcToken, providerName: "Example" });
  },
};

type Asked = Record<"apiKeys" | "authenticators" | "oauthProviders", object[]>;
type Made = { organizationId: string; parameters: Record<string, unknown>; type: string };

/** A host that answers a sign-up with an account that it makes itself. It has the key of the login proxy. */
function hostThatMakes(
  change: (asked: Asked, made: Made) => void,
  stamp = stampAsProxy,
  forge: (answer: Record<string, unknown>) => void = () => {},
): Fetch {
  const honest = fetchOfPage(family);
  return async (url, init) => {
    if (!url.endsWith("/signup_v2")) return honest(url, init);
    const asked = JSON.parse(`${init.body}`) as Asked;
    const rootUser = { userName: "Ada", ...asked };
    const made: Made = {
      type: "ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8",
      organizationId: family.organizationId,
      parameters: { subOrganizationName: "x", rootUsers: [rootUser], rootQuorumThreshold: 1 },
    };
    change(rootUser, made);
    const time = { timestampMs: String(Date.now()), generateAppProofs: true };
    const request = JSON.stringify({ ...made, ...time });
    const response = await honest(
      "http://keyhearth.test/public/v1/submit/create_sub_organization",
      {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-Stamp": stamp(made.organizationId, encodeUtf8(request)),
        },
        body: request,
      },
    );
    const { activity, ...refused } = await response.json();
    if (!activity) throw new Error(JSON.stringify(refused));
    const result = activity.result.createSubOrganizationResultV8;
    const answer = {
      organizationId: result.subOrganizationId,
      userId: result.rootUserIds[0],
      appProofs: activity.appProofs,
      activity: { activityId: activity.id, request, result },
    };
    forge(answer);
    return Response.json(answer);
  };
}

const addKey = ({ apiKeys }: Asked) => {
  const { publicKey } = newKey();
  apiKeys.push({ apiKeyName: "session", publicKey, curveType: "API_KEY_CURVE_P256" });
};

for (const [name, logIn] of Object.entries(logins)) {
  test(`an account that a host made for a ${name}, with a key of its own, starts no session`, async () => {
    const page = newPage(hostThatMakes(addKey));
    await expect(logIn(page)).rejects.toMatchObject({
      name: "Unverified",
      message: expect.stringMatching(/has other credentials .* no session was started/),
    });
    expect(page.keeper.session).toBeUndefined();
  });

  test(`an account of another organization starts no session for a ${name}`, async () => {
    const mallory = await newOrganization(family.server);
    const privateKey = decodeHex(mallory.rootKey.privateKey);
    const stampAsMallory = createApiKeyStamper({
      privateKey,
      scheme: "SIGNATURE_SCHEME_TK_API_P256",
    });
    const stamp = (_: string, body: Uint8Array) => stampAsMallory(body);
    const move = (_: Asked, made: Made) => {
      made.organizationId = mallory.organizationId;
    };
    const page = newPage(hostThatMakes(move, stamp));
    await expect(logIn(page)).rejects.toThrow(/not the one that the signer stated/);
    expect(page.keeper.session).toBeUndefined();
  });

  test(`the account that the signer stated is taken, whoever answers, for a ${name}`, async () => {
    const { isNew, session } = await logIn(newPage(hostThatMakes(() => {})));
    expect(isNew).toBe(true);
    expect(session.organizationId).not.toBe(family.organizationId);
  });
}

test.each<[string, (answer: Record<string, unknown>) => void, RegExp]>([
  ["no statement", (answer) => Object.assign(answer, { appProofs: [] }), /not the one/],
  ["no activity", (answer) => delete answer.activity, /without the signer’s statement/],
  [
    "another account",
    (answer) => Object.assign(answer, { organizationId: crypto.randomUUID() }),
    /not the one/,
  ],
  [
    "another account in the result too",
    (answer) => {
      const organizationId = crypto.randomUUID();
      const { result } = answer.activity as { result: object };
      Object.assign(answer, { organizationId });
      Object.assign(result, { subOrganizationId: organizationId });
    },
    /not the one/,
  ],
  [
    "another request",
    (answer) => {
      const activity = answer.activity as { request: string };
      activity.request = activity.request.replace('"x"', '"y"');
    },
    /not the one/,
  ],
])("an answer with %s starts no session", async (_, forge, message) => {
  const page = newPage(hostThatMakes(() => {}, stampAsProxy, forge));
  await expect(logins.passkey(page)).rejects.toThrow(message);
  expect(page.keeper.session).toBeUndefined();
});

test.each<[string, (asked: Asked, made: Made) => void]>([
  ["an email address", (asked) => Object.assign(asked, { userEmail: newEmail() })],
  ["a phone number", (asked) => Object.assign(asked, { userPhoneNumber: "+14155550100" })],
  ["a passkey", ({ authenticators }) => authenticators.push(newPasskey().params)],
  ["a key of another lifetime", ({ apiKeys: [key] }) => delete Object(key).expirationSeconds],
  [
    "a social login",
    ({ oauthProviders }) => {
      const oidcToken = newToken({ sub: crypto.randomUUID() });
      oauthProviders.push({ providerName: "Example", oidcToken });
    },
  ],
])("%s that the person did not register starts no session", async (_, change) => {
  const page = newPage(hostThatMakes(change));
  await expect(logins.passkey(page)).rejects.toThrow("has other credentials or contacts");
  expect(page.keeper.session).toBeUndefined();
});
