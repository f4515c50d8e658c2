import { fetchOfPage, newProxyFamily, type ProxyFamily } from "@keyhearth/api/proxy/proxy.testing";
import type { TestServer } from "@keyhearth/api/testing";
import { credentialOf, serverOf } from "@keyhearth/engine/oauth2-logins.testing";
import {
  CLIENT,
  type Oauth2Provider,
  REDIRECT_URI,
  startOauth2Provider,
} from "@keyhearth/engine/oauth2-provider.testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import type { Fetch } from "../connection/request.ts";
import { InvalidField, Unverified } from "../errors/errors.ts";
import { memoryStorage } from "../stampers/key-storage.ts";
import { LoginProxy } from "./login-proxy.ts";
import { SessionKeeper } from "./session-keeper.ts";

let provider: Oauth2Provider;
let server: TestServer;
let family: ProxyFamily;
let pins: { sessionPublicKey: string; verificationPublicKey: string };
const keepers: SessionKeeper[] = [];

beforeAll(async () => {
  provider = await startOauth2Provider();
  server = await serverOf(provider);
  family = await newProxyFamily(server, { oauthClientIds: { x: CLIENT.clientId } });
  for (const name of ["OAUTH2_PROVIDER_X", "OAUTH2_PROVIDER_DISCORD"] as const) {
    await family.root.createOauth2Credential(credentialOf(server, { provider: name }));
  }
  const described = server.signer.handle({ call: "describe" });
  if (!("sessionPublicKey" in described)) throw new Error("the signer did not describe itself");
  const { sessionPublicKey, verificationPublicKey } = described;
  pins = { sessionPublicKey, verificationPublicKey };
});

afterEach(() => {
  for (const keeper of keepers.splice(0)) keeper.close();
});

afterAll(async () => {
  await server?.stop();
  await provider?.stop();
});

function newPage(fetch: Fetch = fetchOfPage(family)) {
  const keeper = new SessionKeeper({
    baseUrl: "http://keyhearth.test",
    organizationId: family.organizationId,
    ...pins,
    storage: memoryStorage(),
    name: crypto.randomUUID(),
    fetch,
  });
  keepers.push(keeper);
  return new LoginProxy(keeper);
}

type Provider = "OAUTH2_PROVIDER_X" | "OAUTH2_PROVIDER_DISCORD";

const begin = (page: LoginProxy, name: Provider = "OAUTH2_PROVIDER_X") =>
  page.beginOauth2Login({
    provider: name,
    clientId: CLIENT.clientId,
    redirectUri: REDIRECT_URI,
    authorizationUrl: `${provider.url}/authorize`,
  });

/** Where the provider sends the browser back to. */
async function visit(url: string): Promise<string> {
  const { headers } = await fetch(url, { redirect: "manual" });
  return headers.get("location") ?? "";
}

test.each<Provider>(["OAUTH2_PROVIDER_X", "OAUTH2_PROVIDER_DISCORD"])(
  "somebody of %s is signed up, and logged in the next time",
  async (name) => {
    const logIn = async () => {
      const page = newPage();
      const callbackUrl = await visit((await begin(page, name)).url);
      return page.logInWithOauth2({ callbackUrl, userName: "Ada" });
    };
    const [first, second] = [await logIn(), await logIn()];
    expect([first.isNew, second.isNew]).toEqual([true, false]);
    expect(second.session.userId).toBe(first.session.userId);
  },
);

test("people are sent to the provider with a challenge, for as little as says who they are", async () => {
  const { url } = await newPage().beginOauth2Login({
    provider: "OAUTH2_PROVIDER_DISCORD",
    clientId: CLIENT.clientId,
    redirectUri: REDIRECT_URI,
  });
  const { origin, pathname, searchParams } = new URL(url);
  expect(origin + pathname).toBe("https://discord.com/oauth2/authorize");
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: "code",
    client_id: CLIENT.clientId,
    redirect_uri: REDIRECT_URI,
    scope: "identify",
    state: expect.stringMatching(/^[\w-]{43}~[0-9a-f]{64}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  const unknown = newPage().beginOauth2Login({
    provider: "google",
    clientId: "",
    redirectUri: "",
  } as never);
  await expect(unknown).rejects.toBeInstanceOf(InvalidField);
});

test("an address of a login that began elsewhere logs nobody in, nor does one without a code", async () => {
  const page = newPage();
  const callbackUrl = await visit((await begin(newPage())).url);
  await expect(page.logInWithOauth2({ callbackUrl })).rejects.toBeInstanceOf(Unverified);
  await expect(page.logInWithOauth2({ callbackUrl: "x" })).rejects.toBeInstanceOf(Unverified);
  const { searchParams } = new URL((await begin(page)).url);
  const state = searchParams.get("state") ?? "";
  const changed = `${REDIRECT_URI}?${new URLSearchParams({ code: "c", state: `x${state}` })}`;
  await expect(page.logInWithOauth2({ callbackUrl: changed })).rejects.toBeInstanceOf(Unverified);
  const refused = `${REDIRECT_URI}?${new URLSearchParams({ error: "access_denied", state })}`;
  await expect(page.logInWithOauth2({ callbackUrl: refused })).rejects.toThrow(/without a code/);
});

test("a token for another person's code, which names the page's key, logs nobody in", async () => {
  const send = fetchOfPage(family);
  const verifier = "m".repeat(43);
  const exchanged: number[] = [];
  const page = newPage(async (url, init) => {
    if (!url.endsWith("/oauth2_authenticate")) return send(url, init);
    // The code with which Mallory came back from the provider. Her verifier names no key.
    const authCode = provider.codeOf({ verifier, subject: "66666666666666666" });
    const asked = { ...JSON.parse(`${init.body}`), authCode, codeVerifier: verifier };
    const response = await send(url, { ...init, body: JSON.stringify(asked) });
    exchanged.push(response.status);
    return response;
  });
  const callbackUrl = await visit((await begin(page)).url);
  await expect(page.logInWithOauth2({ callbackUrl })).rejects.toMatchObject({
    name: "Unverified",
    message: expect.stringContaining("does not answer its code"),
  });
  expect(exchanged).toEqual([200]);
});

test("a code works once", async () => {
  const page = newPage();
  const callbackUrl = await visit((await begin(page)).url);
  const code = new URL(callbackUrl).searchParams.get("code") ?? "";
  await page.logInWithOauth2({ callbackUrl });
  const other = newPage();
  const { url } = await begin(other);
  const state = new URL(url).searchParams.get("state") ?? "";
  const stolen = `${REDIRECT_URI}?${new URLSearchParams({ code, state })}`;
  await expect(other.logInWithOauth2({ callbackUrl: stolen })).rejects.toMatchObject({
    code: "OAUTH2_EXCHANGE_FAILED",
  });
});
