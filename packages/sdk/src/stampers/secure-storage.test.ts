import {
  fetchOfPage,
  newEmail,
  newProxyFamily,
  type ProxyFamily,
} from "@keyhearth/api/proxy/proxy.testing";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import { newToken } from "@keyhearth/engine/oidc.testing";
import { codeOf } from "@keyhearth/engine/otps.testing";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { LoginProxy } from "../browser/login-proxy.ts";
import { logInWith } from "../browser/logins.ts";
import { beginOidcLogin } from "../browser/oidc-login.ts";
import { SessionKeeper } from "../browser/session-keeper.ts";
import { createApiKeys, createWallet, whoami } from "../calls/generated/calls.ts";
import { Connection } from "../connection/connection.ts";
import type { Fetch, Stamper } from "../connection/request.ts";
import { memoryStorage } from "./key-storage.ts";
import { createNativePasskey, NativePasskeyStamper } from "./native-passkey.ts";
import { newP256Key } from "./p256-key.ts";
import { newPhone } from "./phone.testing.ts";
import { keychainStore, SecureStorageStamper, secureStorage } from "./secure-storage.ts";

let organization: TestOrganization;
let family: ProxyFamily;
let pins: { sessionPublicKey: string; verificationPublicKey: string };
const keepers: SessionKeeper[] = [];

beforeAll(async () => {
  organization = await newOrganization();
  family = await newProxyFamily();
  const described = family.server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  const { sessionPublicKey, verificationPublicKey } = described;
  pins = { sessionPublicKey, verificationPublicKey };
});

afterEach(() => {
  isWithoutWebCrypto = false;
  vi.unstubAllGlobals();
  vi.useRealTimers();
  for (const keeper of keepers.splice(0)) keeper.close();
});

const webCrypto = crypto;
let isWithoutWebCrypto = false;

/** Takes WebCrypto away, as in React Native with its usual package for random bytes. */
function withoutWebCrypto() {
  isWithoutWebCrypto = true;
  vi.stubGlobal("crypto", { getRandomValues: webCrypto.getRandomValues.bind(webCrypto) });
}

/** The service runs in the same process, and has WebCrypto all the same. */
function asService(fetch: Fetch): Fetch {
  return async (url, init) => {
    vi.stubGlobal("crypto", webCrypto);
    try {
      return await fetch(url, init);
    } finally {
      if (isWithoutWebCrypto) withoutWebCrypto();
    }
  };
}

const baseUrl = "http://keyhearth.test";

function connectionWith(stamper: Stamper) {
  const { organizationId, server } = organization;
  return new Connection({ baseUrl, organizationId, stamper, fetch: asService(server.fetch) });
}

function keeperWith(storage: ReturnType<typeof secureStorage>) {
  const keeper = new SessionKeeper({
    baseUrl,
    organizationId: family.organizationId,
    ...pins,
    storage,
    fetch: asService(fetchOfPage(family)),
  });
  keepers.push(keeper);
  return keeper;
}

