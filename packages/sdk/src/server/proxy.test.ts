import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { gzipSync } from "node:zlib";
import { newOrganization, type TestOrganization } from "@keyhearth/api/testing";
import express from "express";
import { Hono } from "hono";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { KeyhearthClient } from "../client.ts";
import { newApiKey, startPeer } from "../peer.testing.ts";
import {
  expressProxyHandler,
  honoProxyHandler,
  NodeApiKeyStamper,
  proxyHandler,
} from "../server.ts";
import { type Listening, listen, listenWeb, proxies } from "./proxies.testing.ts";

const allow = ["query/whoami", "submit/create_wallet", "submit/sign_raw_payload"] as const;

let organization: TestOrganization;
let service: Listening;
/** The paths that reached the service. */
let reached: string[] = [];
let stamper: NodeApiKeyStamper;

const open: { stop(): Promise<void> }[] = [];
function keep<T extends { stop(): Promise<void> }>(started: T): T {
  open.push(started);
  return started;
}

beforeAll(async () => {
  organization = await newOrganization();
  const { publicKey, privateKey } = organization.rootKey;
  stamper = new NodeApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  service = await listenWeb((request) => {
    reached.push(new URL(request.url).pathname);
    return organization.server.fetch(request);
  });
});

afterAll(() => service.stop());

afterEach(async () => {
  reached = [];
  await Promise.all(open.splice(0).map((started) => started.stop()));
});

type Sent = { method?: string; headers?: Record<string, string>; body?: BodyInit | null };

/** Posts a stamped query through a proxy, as far as the test does not change it. */
async function send(url: string, path: string, { method = "POST", headers, body }: Sent = {}) {
  const text = JSON.stringify({ organizationId: organization.organizationId });
  const { name, value } = await stamper.stamp(text);
  // The types do not know `duplex`, which streams need.
  const init: RequestInit & { duplex: "half" } = {
    method,
    headers: { "Content-Type": "application/json", [name]: value, ...headers },
    duplex: "half",
    ...(method === "GET" ? {} : { body: body === undefined ? text : body }),
  };
  const response = await fetch(url + path, init);
  const answer = await response.text();
  return { status: response.status, headers: response.headers, answer: parse(answer) };
}

function parse(text: string): unknown {
  return text === "" ? null : JSON.parse(text);
}

const whoami = "/keyhearth/public/v1/query/whoami";

const refused = (code: string) => ({
  code: expect.any(Number),
  message: expect.any(String),
  details: [{ "@type": "keyhearth.dev/ErrorDetail", code }],
});

