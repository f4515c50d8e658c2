import { clientOf, newOrganization } from "@keyhearth/api/testing";
import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { loginOf, newSocialFamily } from "@keyhearth/engine/oidc-logins.testing";
import { addUser, type TestUser } from "@keyhearth/engine/organization.testing";
import { codeOf, newCodeFamily } from "@keyhearth/engine/otps.testing";
import { newPasskey } from "@keyhearth/engine/passkey.testing";
import { tokenOf } from "@keyhearth/engine/verification-tokens.testing";
import type { Fetch, OtpLoginIntentV2, Stamper } from "@keyhearth/sdk";
import {
  beginOidcLogin,
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

/** Somebody's browser, whose requests the attacker sees and answers. */
type Browser = {
  keeper: SessionKeeper;
  /** From now on the attacker, a user of the same organization, answers logins. */
  arm(attacker: TestUser): void;
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
  const sessionFor: Browser["sessionFor"] = async (publicKey, honest) => {
    const { session } = await (attacker ? attacker.client.stampLogin({ publicKey }) : honest());
    return session;
  };
  const fetch: Fetch = async (url, init) => {
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
  return { keeper, arm, sessionFor };
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
  return { ...browser, userId: adaId, mallory: await addUser(child, "Mallory"), logIn };
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
  return { ...browser, userId, mallory: await addUser(child, "Mallory"), logIn };
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
