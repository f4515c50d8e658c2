import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { AddressRange } from "@keyhearth/api/config/config";
import { createLargeRequests } from "@keyhearth/api/host/large-requests";
import { createClientAddress } from "@keyhearth/api/host/rate-limit";
import { boundsFor } from "@keyhearth/api/http/open-connections";
import {
  newEmail,
  newProxyFamily,
  PAGE,
  type ProxyFamily,
  proxyOf,
} from "@keyhearth/api/proxy/proxy.testing";
import { listen, serve } from "@keyhearth/api/start/listener";
import { appOf, newKey, type TestKey } from "@keyhearth/api/testing";
import { credentialOf } from "@keyhearth/engine/oauth2-logins.testing";
import { CLIENT, REDIRECT_URI } from "@keyhearth/engine/oauth2-provider.testing";
import { nonceFor, TEST_AUDIENCE } from "@keyhearth/engine/oidc.testing";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { type Attacked, apiKey, bytesOf, stampOf, startAttackedServer } from "./attacker.ts";

// Requests of strangers that wait for a pace or for another service. Newcomers take turns, a few at a time, so what
// waits must have none. Turns never end by time here: the timers of the service stand still.

let server: Attacked;
let family: ProxyFamily;
/** An issuer, and a provider that exchanges codes, that never answer. */
let silent: Server;
let silentUrl: string;
let listening: Server | undefined;
const sockets: Socket[] = [];