describe.each(Object.entries(proxies))("through %s,", (name, start) => {
  const isBuffered = name.includes("express.raw");

  test("a client signs as it does without a proxy", async () => {
    const proxy = keep(await start({ baseUrl: service.url, allow }));
    const { organizationId } = organization;
    const baseUrl = `${proxy.url}/keyhearth`;
    const client = new KeyhearthClient({ baseUrl, organizationId, stamper });
    const { addresses } = await client.createWallet({
      walletName: `proxied by ${name}`,
      accounts: [
        {
          curve: "CURVE_SECP256K1",
          pathFormat: "PATH_FORMAT_BIP32",
          path: "m/44'/60'/0'/0/0",
          addressFormat: "ADDRESS_FORMAT_ETHEREUM",
        },
      ],
    });
    const message = {
      signWith: addresses[0] ?? "",
      payload: "häuser ✓",
      encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
      hashFunction: "HASH_FUNCTION_KECCAK256",
    } as const;
    const { r, s, v } = await client.signRawPayload(message);
    // Signatures are deterministic.
    expect(await organization.root.signRawPayload(message)).toMatchObject({ r, s, v });
    expect(reached).toEqual(["create_wallet", "sign_raw_payload"].map(submitPath));
  });

  test("the exact bytes arrive, and altered ones do not count", async () => {
    const proxy = keep(await start({ baseUrl: service.url, allow }));
    const body = `{\n  "organizationId" : "${organization.organizationId}"  }\n`;
    const { value } = await stamper.stamp(body);
    const headers = { "X-Stamp": value };
    const exact = await send(proxy.url, whoami, { headers, body });
    expect(exact).toMatchObject({ status: 200, answer: { userId: organization.userId } });
    expect(exact.headers.get("content-type")).toBe("application/json");
    const altered = await send(proxy.url, whoami, { headers, body: body.trim() });
    expect(altered).toMatchObject({ status: 401, answer: { code: 16 } });
    expect(altered.answer).toMatchObject({ details: [{ code: "STAMP_INVALID" }] });
  });

  test("only the endpoints of the list are reached, and only by POST", async () => {
    const proxy = keep(await start({ baseUrl: service.url, allow }));
    for (const path of [
      "/keyhearth/public/v1/query/list_users",
      "/keyhearth/public/v1/query/whoami/",
      "/keyhearth/public/v1/query/whoami/x",
      "/keyhearth/public/v1/submit/whoami",
      "/keyhearth/public/v1/query/Whoami",
      "/keyhearth/public/v1/query/who%61mi",
      "/keyhearth/public/v1/query/whoami%2f..%2flist_users",
      "/keyhearth/public/v1/query/whoami/..%2flist_users",
      "/keyhearth/metrics",
      "/keyhearth/",
      "/keyhearth/x?/public/v1/query/whoami",
    ]) {
      const { status, answer } = await send(proxy.url, path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(answer).toEqual(refused("ROUTE_NOT_FOUND"));
    }
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const { status, headers, answer } = await send(proxy.url, whoami, { method });
      expect({ method, status }).toEqual({ method, status: 405 });
      expect(headers.get("allow")).toBe("POST");
      expect(answer).toEqual(refused("METHOD_NOT_ALLOWED"));
    }
    expect(reached).toEqual([]);
    // The query string is not part of the target.
    expect(await send(proxy.url, `${whoami}?next=x`)).toMatchObject({ status: 200 });
    expect(reached).toEqual(["/public/v1/query/whoami"]);
  });

  test("a body above the limit is refused before the service sees it", async () => {
    const proxy = keep(await start({ baseUrl: service.url, allow, maxBodyBytes: 1000 }));
    // Some servers close a connection whose request they did not read to its end.
    const headers = { Connection: "close" };
    const stated = await send(proxy.url, whoami, { headers, body: " ".repeat(1_000_000) });
    expect(stated).toMatchObject({ status: 413, answer: refused("BODY_TOO_LARGE") });
    const chunks = new Blob([" ".repeat(50_000)]).stream();
    const chunked = await send(proxy.url, whoami, { headers, body: chunks });
    expect(chunked).toMatchObject({ status: 413, answer: refused("BODY_TOO_LARGE") });
    expect(reached).toEqual([]);
    expect(await send(proxy.url, whoami)).toMatchObject({ status: 200 });
  });

  test("a request without a stamp is refused, and so is a compressed one", async () => {
    const proxy = keep(await start({ baseUrl: service.url, allow }));
    const response = await fetch(proxy.url + whoami, { method: "POST", body: "{}" });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual(refused("STAMP_MISSING"));
    const compressed = await send(proxy.url, whoami, {
      headers: { "Content-Encoding": "gzip" },
      body: new Uint8Array(gzipSync("{}")),
    });
    expect(compressed).toMatchObject({ status: 400, answer: refused("BAD_REQUEST_BODY") });
    expect(reached).toEqual([]);
  });

  test("only stamps are forwarded, and the client's address only if that is wanted", async () => {
    const peer = keep(await startPeer({ json: {} }, { json: {} }, { json: {} }));
    const headers = {
      Cookie: "sid=secret",
      Authorization: "Bearer secret",
      "X-Forwarded-For": "6.6.6.6",
      "X-Stamp-Webauthn": "w",
      "X-Stamp-Attested": "a",
      "X-Session": "s",
    };
    for (const address of [undefined, "203.0.113.7", "6.6.6.6\r\nX-Evil: 1"]) {
      const more = address === undefined ? {} : { address };
      const proxy = keep(await start({ baseUrl: peer.url, allow, ...more }));
      expect(await send(proxy.url, whoami, { headers })).toMatchObject({ status: 200 });
    }
    const [without, withAddress, withNonsense] = peer.received.map((received) => received.headers);
    expect(Object.keys(without ?? {}).sort()).toEqual([
      "accept",
      "accept-encoding",
      "accept-language",
      "connection",
      "content-length",
      "content-type",
      "host",
      "sec-fetch-mode",
      "user-agent",
      "x-session",
      "x-stamp",
      "x-stamp-attested",
      "x-stamp-webauthn",
    ]);
    expect(withAddress).toMatchObject({ "x-forwarded-for": "203.0.113.7" });
    expect(withNonsense).not.toHaveProperty("x-forwarded-for");
    expect(JSON.stringify(peer.received)).not.toMatch(/secret|6\.6\.6\.6|evil/i);
  });

  test("errors of the service come back with their status and Retry-After", async () => {
    const json = { code: 8, message: "slow down", details: [{ code: "RATE_LIMITED" }] };
    const peer = keep(
      await startPeer({ status: 429, headers: { "Retry-After": "7", "Set-Cookie": "a=b" }, json }),
    );
    const proxy = keep(await start({ baseUrl: peer.url, allow }));
    const { status, headers, answer } = await send(proxy.url, whoami);
    expect({ status, answer }).toEqual({ status: 429, answer: json });
    expect(headers.get("retry-after")).toBe("7");
    expect(headers.get("set-cookie")).toBeNull();
  });

  test("what is no answer of the service becomes an error in its shape", async () => {
    const elsewhere = keep(await startPeer({ json: { secret: "of another host" } }));
    const Location = `${elsewhere.url}/`;
    const peer = keep(
      await startPeer(
        { status: 307, headers: { Location }, json: {} },
        { text: "<html>inner page</html>", headers: { "Content-Type": "text/html" } },
        { status: 503, text: "nginx", headers: { "Content-Type": "text/html" } },
        "close",
      ),
    );
    const proxy = keep(await start({ baseUrl: peer.url, allow }));
    for (const code of ["ANSWER_INVALID", "ANSWER_INVALID", "ANSWER_INVALID"]) {
      const { status, answer } = await send(proxy.url, whoami);
      expect({ status, answer }).toEqual({ status: 502, answer: refused(`PROXY_${code}`) });
    }
    expect(elsewhere.received).toEqual([]);
    const lost = await send(proxy.url, whoami);
    expect(lost).toMatchObject({ status: 502, answer: refused("PROXY_SERVICE_UNREACHABLE") });
    expect(lost.headers.get("retry-after")).toBe("1");
    expect(JSON.stringify(lost.answer)).not.toContain(new URL(peer.url).port);
  });

  test("a slow service gives 504, and a slow client 408", async () => {
    const peer = keep(await startPeer("hang"));
    const proxy = keep(await start({ baseUrl: peer.url, allow, timeoutMs: 500 }));
    const slow = await send(proxy.url, whoami);
    expect(slow).toMatchObject({ status: 504, answer: refused("PROXY_SERVICE_TIMEOUT") });
    if (isBuffered) return;
    const { status, answer } = await sendHalf(proxy.url + whoami);
    expect({ status, answer }).toEqual({ status: 408, answer: refused("PROXY_BODY_TIMEOUT") });
    expect(peer.received).toHaveLength(1);
  });

  test("if the client goes away, the request to the service is aborted", async () => {
    let onAsked = () => {};
    const asked = new Promise<void>((resolve) => {
      onAsked = resolve;
    });
    let onLost = () => {};
    const lost = new Promise<void>((resolve) => {
      onLost = resolve;
    });
    const hanging = keep(
      await listen((request) => {
        onAsked();
        request.socket.once("close", onLost);
      }),
    );
    const proxy = keep(await start({ baseUrl: hanging.url, allow }));
    const leaving = new AbortController();
    const { name: header, value } = await stamper.stamp("{}");
    const answer = fetch(proxy.url + whoami, {
      method: "POST",
      headers: { [header]: value },
      body: "{}",
      signal: leaving.signal,
    });
    await asked;
    leaving.abort();
    await expect(answer).rejects.toThrow("aborted");
    await lost;
  });
});

