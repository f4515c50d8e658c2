import { clientOf, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { decodeBase64Url, decodeUtf8, encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { peekVerificationToken } from "@keyhearth/crypto/tokens/verification-token";
import { newToken, nonceFor } from "@keyhearth/engine/oidc.testing";
import { loginOf, newSocialFamily } from "@keyhearth/engine/oidc-logins.testing";
import { addUser, allow, type TestUser } from "@keyhearth/engine/organization.testing";
import { codeOf, newCodeFamily } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import type { Fetch, OtpLoginIntentV2, Stamper } from "@keyhearth/sdk";
import {
  beginOidcLogin,
  type Contact,
  logInWith,
  logInWithCode,
  logInWithOidc,
  memoryStorage,
  prepareSignUp,
  type Session,
  SessionKeeper,
  sendCode,
} from "@keyhearth/sdk/browser";
import { afterEach, beforeAll, expect, test } from "vitest";

// A server answers a login with a login of its own user, who names the browser's key. The signer made the token, and
// it is about the key. Someone who believes it works, and pays, in a stranger's account.

type Server = Awaited<ReturnType<typeof newOrganization>>["server"];

type Interceptor = (url: string, init: RequestInit, send: Fetch) => Promise<Response>;

/** Somebody's browser, whose requests the attacker sees and answers. */
type Browser = {
  server: Server;
  organizationId: string;
  keeper: SessionKeeper;
  /** From now on the attacker, a user of the same organization, answers logins. */
  arm(attacker: TestUser): void;
  /** From now on the attacker changes requests and answers. */
  intercept(by: Interceptor): void;
  /** The session that the service makes for this key: once the attacker answers, theirs. */
  sessionFor(publicKey: string, honest: () => Promise<{ session: string }>): Promise<string>;
};

const keepers: SessionKeeper[] = [];

afterEach(() => {
  for (const keeper of keepers.splice(0)) keeper.close();
});

let organization: Awaited<ReturnType<typeof newOrganization>>;

beforeAll(async () => {
  organization = await newOrganization();
});

function newBrowser(server: Server, organizationId: string, send: Fetch = server.fetch): Browser {
  const described = server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  const { sessionPublicKey, verificationPublicKey } = described;
  let attacker: TestUser | undefined;
  let interceptor: Interceptor | undefined;
  const sessionFor: Browser["sessionFor"] = async (publicKey, honest) => {
    const { session } = await (attacker ? attacker.client.stampLogin({ publicKey }) : honest());
    return session;
  };
  const fetch: Fetch = async (url, init) => {
    if (interceptor) return interceptor(url, init, send);
    if (!attacker || !url.endsWith("/stamp_login")) return send(url, init);
    const body = String(init.body);
    const { publicKey } = JSON.parse(body).parameters;
    const { activity } = await attacker.client.stampLogin({ publicKey });
    return Response.json({ activity: { ...activity, fingerprint: fingerprint(encodeUtf8(body)) } });
  };
  const keeper = new SessionKeeper({
    baseUrl: "http://keyhearth.test",
    organizationId,
    sessionPublicKey,
    verificationPublicKey,
    storage: memoryStorage(),
    name: crypto.randomUUID(),
    fetch,
  });
  keepers.push(keeper);
  const arm = (user: TestUser) => {
    attacker = user;
  };
  const intercept = (by: Interceptor) => {
    interceptor = by;
  };
  return { server, organizationId, keeper, arm, intercept, sessionFor };
}

/** A way to log in: whose browser it is, whose sessions are right, and another user of the organization. */
type Way = Browser & { userId: string; mallory: TestUser; logIn(): Promise<Session> };

async function byStamper(stamper: Stamper): Promise<Way> {
  const { server, organizationId, userId } = organization;
  const browser = newBrowser(server, organizationId);
  const logIn = () => logInWith(browser.keeper, stamper);
  return {
    ...browser,
    userId,
    mallory: await addUser(organization, `Mallory ${crypto.randomUUID()}`),
    logIn,
  };
}

async function byPasskey(): Promise<Way> {
  const { root, userId } = organization;
  const passkey = newPasskey();
  await root.createAuthenticators({ userId, authenticators: [passkey.params] });
  return byStamper({
    stamp: async (body) => ({ name: "X-Stamp-Webauthn", value: passkey.stamp(body) }),
  });
}

async function bySignUp(): Promise<Way> {
  const { server, organizationId, userId, root } = organization;
  const browser = newBrowser(server, organizationId);
  const logIn = async () => {
    const signUp = await prepareSignUp();
    await root.createApiKeys({ userId, apiKeys: [signUp.apiKey] });
    return signUp.finish(browser.keeper, { organizationId });
  };
  return {
    ...browser,
    userId,
    mallory: await addUser(organization, `Mallory ${crypto.randomUUID()}`),
    logIn,
  };
}

/** Another user of the organization, who may change their own contacts and social logins. */
async function addMallory(child: TestOrganization): Promise<TestUser> {
  const mallory = await addUser(child, "Mallory");
  await allow(child, mallory.userId, ["USER", "UPDATE"]);
  await allow(child, mallory.userId, ["CREDENTIAL", "CREATE"]);
  return mallory;
}

/** Codes: the page logs in itself, or its backend does. */
async function byCode(kind: "page" | "backend"): Promise<Way> {
  const family = await newCodeFamily(await newOrganization());
  const { server, root, parents, own, ownKey, adaId, email } = family;
  const { organizationId, subOrganizationId } = family;
  const child = { ...family, organizationId: subOrganizationId, root: own, rootKey: ownKey };
  const claims = { contact: email, organization_id: organizationId };
  const verificationToken = tokenOf(server, { ...claims, public_key: ownKey.publicKey });
  await own.updateUserEmail({ userId: adaId, userEmail: email, verificationToken });
  const browser = newBrowser(server, subOrganizationId);
  const contact = { otpType: "OTP_TYPE_EMAIL", contact: email } as const;
  const backend = {
    initOtp: (asked: typeof contact) => root.initOtp({ ...asked, appName: "Example" }),
    verifyOtp: (asked: { otpId: string; encryptedOtpBundle: string }) => root.verifyOtp(asked),
  };
  const otpLogin = async (asked: OtpLoginIntentV2) => ({
    session: await browser.sessionFor(asked.publicKey, () => parents.otpLogin(asked)),
  });
  const logIn = async () => {
    const sent = await sendCode(backend, contact);
    const code = await codeOf(server, organizationId, sent.otpId);
    const ways = kind === "page" ? backend : { ...backend, otpLogin };
    return logInWithCode(browser.keeper, ways, { code, sent });
  };
  return { ...browser, userId: adaId, mallory: await addMallory(child), logIn };
}

async function byOidc(kind: "page" | "backend"): Promise<Way> {
  const { parent, organizationId, userId, subject } = await newSocialFamily();
  const { server } = parent;
  const browser = newBrowser(server, organizationId);
  // Mallory has a social login in the same sub-organization, and a session by it.
  const parents = parent.root;
  const at = { organizationId };
  const given = loginOf({ subject });
  const { publicKey: key } = given;
  await parents.oauthLogin({ oidcToken: given.oidcToken, publicKey: key }, at);
  const root = clientOf(server, organizationId, given.key);
  const child = { ...parent, organizationId, userId, root, rootKey: given.key };
  const backend = {
    async oauthLogin(asked: { oidcToken: string; publicKey: string }) {
      const honest = () => parents.oauthLogin(asked, at);
      return { session: await browser.sessionFor(asked.publicKey, honest) };
    },
  };
  const logIn = async () => {
    const { nonce } = await beginOidcLogin(browser.keeper);
    const oidcToken = newToken({ sub: subject, nonce });
    return logInWithOidc(browser.keeper, kind === "page" ? { oidcToken } : { oidcToken, backend });
  };
  return { ...browser, userId, mallory: await addMallory(child), logIn };
}

const ways: [string, () => Promise<Way>][] = [
  ["a login by an API key", () => byStamper(organization.root.stamper)],
  ["a login by a passkey", byPasskey],
  ["a login by the key of a sign-up", bySignUp],
  ["a login by a code, from the page", () => byCode("page")],
  ["a login by a code, from its backend", () => byCode("backend")],
  ["a login by an OIDC token, from the page", () => byOidc("page")],
  ["a login by an OIDC token, from its backend", () => byOidc("backend")],
];

test.each(ways)(
  "%s is not answered by another user's login with the browser's key",
  async (_, make) => {
    const { keeper, userId, mallory, logIn, arm } = await make();
    const session = await logIn();
    expect(session).toMatchObject({ userId });
    arm(mallory);
    await expect(logIn()).rejects.toMatchObject({
      name: "Unverified",
      message: expect.stringContaining("does not answer this login"),
    });
    expect(keeper.session).toBe(session);
    expect((await keeper.stamper.read())?.token).toBe(session.token);
  },
);

/** The token is swapped on its way: the stamp does not cover it, and the service starts a session of Mallory's user. */
async function answersWith(way: Way, attest: (publicKey: string) => string): Promise<unknown> {
  let sessions = 0;
  way.intercept(async (url, init, send) => {
    const { "X-Stamp-Attested": value = "", ...headers } = {
      ...(init.headers as object),
    } as Record<string, string>;
    if (!url.endsWith("/stamp_login")) return send(url, init);
    const stamp = JSON.parse(decodeUtf8(decodeBase64Url(value)));
    const swapped = { ...stamp, publicKeyAttestation: attest(stamp.publicKey) };
    const header = { "X-Stamp-Attested": JSON.stringify(swapped) };
    const response = await send(url, { ...init, headers: { ...headers, ...header } });
    sessions += response.status === 200 ? 1 : 0;
    return response;
  });
  const answer = await way.logIn().catch((error: unknown) => error);
  expect(sessions).toBe(1);
  return answer;
}

const notTheirs = {
  name: "Unverified",
  message: expect.stringContaining("does not answer this login"),
};

test("a token of another user's contact for the browser's key does not answer a login", async () => {
  const way = await byCode("page");
  const { userId, client, key } = way.mallory;
  const contact = `mallory-${crypto.randomUUID()}@example.com`;
  const attest = (publicKey: string) =>
    tokenOf(way.server, {
      contact,
      organization_id: way.organizationId,
      public_key: publicKey,
    });
  const verificationToken = attest(key.publicKey);
  await client.updateUserEmail({ userId, userEmail: contact, verificationToken });
  expect(await answersWith(way, attest)).toMatchObject(notTheirs);
  expect(way.keeper.session).toBeUndefined();
});

test("a token of another user's social login for the browser's key does not answer a login", async () => {
  const way = await byOidc("page");
  const { userId, client, key } = way.mallory;
  const attest = (publicKey: string) =>
    newToken({ sub: `mallory of ${userId}`, nonce: nonceFor(publicKey) });
  const oauthProviders = [{ providerName: "Example", oidcToken: attest(key.publicKey) }];
  await client.createOauthProviders({ userId, oauthProviders });
  expect(await answersWith(way, attest)).toMatchObject(notTheirs);
  expect(way.keeper.session).toBeUndefined();
});

test("a token of another contact for the browser's key does not answer a code", async () => {
  const { server, organizationId, root, email } = await newCodeFamily(await newOrganization());
  const { keeper } = newBrowser(server, organizationId);
  const used: string[] = [];
  let contact = `mallory-${email}`;
  const backend = {
    initOtp: (asked: Contact) => root.initOtp({ ...asked, appName: "Example" }),
    async verifyOtp(asked: { otpId: string; encryptedOtpBundle: string }) {
      const { verificationToken } = await root.verifyOtp(asked);
      const { public_key = "" } = peekVerificationToken(verificationToken) ?? {};
      const claims = { organization_id: organizationId, public_key };
      return { verificationToken: tokenOf(server, { ...claims, contact }) };
    },
    async otpLogin({ verificationToken }: { verificationToken: string }) {
      used.push(verificationToken);
      throw new Error("the server was asked");
    },
  };
  const logIn = async () => {
    const sent = await sendCode(backend, { otpType: "OTP_TYPE_EMAIL", contact: email });
    const code = await codeOf(server, organizationId, sent.otpId);
    return logInWithCode(keeper, backend, { code, sent });
  };
  await expect(logIn()).rejects.toMatchObject({
    name: "Unverified",
    message: expect.stringContaining("proves another contact"),
  });
  expect(used).toEqual([]);
  contact = email.toUpperCase();
  await expect(logIn()).rejects.toThrow("the server was asked");
});

test("the same bytes with another user's stamp do not answer a login", async () => {
  const { server, organizationId, root } = organization;
  const mallory = await addUser(organization, `Mallory ${crypto.randomUUID()}`);
  const { keeper } = newBrowser(server, organizationId, async (url, init) => {
    const { name, value } = await mallory.client.stamper.stamp(String(init.body));
    const headers = { "Content-Type": "application/json", [name]: value };
    return server.fetch(url, { ...init, headers });
  });
  await expect(logInWith(keeper, root.stamper)).rejects.toMatchObject({ name: "Unverified" });
  expect(keeper.session).toBeUndefined();
});

test("a session of another organization than the one that the backend names is not started", async () => {
  const { parent, organizationId, userId, subject } = await newSocialFamily();
  const { keeper } = newBrowser(parent.server, organizationId);
  const logIn = async (named: string) => {
    const { nonce } = await beginOidcLogin(keeper);
    const backend = {
      async oauthLogin(asked: { oidcToken: string; publicKey: string }) {
        const { session } = await parent.root.oauthLogin(asked, { organizationId });
        return { session, organizationId: named };
      },
    };
    const oidcToken = newToken({ sub: subject, nonce });
    return logInWithOidc(keeper, { oidcToken, backend });
  };
  await expect(logIn(parent.organizationId)).rejects.toMatchObject({ name: "Unverified" });
  expect(await logIn(organizationId)).toMatchObject({ organizationId, userId });
});