describe.each([
  ["expo-secure-store", (phone: ReturnType<typeof newPhone>) => phone.store],
  ["react-native-keychain", ({ keychain }: ReturnType<typeof newPhone>) => keychainStore(keychain)],
])("without WebCrypto, in %s,", (_, storeOf) => {
  test("a key stamps, and is there after a restart", async () => {
    const phone = newPhone();
    const stamper = await SecureStorageStamper.open({ storage: secureStorage(storeOf(phone)) });
    const { publicKey } = stamper;
    const { root, userId } = organization;
    const apiKeys = [{ apiKeyName: _, publicKey, curveType: "API_KEY_CURVE_P256" as const }];
    await createApiKeys(root, { userId, apiKeys });
    withoutWebCrypto();
    expect((await whoami(connectionWith(stamper))).userId).toBe(userId);
    const again = await SecureStorageStamper.open({ storage: secureStorage(storeOf(phone)) });
    expect(again.publicKey).toBe(publicKey);
    await createWallet(connectionWith(again), { walletName: _, accounts: [] });
    await again.delete();
    expect(phone.kept.size).toBe(0);
    await expect(stamper.stamp("{}")).rejects.toMatchObject({
      name: "InvalidCredential",
      message: expect.stringContaining("was deleted or replaced"),
    });
  });

  test("somebody signs up by the login proxy with a passkey, and the session is restored, prolonged and ended", async () => {
    const phone = newPhone();
    const { passkeys } = phone;
    withoutWebCrypto();
    const keeper = keeperWith(secureStorage(storeOf(phone)));
    const rp = { id: "app.example.com", name: "Example" };
    const passkey = await createNativePasskey({ passkeys, rp, user: { name: "Ada" } });
    const { session } = await new LoginProxy(keeper).signUpWithPasskey({ passkey });
    expect((await whoami(keeper.connection())).userId).toBe(session.userId);
    for (const text of phone.kept.values()) expect(text.length).toBeLessThan(2048);

    const later = keeperWith(secureStorage(storeOf(phone)));
    expect(await later.restore()).toEqual(session);
    const prolonged = await later.refresh({ expirationSeconds: 600 });
    expect(prolonged.publicKey).not.toBe(session.publicKey);
    expect((await whoami(later.connection())).userId).toBe(session.userId);
    await later.logOut();
    expect(phone.kept.size).toBe(0);

    const stamper = new NativePasskeyStamper({ passkeys, rpId: rp.id });
    const { organizationId } = session;
    const login = await logInWith(later, stamper, { organizationId });
    expect(login.userId).toBe(session.userId);
    expect((await whoami(later.connection())).userId).toBe(session.userId);
  });

  test("somebody logs in with a code, which is encrypted to the signer", async () => {
    const phone = newPhone();
    withoutWebCrypto();
    const proxy = new LoginProxy(keeperWith(secureStorage(storeOf(phone))));
    const contact = { otpType: "OTP_TYPE_EMAIL" as const, contact: newEmail() };
    const sent = await proxy.sendCode(contact);
    vi.stubGlobal("crypto", webCrypto);
    const code = await codeOf(family.server, family.organizationId, sent.otpId);
    withoutWebCrypto();
    const { isNew } = await proxy.logInWithCode({ code, sent, ...contact });
    expect(isNew).toBe(true);
  });

  test("somebody logs in at a provider, and comes back after a restart of the app", async () => {
    const phone = newPhone();
    withoutWebCrypto();
    const { nonce } = await beginOidcLogin(keeperWith(secureStorage(storeOf(phone))));
    vi.stubGlobal("crypto", webCrypto);
    const oidcToken = newToken({ sub: crypto.randomUUID(), nonce });
    withoutWebCrypto();
    const proxy = new LoginProxy(keeperWith(secureStorage(storeOf(phone))));
    const { isNew } = await proxy.logInWithOidc({ oidcToken, providerName: "Example" });
    expect(isNew).toBe(true);
    // The key of the login has become that of the session.
    expect(phone.kept.size).toBe(1);
  });
});

test("a login whose token is by another signer starts nothing, without WebCrypto too", async () => {
  withoutWebCrypto();
  const phone = newPhone();
  const { passkeys } = phone;
  const other = `04${"6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"}4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5`;
  const off = `04${"11".repeat(64)}`;
  for (const sessionPublicKey of [other, off]) {
    const keeper = new SessionKeeper({
      baseUrl,
      organizationId: family.organizationId,
      sessionPublicKey,
      storage: secureStorage(phone.store),
      fetch: asService(fetchOfPage(family)),
    });
    keepers.push(keeper);
    const rp = { id: "app.example.com", name: "Example" };
    const passkey = await createNativePasskey({ passkeys, rp, user: { name: "Ada" } });
    const signUp = new LoginProxy(keeper).signUpWithPasskey({ passkey });
    await expect(signUp).rejects.toMatchObject({ name: "Unverified" });
    expect(phone.kept.size).toBe(0);
  }
});

test("a key with a lifetime stamps until then, is deleted, and the next one is another", async () => {
  const phone = newPhone();
  const storage = secureStorage(phone.store);
  const stamper = await SecureStorageStamper.open({ storage, lifetimeSeconds: 60 });
  const first = stamper.publicKey;
  expect(stamper.expiresAtMs).toBeGreaterThan(Date.now());
  await stamper.stamp("{}");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61_000 });
  await expect(stamper.stamp("{}")).rejects.toMatchObject({
    name: "InvalidCredential",
    message: expect.stringContaining("has expired"),
  });
  expect(phone.kept.size).toBe(0);
  const next = await SecureStorageStamper.open({ storage, lifetimeSeconds: 60 });
  expect(next.publicKey).not.toBe(first);
  vi.setSystemTime(Date.now() + 61_000);
  const third = await SecureStorageStamper.open({ storage, lifetimeSeconds: 60 });
  expect(third.publicKey).not.toBe(next.publicKey);
  expect(await third.reset()).toBe(third.publicKey);
  expect(third.expiresAtMs).toBe(Date.now() + 60_000);
});

test("two parts of an app that open a key at once get the same one", async () => {
  const storage = secureStorage(newPhone().store);
  const opened = await Promise.all([1, 2, 3].map(() => SecureStorageStamper.open({ storage })));
  expect(new Set(opened.map(({ publicKey }) => publicKey)).size).toBe(1);
});