function submitPath(name: string): string {
  return `/public/v1/submit/${name}`;
}

/** Sends the half of a body and waits for an answer. */
async function sendHalf(url: string) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { "X-Stamp": "x", "Content-Length": "100" };
  const half: ClientRequest = httpRequest(url, { method: "POST", headers }, resolve);
  half.on("error", reject);
  half.write("{");
  const response = await promise;
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  half.destroy();
  return { status: response.statusCode, answer: parse(Buffer.concat(chunks).toString()) };
}

describe("a body that was parsed before the proxy got it is refused:", () => {
  const consumed = { status: 500, answer: refused("PROXY_BODY_CONSUMED") };

  test.each([
    ["express.json()", () => express.json()],
    ["express.text()", () => express.text({ type: () => true })],
  ])("by %s", async (_, parser) => {
    const app = express();
    app.use(parser());
    app.use("/keyhearth", expressProxyHandler({ baseUrl: service.url, allow }));
    const proxy = keep(await listen(app));
    const { status, answer } = await send(proxy.url, whoami);
    expect({ status, answer }).toEqual(consumed);
    expect(answer).toMatchObject({ message: expect.stringContaining("express.raw()") });
    expect(reached).toEqual([]);
  });

  test("by Hono, whose own copy may have other bytes", async () => {
    const app = new Hono();
    app.use(async (c, next) => {
      await c.req.json();
      await next();
    });
    app.all("/keyhearth/*", honoProxyHandler({ baseUrl: service.url, allow }));
    const proxy = keep(await listenWeb(async (request) => app.fetch(request)));
    const { status, answer } = await send(proxy.url, whoami);
    expect({ status, answer }).toEqual(consumed);
    expect(reached).toEqual([]);
  });

  test("but express.json() for other types of content does no harm", async () => {
    const app = express();
    app.use(express.json({ type: "application/vnd.other+json" }));
    app.use("/keyhearth", expressProxyHandler({ baseUrl: service.url, allow }));
    const proxy = keep(await listen(app));
    expect(await send(proxy.url, whoami)).toMatchObject({ status: 200 });
  });
});

