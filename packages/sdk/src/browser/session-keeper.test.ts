import { newKey, newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createWallet, listWalletAccounts, whoami } from "../calls/generated/calls.ts";
import type { Fetch } from "../connection/request.ts";
import { ApiKeyStamper } from "../stampers/api-key.ts";
import { type KeyStorage, memoryStorage } from "../stampers/key-storage.ts";
import { SessionStamper } from "../stampers/session.ts";
import { logInWith, prepareSignUp } from "./logins.ts";
import type { SessionEvent } from "./session.ts";
import { SessionKeeper, type SessionKeeperOptions } from "./session-keeper.ts";

let organization: TestOrganization;
let sessionPublicKey: string;
let quorumPublicKey: string;
const keepers: SessionKeeper[] = [];

beforeAll(async () => {
  organization = await newOrganization();
  const described = organization.server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  ({ sessionPublicKey, quorumPublicKey } = described);
});

afterEach(() => {
  for (const keeper of keepers.splice(0)) keeper.close();
});

function newKeeper(more: Partial<SessionKeeperOptions> = {}) {
  const { organizationId, server } = organization;
  const keeper = new SessionKeeper({
    baseUrl: "http://keyhearth.test",
    organizationId,
    sessionPublicKey,
    storage: memoryStorage(),
    name: crypto.randomUUID(),
    fetch: server.fetch,
    ...more,
  });
  keepers.push(keeper);
  const events: string[] = [];
  keeper.subscribe((event) => events.push(nameOf(event)));
  return { keeper, events };
}

const nameOf = (event: SessionEvent) =>
  event.type === "ended" ? `ended: ${event.reason}` : event.type;

const logIn = (keeper: SessionKeeper, expirationSeconds = 900) =>
  logInWith(keeper, organization.root.stamper, { expirationSeconds });

const next = (keeper: SessionKeeper) =>
  new Promise<string>((resolve) => {
    const end = keeper.subscribe((event) => {
      end();
      resolve(nameOf(event));
    });
  });

test("a session stamps, and is restored from where it is kept", async () => {
  const storage = memoryStorage();
  const name = crypto.randomUUID();
  const { keeper } = newKeeper({ storage, name });
  expect(await keeper.restore()).toBeUndefined();
  expect(() => keeper.connection()).toThrow(expect.objectContaining({ name: "SessionEnded" }));
  const session = await logIn(keeper);
  const { userId } = organization;
  expect(session).toMatchObject({ userId });
  expect(await whoami(keeper.connection())).toMatchObject({ userId });
  const { keeper: later } = newKeeper({ storage, name });
  expect(later.isRestored).toBe(false);
  expect(await later.restore()).toEqual(session);
  expect(later.session).toBe(later.session);
  const stamper = new SessionStamper({ storage, name });
  expect(stamper.expiresAtMs).toBeUndefined();
  await stamper.stamp("{}");
  expect(stamper.expiresAtMs).toBe(session.expiresAtMs);
});

test("a login whose token is by another signer than the pinned one starts nothing", async () => {
  const other = `04${"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`;
  const { keeper, events } = newKeeper({ sessionPublicKey: other });
  await expect(logIn(keeper)).rejects.toMatchObject({ name: "Unverified", code: "UNVERIFIED" });
  expect(await keeper.restore()).toBeUndefined();
  expect(events).toEqual([]);
});