test("names stay apart, and become keys that the stores take", async () => {
  const phone = newPhone();
  const storage = secureStorage(phone.store);
  const names = ["a", "a:b", "a_b", "a_3a.b", "a.b", "ä", "A"];
  const keys = await Promise.all(
    names.map(async (name) => (await SecureStorageStamper.open({ storage, name })).publicKey),
  );
  expect(new Set(keys).size).toBe(names.length);
  expect(phone.kept.size).toBe(names.length);
});

test.each([
  "",
  "{}",
  "[]",
  "not JSON",
  JSON.stringify({ publicKey: `02${"11".repeat(32)}`, privateKey: "11" }),
  JSON.stringify({ publicKey: "02", privateKey: "11".repeat(32) }),
])("a text in the storage that has no key counts as nothing: %s", async (text) => {
  const phone = newPhone();
  phone.kept.set("keyhearth.stamper_3a.default", text);
  const storage = secureStorage(phone.store);
  expect(await storage.read("stamper:default")).toBeUndefined();
  await SecureStorageStamper.open({ storage });
  expect(await storage.read("stamper:default")).toBeDefined();
});

test("a private key is shown by nothing but the storage", async () => {
  const phone = newPhone();
  const storage = secureStorage(phone.store);
  const stamper = await SecureStorageStamper.open({ storage });
  const [text = ""] = phone.kept.values();
  const { privateKey } = JSON.parse(text);
  expect(privateKey).toMatch(/^[0-9a-f]{64}$/);
  const entry = await storage.read("stamper:default");
  const { inspect } = await import("node:util");
  for (const shown of [JSON.stringify([entry, stamper]), inspect([entry, stamper], { depth: 9 })]) {
    expect(shown).not.toContain(privateKey);
  }
  expect(await stamper.stamp("{}")).not.toContain(privateKey);
});

test("a storage that fails is one typed error, and the next call works", async () => {
  const phone = newPhone();
  let isLocked = true;
  const storage = secureStorage({
    ...phone.store,
    async getItemAsync(key) {
      if (isLocked) throw new Error("User interaction is not allowed.");
      return phone.store.getItemAsync(key);
    },
  });
  await expect(SecureStorageStamper.open({ storage })).rejects.toMatchObject({
    name: "Unsupported",
    message: expect.stringContaining("unlock"),
    cause: expect.objectContaining({ message: "User interaction is not allowed." }),
  });
  await expect(storage.update("a", () => undefined)).rejects.toMatchObject({ name: "Unsupported" });
  isLocked = false;
  await SecureStorageStamper.open({ storage });
});

test("a keychain that keeps nothing is an error", async () => {
  const { keychain } = newPhone();
  const storage = secureStorage(
    keychainStore({ ...keychain, setGenericPassword: async () => false }),
  );
  await expect(SecureStorageStamper.open({ storage })).rejects.toMatchObject({
    name: "Unsupported",
  });
});

test("options reach the store", async () => {
  const { store } = newPhone();
  const given: unknown[] = [];
  const storage = secureStorage(
    {
      ...store,
      getItemAsync(key, options) {
        given.push(options);
        return store.getItemAsync(key);
      },
    },
    { keychainAccessible: 6 },
  );
  await storage.read("a");
  expect(given).toEqual([{ keychainAccessible: 6 }]);
});

test("without random bytes, the error names the package that brings them", async () => {
  vi.stubGlobal("crypto", undefined);
  const storage = secureStorage(newPhone().store);
  const missing = {
    name: "Unsupported",
    message: expect.stringContaining("react-native-get-random-values"),
  };
  await expect(SecureStorageStamper.open({ storage })).rejects.toMatchObject(missing);
  const { passkeys } = newPhone();
  const rp = { id: "example.com", name: "Example" };
  const passkey = createNativePasskey({ passkeys, rp, user: { name: "Ada" } });
  await expect(passkey).rejects.toMatchObject(missing);
});

test("what is no store, no storage and no lifetime is refused with its name", async () => {
  // A program in plain JavaScript can pass anything.
  expect(() => secureStorage({ getItemAsync: 1 } as never)).toThrow(
    "store must be a store like expo-secure-store, but has no getItemAsync, setItemAsync, deleteItemAsync",
  );
  const storage = secureStorage(newPhone().store);
  for (const [options, field] of [
    [{ storage: memoryStorage() }, "storage"],
    [{}, "storage"],
    [{ storage, lifetimeSeconds: 0 }, "lifetimeSeconds"],
    [{ storage, lifetimeSeconds: "60" }, "lifetimeSeconds"],
  ] as const) {
    await expect(SecureStorageStamper.open(options as never)).rejects.toMatchObject({
      name: "InvalidField",
      field,
    });
  }
  const foreign = await newP256Key();
  await expect(storage.update("a", () => ({ ...foreign }))).rejects.toMatchObject({
    name: "Unsupported",
  });
});