test("an error of the application's own function reaches its error handler", async () => {
  const app = express();
  const clientAddress = () => {
    throw new Error("no address");
  };
  app.use("/keyhearth", expressProxyHandler({ baseUrl: service.url, allow, clientAddress }));
  const errors: unknown[] = [];
  const onError: express.ErrorRequestHandler = (error, _request, response, _next) => {
    errors.push(error);
    response.status(500).end("{}");
  };
  app.use(onError);
  const proxy = keep(await listen(app));
  expect(await send(proxy.url, whoami)).toMatchObject({ status: 500 });
  expect(errors).toEqual([new Error("no address")]);
  expect(reached).toEqual([]);
});

test("the SDK repeats a request whose proxy could not reach the service", async () => {
  const { organizationId } = organization;
  let attempts = 0;
  const handle = proxyHandler({
    baseUrl: service.url,
    allow,
    fetch: async (url, init) => {
      attempts++;
      if (attempts === 1) throw new TypeError("connection refused");
      return fetch(url, init);
    },
  });
  const client = new KeyhearthClient({
    baseUrl: "http://app.test/keyhearth",
    organizationId,
    stamper,
    fetch: (url, init) => handle(new Request(url, init)),
  });
  expect(await client.whoami()).toMatchObject({ organizationId });
  expect(attempts).toBe(2);
});

test("wrong options are refused, all at once", () => {
  const options = {
    baseUrl: "localhost:3000",
    allow: ["query/whoami", "whoami", "submit/*", "query/a/../b"],
    maxBodyBytes: 0,
    timeoutMs: -1,
  };
  // A program in plain JavaScript can pass anything.
  const make = () => proxyHandler(options as never);
  expect(make).toThrow(
    expect.objectContaining({
      name: "InvalidField",
      code: "INVALID_OPTION",
      fields: ["baseUrl", "allow[1]", "allow[2]", "allow[3]", "maxBodyBytes", "timeoutMs"].map(
        (field) => ({ field, message: expect.any(String) }),
      ),
    }),
  );
  const withPassword = { baseUrl: "http://user:pass@127.0.0.1", allow };
  expect(() => proxyHandler(withPassword)).toThrow("baseUrl must not have a user name");
  expect(() => proxyHandler({ baseUrl: service.url, allow: [] })).toThrow("allow must list");
});

test("a key that the service does not know is told so through the proxy", async () => {
  const proxy = keep(await (proxies.Hono ?? fail)({ baseUrl: service.url, allow }));
  const { organizationId } = organization;
  const baseUrl = `${proxy.url}/keyhearth`;
  const stranger = new NodeApiKeyStamper(newApiKey());
  const client = new KeyhearthClient({ baseUrl, organizationId, stamper: stranger });
  await expect(client.whoami()).rejects.toMatchObject({ name: "Unauthenticated" });
});

function fail(): never {
  throw new Error("there is no such proxy");
}