beforeAll(async () => {
  silent = createServer(() => {});
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`; // It listens on a port.
  server = await startAttackedServer({
    issuers: `private:${silentUrl}`,
    providers: `discord=private:${silentUrl}`,
  });
  const oauthClientIds = { example: TEST_AUDIENCE, discord: CLIENT.clientId };
  family = await newProxyFamily(server, { captcha: true, oauthClientIds });
  await family.root.createOauth2Credential(credentialOf(server));
});

afterEach(() => {
  vi.useRealTimers();
  for (const socket of sockets.splice(0)) socket.destroy();
  listening?.closeAllConnections();
  listening?.close();
  server.host.largeRequests = createLargeRequests();
});

afterAll(async () => {
  silent?.closeAllConnections();
  silent?.close();
  await server?.stop();
});

/** Each stranger comes through a proxy that names another address. */
const trustedProxies: AddressRange[] = [{ address: "127.0.0.1", prefix: 32, family: "ipv4" }];

async function listenHere(): Promise<number> {
  const { log, metrics } = server.host;
  const clientAddress = createClientAddress(trustedProxies);
  const at = { host: "127.0.0.1", port: 0, trustedProxies };
  listening = await listen(at, { log, metrics }, boundsFor(null));
  const captcha = { siteKey: "key", check: () => new Promise<void>(() => {}) };
  const proxy = proxyOf(server.host, { captcha, clientAddress });
  serve(listening, appOf(server.host, { clientAddress, proxy }), { trustedProxies });
  return (listening.address() as AddressInfo).port; // It listens on a port.
}

type Asked = {
  path: string;
  headers?: Record<string, string>;
  body?: string;
  /** Whether the body comes only when it is asked for. */
  isLate?: boolean;
};
type Line = { text: () => string; sendBody: () => void };

async function ask(
  port: number,
  from: string,
  { path, headers = {}, body, isLate = false }: Asked,
): Promise<Line> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  const lines = [
    `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1`,
    "Host: keyhearth.test",
    `X-Forwarded-For: ${from}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n${isLate ? "" : (body ?? "")}`);
  return { text: () => text, sendBody: () => void socket.write(body ?? "") };
}

/** The timers of the test itself go on. */
const realSetTimeout = globalThis.setTimeout;
const pause = (ms: number) => new Promise<void>((resolve) => realSetTimeout(resolve, ms));

async function until(condition: () => boolean): Promise<boolean> {
  const endsAt = performance.now() + 5000;
  while (!condition() && performance.now() < endsAt) await pause(5);
  return condition();
}

const STRANGERS = 8;

/** Whether somebody new is answered while strangers of as many addresses wait, and how many of these wait. */
async function newcomerBeside(port: number, stranger: (index: number) => Asked) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const strangers: Line[] = [];
  for (let i = 0; i < STRANGERS; i++) {
    strangers.push(await ask(port, `203.0.113.${i}`, stranger(i)));
  }
  await pause(300);
  const newcomer = await ask(port, "198.51.100.1", { path: "/.well-known/keyhearth.json" });
  const isAnswered = await until(() => newcomer.text().startsWith("HTTP/1.1 200"));
  const answers = strangers.map(({ text }) => text()).filter((text) => text !== "");
  // As many as there are places wait.
  if (STRANGERS - answers.length < 3) throw new Error(`strangers were answered: ${answers[0]}`);
  return isAnswered;
}

const LARGE = 17_000;

function large(key: TestKey, stamped?: string): Asked {
  const body = JSON.stringify({ organizationId: family.organizationId, x: "x".repeat(LARGE) });
  const { name, value } = stampOf(key, stamped ?? body);
  return { path: "/public/v1/submit/create_wallet", headers: { [name]: value }, body };
}

function small(key: TestKey): Asked {
  const body = JSON.stringify({ organizationId: family.organizationId });
  const { name, value } = stampOf(key, body);
  return { path: "/public/v1/query/whoami", headers: { [name]: value }, body };
}

function call(name: string, body: object, { organizationId } = family): Asked {
  const headers = { Origin: PAGE, "X-Auth-Proxy-Config-ID": organizationId };
  return { path: `/proxy/v1/${name}`, headers, body: JSON.stringify(body) };
}

/** An ID token that nobody has signed. */
function forgedFor({ publicKey }: TestKey): string {
  const iat = Math.floor(Date.now() / 1000);
  const claims = { iss: silentUrl, aud: TEST_AUDIENCE, sub: randomUUID(), iat, exp: iat + 600 };
  const parts = [{ alg: "RS256", kid: "k" }, { ...claims, nonce: nonceFor(publicKey) }, {}];
  return parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
}

function forgedLogin(): Asked {
  const key = newKey();
  const type = "ACTIVITY_TYPE_STAMP_LOGIN";
  const body = bytesOf(server, family.organizationId, {
    type,
    parameters: { publicKey: key.publicKey },
  });
  const stamp = JSON.parse(Buffer.from(stampOf(key, body).value, "base64url").toString());
  const value = JSON.stringify({
    publicKeyAttestation: forgedFor(key),
    scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC",
    publicKey: stamp.publicKey,
    signature: stamp.signature,
  });
  return {
    path: "/public/v1/submit/stamp_login",
    headers: { "X-Stamp-Attested": value },
    body,
  };
}

function exchange(): Asked {
  const provider = "OAUTH2_PROVIDER_DISCORD";
  const nonce = nonceFor(newKey().publicKey);
  const given = { authCode: randomUUID(), codeVerifier: "v".repeat(43), redirectUri: REDIRECT_URI };
  return call("oauth2_authenticate", { provider, clientId: CLIENT.clientId, nonce, ...given });
}

const waits: [what: string, stranger: () => Asked][] = [
  ["the pace of refusals, with a key that nobody has registered", () => large(newKey())],
  ["the same pace, with a stamp of other bytes", () => large(family.rootKey, "other bytes")],
  [
    "the provider of captchas",
    () => call("otp_init_v2", { otpType: "OTP_TYPE_EMAIL", contact: newEmail() }),
  ],
  [
    "the issuer of an ID token, at the login proxy",
    () => call("account", { filterType: "OIDC_TOKEN", filterValue: forgedFor(newKey()) }),
  ],
  ["the issuer of an ID token, with a login", forgedLogin],
  ["the provider that exchanges a code", exchange],
];

test.each(waits)("strangers who wait for %s keep no newcomer out", async (_, stranger) => {
  const port = await listenHere();
  expect(await newcomerBeside(port, stranger)).toBe(true);
});

const late: [what: string, stranger: () => Asked][] = [
  [
    "the login proxy",
    () => call("account", { filterType: "PUBLIC_KEY", filterValue: newKey().publicKey }),
  ],
  ["the API, large ones of keys that nobody has registered", () => large(newKey())],
  ["the API, small ones of keys that nobody has registered", () => small(newKey())],
];

test.each(late)(
  "bodies that come after a turn has ended, to %s, wait for another turn",
  async (_, stranger) => {
    const port = await listenHere();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const strangers: Line[] = [];
    for (let i = 0; i < STRANGERS; i++) {
      strangers.push(await ask(port, `203.0.113.${i}`, { ...stranger(), isLate: true }));
    }
    // Each of them has a turn, and loses it.
    for (let i = 0; i < STRANGERS; i++) {
      await pause(30);
      vi.advanceTimersByTime(10);
    }
    // All turns are taken, and none ends while the timers stand still.
    for (let i = 0; i < 3; i++)
      await ask(port, `192.0.2.${i}`, { ...small(newKey()), isLate: true });
    await pause(100);
    for (const { sendBody } of strangers) sendBody();
    await pause(700);
    const answered = () => strangers.filter(({ text }) => text() !== "").length;
    expect(answered()).toBe(0);
    const areAllAnswered = await until(() => {
      vi.advanceTimersByTime(10);
      return answered() === STRANGERS;
    });
    expect(areAllAnswered).toBe(true);
  },
);

test("large requests that wait for their organization's pace keep no newcomer out", async () => {
  const port = await listenHere();
  const pace = { perSecond: 1, atOnce: 1 };
  const limits = { organization: pace, subOrganizations: pace, signups: pace, waitMs: 1e9 };
  server.host.largeRequests = createLargeRequests(limits);
  expect(await newcomerBeside(port, () => large(family.rootKey))).toBe(true);
});

test("large requests that are refused because they come too fast keep no newcomer out", async () => {
  const port = await listenHere();
  const pace = { perSecond: 1, atOnce: 1 };
  const limits = { organization: pace, subOrganizations: pace, signups: pace, waitMs: 0 };
  server.host.largeRequests = createLargeRequests(limits);
  // That the organization has no room must be known, and that the key has sent from there. The first one takes the room.
  for (let i = -1; i < STRANGERS; i++) {
    const earlier = await ask(port, `203.0.113.${Math.max(i, 0)}`, large(family.rootKey));
    expect(await until(() => earlier.text() !== "")).toBe(true);
  }
  expect(await newcomerBeside(port, () => large(family.rootKey))).toBe(true);
});

test("sign-ups that wait for another one with the same key keep no newcomer out", async () => {
  const open = await newProxyFamily(server);
  const port = await listenHere();
  const { signer } = server.host;
  const { call: callSigner } = signer;
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  signer.call = async (...args) => {
    await isOver;
    return callSigner(...args);
  };
  try {
    const body = { apiKeys: [apiKey(newKey())], authenticators: [], oauthProviders: [] };
    expect(await newcomerBeside(port, () => call("signup_v2", body, open))).toBe(true);
  } finally {
    end();
    signer.call = callSigner;
  }
});