describe("a session of somebody else with the same public key", () => {
  /** Answers logins, once it is armed, with a token for the same key and a user of another organization. */
  function swapping() {
    let root: TestOrganization["root"] | undefined;
    const fetch: Fetch = async (url, init) => {
      const response = await organization.server.fetch(url, init);
      if (!root || !url.endsWith("/stamp_login")) return response;
      const { publicKey } = JSON.parse(String(init?.body)).parameters;
      const { session } = await root.stampLogin({ publicKey, expirationSeconds: "900" });
      const text = await response.text();
      return new Response(text.replace(/"session":"[^"]*"/, `"session":"${session}"`), response);
    };
    const arm = async () => {
      ({ root } = await newOrganization(organization.server));
    };
    return { fetch, arm };
  }

  test("does not take the place of the session that is prolonged", async () => {
    const { fetch, arm } = swapping();
    const { keeper, events } = newKeeper({ fetch });
    const session = await logIn(keeper);
    await arm();
    await expect(keeper.refresh()).rejects.toMatchObject({ name: "Unverified" });
    expect(keeper.session).toBe(session);
    expect(await keeper.stamper.read()).toMatchObject({ userId: organization.userId });
    expect(events).toEqual(["started"]);
  });

  test("does not take the place of the one that a sign-up starts", async () => {
    const { fetch, arm } = swapping();
    const { keeper, events } = newKeeper({ fetch });
    const signUp = await prepareSignUp();
    const { organizationId, userId, root } = organization;
    await root.createApiKeys({ userId, apiKeys: [signUp.apiKey] });
    await arm();
    const finished = signUp.finish(keeper, { organizationId });
    await expect(finished).rejects.toMatchObject({ name: "Unverified" });
    expect(events).toEqual([]);
  });
});

describe("what somebody changed in the storage is not restored:", () => {
  const changes: [string, object][] = [
    ["another user", { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e" }],
    ["another organization", { organizationId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e" }],
    ["another end", { expiresAtMs: Date.now() + 1e9 }],
    ["another key", { publicKey: `02${"6b".repeat(32)}` }],
    ["another token", { token: "a.b.c" }],
    ["no session", { token: 7 }],
  ];
  test.each(changes)("%s", async (_, change) => {
    const storage = memoryStorage();
    const name = crypto.randomUUID();
    const { keeper } = newKeeper({ storage, name });
    await logIn(keeper);
    await storage.update(`session:${name}`, (old) => old && { ...old, ...change });
    const { keeper: later } = newKeeper({ storage, name });
    expect(await later.restore()).toBeUndefined();
  });
});

test("a log-out while the session is being prolonged stays a log-out", async () => {
  let duringRefresh = async () => {};
  const slow: Fetch = async (url, init) => {
    const response = await organization.server.fetch(url, init);
    if (url.endsWith("/stamp_login")) await duringRefresh();
    return response;
  };
  const { keeper, events } = newKeeper({ fetch: slow });
  await logIn(keeper);
  duringRefresh = () => keeper.logOut();
  await expect(keeper.refresh()).rejects.toMatchObject({ name: "SessionEnded" });
  expect(await keeper.stamper.read()).toBeUndefined();
  expect(events).toEqual(["started", "ended: logged-out"]);
});

test("two tabs that prolong the session at once keep the same one, and a third hears of it", async () => {
  const given = { storage: memoryStorage(), name: crypto.randomUUID() };
  const [{ keeper: one }, { keeper: two }] = [newKeeper(given), newKeeper(given)];
  const { keeper: third, events } = newKeeper(given);
  const first = await logIn(one);
  await two.restore();
  await third.restore();
  const heard = next(third);
  const [a, b] = await Promise.all([one.refresh(), two.refresh()]);
  expect(a).toEqual(b);
  expect(a.publicKey).not.toBe(first.publicKey);
  expect(await heard).toBe("refreshed");
  expect(third.session).toEqual(a);
  expect(events[0]).toBe("started");
  for (const keeper of [one, two, third]) {
    expect(await whoami(keeper.connection())).toMatchObject({ userId: organization.userId });
  }
});

test("the browser prolongs a session by itself if it is told to, as long as the login asked for", async () => {
  const { keeper } = newKeeper({ autoRefresh: true });
  const first = await logIn(keeper, 6);
  expect(await next(keeper)).toBe("refreshed");
  expect(keeper.session?.publicKey).not.toBe(first.publicKey);
  expect(await whoami(keeper.connection())).toMatchObject({ userId: organization.userId });
  expect(keeper.session?.expiresAtMs).toBeGreaterThan(first.expiresAtMs);
  expect(keeper.session?.expiresAtMs).toBeLessThan(Date.now() + 6500);
});

test("a request to an organization that does not know the session leaves it as it is", async () => {
  const { keeper, events } = newKeeper();
  await logIn(keeper);
  const { organizationId } = await newOrganization();
  const elsewhere = whoami(keeper.connection(), {}, { organizationId });
  await expect(elsewhere).rejects.toMatchObject({ code: "CREDENTIAL_NOT_FOUND" });
  expect(events).toEqual(["started"]);
  expect(await whoami(keeper.connection())).toMatchObject({ userId: organization.userId });
});

describe("a connection that a page still has after somebody else logged in", () => {
  /** The stamper of another user of the same organization, who may do what the root user may. */
  async function newColleague() {
    const { publicKey, privateKey } = newKey();
    const apiKeys = [{ apiKeyName: "key", publicKey, curveType: "API_KEY_CURVE_P256" as const }];
    const others = { authenticators: [], oauthProviders: [], userTags: [] };
    await organization.root.createUsers({
      users: [{ userName: crypto.randomUUID(), apiKeys, ...others }],
    });
    return new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  }
  const newStranger = async () => {
    const { organizationId, root } = await newOrganization(organization.server);
    return { organizationId, stamper: root.stamper };
  };

  test.each([
    ["of the same organization", async () => ({ stamper: await newColleague() })],
    ["of another organization", newStranger],
  ])("does not act for the user %s, and leaves their session alone", async (_, newUser) => {
    for (const isLoggedOut of [true, false]) {
      const { keeper } = newKeeper();
      await logIn(keeper);
      const stale = keeper.connection();
      if (isLoggedOut) await keeper.logOut();
      const { stamper, ...at } = await newUser();
      const session = await logInWith(keeper, stamper, at);
      await expect(whoami(stale)).rejects.toMatchObject({ name: "SessionEnded" });
      const wallet = createWallet(stale, { walletName: "mine", accounts: [] });
      await expect(wallet).rejects.toMatchObject({ name: "SessionEnded" });
      expect(keeper.session).toBe(session);
      expect(await whoami(keeper.connection())).toMatchObject({ userId: session.userId });
    }
  });

  test("in a tab that has not heard of it yet, hears of it by its next request", async () => {
    const storage = memoryStorage();
    const name = crypto.randomUUID();
    const { keeper } = newKeeper({ storage, name });
    await logIn(keeper);
    const stale = keeper.connection();
    // Another tab whose message is still on its way: the storage alone knows.
    const { keeper: elsewhere } = newKeeper({ storage, name });
    const session = await logInWith(elsewhere, await newColleague());
    await expect(whoami(stale)).rejects.toMatchObject({ name: "SessionEnded" });
    expect(keeper.session).toEqual(session);
  });
});

test("a connection of one user stamps for nobody who logs in later, and their session stays", async () => {
  const { keeper, events } = newKeeper();
  await logIn(keeper);
  const first = keeper.connection();
  await logIn(keeper);
  expect(keeper.connection()).toBe(first);
  expect(await whoami(first)).toMatchObject({ userId: organization.userId });
  const other = await newOrganization();
  const { organizationId } = other;
  await logInWith(keeper, other.root.stamper, { organizationId });
  await expect(whoami(first)).rejects.toMatchObject({
    name: "SessionEnded",
    message: expect.stringContaining("Another user has logged in"),
  });
  // Another organization in the request does not help either.
  await expect(whoami(first, {}, { organizationId })).rejects.toMatchObject({
    name: "SessionEnded",
  });
  expect(events).toEqual(["started", "started", "started"]);
  expect(await whoami(keeper.connection())).toMatchObject({ userId: other.userId });
});

test("a keeper that was closed has no alarm, and one that was opened again has", async () => {
  const { keeper, events } = newKeeper();
  await keeper.restore();
  await logIn(keeper, 3);
  keeper.close();
  const started = keeper.session;
  await keeper.restore();
  expect(keeper.session).toBe(started);
  expect(await next(keeper)).toBe("ended: expired");
  expect(events).toEqual(["started", "ended: expired"]);
});

test("an alarm that rings before the clock gets there rings again", async () => {
  const { keeper, events } = newKeeper();
  await logIn(keeper, 1);
  const { now } = Date;
  const slow = vi.spyOn(Date, "now").mockImplementation(() => now() - 300);
  onTestFinished(() => slow.mockRestore());
  await expect.poll(() => events, { timeout: 5000 }).toEqual(["started", "ended: expired"]);
});

test("a log-out everywhere deletes the key, even if the service cannot be reached", async () => {
  let isDown = false;
  const flaky: Fetch = (url, init) =>
    isDown ? Promise.reject(new TypeError("down")) : organization.server.fetch(url, init);
  const { keeper, events } = newKeeper({ fetch: flaky });
  await logIn(keeper);
  isDown = true;
  const aborted = keeper.logOut({ everywhere: true });
  await expect(aborted).rejects.toMatchObject({ name: "Unavailable" });
  expect(await keeper.stamper.read()).toBeUndefined();
  expect(events).toEqual(["started", "ended: logged-out"]);
});

test("a storage that fails is one typed error, and nothing is logged in", async () => {
  const { Unsupported } = await import("../errors/errors.ts");
  const refuse = () => Promise.reject(new Unsupported("no storage", { code: "UNSUPPORTED" }));
  const storage: KeyStorage = { read: refuse, update: refuse };
  const { keeper } = newKeeper({ storage });
  await expect(keeper.restore()).rejects.toMatchObject({ name: "Unsupported" });
  await expect(logIn(keeper)).rejects.toMatchObject({ name: "Unsupported" });
  expect(keeper.session).toBeUndefined();
});

describe("a host that shows a thief's address instead of one of the organization", () => {
  const accounts = [
    {
      curve: "CURVE_SECP256K1" as const,
      pathFormat: "PATH_FORMAT_BIP32" as const,
      path: "m/44'/60'/0'/0/0",
      addressFormat: "ADDRESS_FORMAT_ETHEREUM" as const,
    },
  ];

  /** A real service, whose answers name the account of another organization with its own true proof. */
  async function hostile() {
    const { root: thief } = await newOrganization(organization.server);
    const { walletId: stolenTo } = await thief.createWallet({ walletName: "mine", accounts });
    const [foreign] = (await thief.listWalletAccounts({ walletId: stolenTo })).accounts;
    const { walletId } = await organization.root.createWallet({
      walletName: crypto.randomUUID(),
      accounts,
    });
    const [own] = (await organization.root.listWalletAccounts({ walletId })).accounts;
    if (!foreign || !own) throw new Error("the accounts are missing");
    const fetch: Fetch = async (url, init) => {
      const response = await organization.server.fetch(url, init);
      const text = await response.text();
      const swapped = text
        .replaceAll(JSON.stringify(own.proof), JSON.stringify(foreign.proof))
        .replaceAll(String(own.publicKey), String(foreign.publicKey))
        .replaceAll(own.address, foreign.address);
      const made = swapped.replace(/("addresses":\[")0x[^"]*/g, `$1${foreign.address}`);
      return new Response(made, response);
    };
    return { fetch, walletId, foreign };
  }

  test("is believed by a keeper that pins no quorum key, and refused by one that does", async () => {
    const { fetch, walletId, foreign } = await hostile();
    const { keeper: trusting } = newKeeper({ fetch });
    await logIn(trusting);
    const listed = await listWalletAccounts(trusting.connection(), { walletId });
    expect(listed.accounts).toMatchObject([{ address: foreign.address }]);
    const { keeper } = newKeeper({ fetch, quorumPublicKey });
    await logIn(keeper);
    const refused = { name: "Unverified", code: "UNVERIFIED" };
    for (const connection of [
      keeper.connection(),
      keeper.connectionFor(organization.root.stamper),
    ]) {
      await expect(listWalletAccounts(connection, { walletId })).rejects.toMatchObject(refused);
      const wallet = { walletName: crypto.randomUUID(), accounts };
      await expect(createWallet(connection, wallet)).rejects.toMatchObject(refused);
    }
  });

  test("is no hindrance where the host is honest: the same calls return what is proven", async () => {
    const { keeper } = newKeeper({ quorumPublicKey });
    await logIn(keeper);
    const wallet = { walletName: crypto.randomUUID(), accounts };
    const { walletId, addresses } = await createWallet(keeper.connection(), wallet);
    const listed = await listWalletAccounts(keeper.connection(), { walletId });
    expect(listed.accounts.map(({ address }) => address)).toEqual(addresses);
  });
});

test("wrong pinned keys are refused together", () => {
  const make = () =>
    newKeeper({
      sessionPublicKey: "04",
      verificationPublicKey: "02ab",
      quorumPublicKey: sessionPublicKey,
    });
  const field = (name: string) => expect.objectContaining({ field: name });
  expect(make).toThrow(
    expect.objectContaining({
      name: "InvalidField",
      fields: ["sessionPublicKey", "verificationPublicKey", "quorumPublicKey"].map(field),
    }),
  );
});
