import { Agent, request, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { AppOptions } from "@keyhearth/api/app";
import type { AddressRange } from "@keyhearth/api/config/config";
import { createAddressLimit, createClientAddress } from "@keyhearth/api/host/rate-limit";
import { arrivingOf, createHeldBytes } from "@keyhearth/api/http/held-bytes";
import { boundsFor } from "@keyhearth/api/http/open-connections";
import { createSite } from "@keyhearth/api/serve/site";
import { answerFromSite } from "@keyhearth/api/serve/site-route";
import { listen, serve } from "@keyhearth/api/start/listener";
import { appOf, newKey } from "@keyhearth/api/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Attacked,
  bytesOf,
  newVictim,
  newWallet,
  sign,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Somebody without any key sends what costs others more than it costs them. Requests come over real connections.

let server: Attacked;
let victim: Victim;
let address: string;
const listening: Server[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await startAttackedServer();
  victim = await newVictim(server);
  ({ address } = await newWallet(server, victim));
});

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const each of listening.splice(0)) {
    each.closeAllConnections();
    each.close();
  }
});

afterAll(() => server?.stop());

/** Strangers come through a documented proxy, so each has the address that the proxy names. */
const trustedProxies: AddressRange[] = [{ address: "127.0.0.1", prefix: 32, family: "ipv4" }];
const clientAddress = createClientAddress(trustedProxies);

async function open(options: Partial<AppOptions> = {}, bounds = boundsFor(null)): Promise<number> {
  const { log, metrics } = server.host;
  const at = { host: "127.0.0.1", port: 0, trustedProxies };
  const opened = await listen(at, { log, metrics }, bounds);
  listening.push(opened);
  const held = createHeldBytes({ arrivingOfAddress: arrivingOf(bounds) });
  const app = appOf(server.host, { clientAddress, held, ...options });
  serve(opened, app, { trustedProxies });
  return (opened.address() as AddressInfo).port;
}

type Line = { socket: Socket; text: () => string; closed: Promise<void> };

async function dial(port: number): Promise<Line> {
  const socket = connect(port, "127.0.0.1");
  sockets.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  socket.on("error", () => {});
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  return { socket, text: () => text, closed };
}

const get = (path: string, from = "203.0.113.7") =>
  `GET ${path} HTTP/1.1\r\nHost: keyhearth.test\r\nX-Forwarded-For: ${from}\r\n\r\n`;

/** The head of a request whose body follows, and perhaps never ends. */
function headOf(from: string, length: number | "chunked", stamp = stampOf(newKey(), "anything")) {
  const size = length === "chunked" ? "Transfer-Encoding: chunked" : `Content-Length: ${length}`;
  const lines = [
    "POST /public/v1/submit/create_wallet HTTP/1.1",
    "Host: keyhearth.test",
    `X-Forwarded-For: ${from}`,
    `${stamp.name}: ${stamp.value}`,
    size,
  ];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** What a client of ours does: a signature by a key of the organization. Returns the status. */
function signAt(port: number, from = "198.51.100.1", agent?: Agent): Promise<number> {
  const body = bytesOf(server, victim.organizationId, sign(address));
  const { name, value } = stampOf(victim.people[0].key, body);
  const path = "/public/v1/submit/sign_raw_payload";
  const headers = { [name]: value, "X-Forwarded-For": from };
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: "127.0.0.1", port, path, method: "POST", headers, agent },
      (response) => {
        response.resume().on("end", () => resolve(response.statusCode ?? 0));
      },
    );
    asked.on("error", reject).end(body);
  });
}

async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const statusesOf = ({ text }: Line) =>
  [...text().matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

test("a host that is none, or a target with a password, is refused and is no internal error", async () => {
  const pages = createSite({ buildDirectory: "/nowhere" });
  const port = await open({ site: (c) => answerFromSite(c, pages) });
  const logged = server.lines.length;
  for (const [target, host] of [
    ["/", "1.2.3.4.5"],
    [`http://a:b@c/${"x".repeat(10_000)}`, "keyhearth.test"],
  ]) {
    for (const method of ["GET", "POST", "TRACE"]) {
      const line = await dial(port);
      line.socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      await until(() => statusesOf(line).length > 0);
      expect([method, host, ...statusesOf(line)]).toEqual([method, host, 400]);
    }
  }
  expect(server.lines.slice(logged)).toEqual([]);
});

describe("on one connection,", () => {
  test("17,000 requests ahead of their answers end it, and almost none of them is worked on", async () => {
    let asked = 0;
    const isReady = async () => {
      asked += 1;
      return { ready: true, reasons: [] };
    };
    const port = await open({ isReady });
    const line = await dial(port);
    line.socket.write(get("/readyz").repeat(17_000));
    await line.closed;
    expect(await signAt(port)).toBe(200);
    expect(asked).toBeLessThanOrEqual(33);
  });

  test("requests ahead of their answers are worked on one at a time, and answered in order", async () => {
    let underWay = 0;
    let most = 0;
    const isReady = async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 2));
      underWay -= 1;
      return { ready: false, reasons: [] };
    };
    const port = await open({ isReady });
    const line = await dial(port);
    for (let i = 0; i < 3; i++) {
      line.socket.write(get("/readyz").repeat(10) + get("/healthz"));
      await until(() => statusesOf(line).length === 11 * (i + 1));
    }
    const round = [...Array.from({ length: 10 }, () => 503), 200];
    expect(statusesOf(line)).toEqual([...round, ...round, ...round]);
    expect(most).toBe(1);
  });

  test("a request that expects something is answered once, and ends it", async () => {
    const port = await open();
    const expecting = get("/healthz").replace("\r\n\r\n", "\r\nExpect: something\r\n\r\n");
    const one = await dial(port);
    one.socket.write(expecting);
    await one.closed;
    expect(statusesOf(one)).toEqual([417]);
    expect(one.text()).toMatch(/\r\nConnection: close\r\n/i);
    expect(one.text()).toContain('"message":"the service has no expectation but 100-continue;');
    const many = await dial(port);
    many.socket.write(expecting.repeat(17_000));
    await many.closed;
    expect(statusesOf(many).length).toBeLessThanOrEqual(1);
    expect(await signAt(port)).toBe(200);
  });

  test("a request for an address that is none is answered once, and ends it", async () => {
    const port = await open();
    const unreadable = [
      "GET /x HTTP/1.1\r\nHost: a b\r\n\r\n",
      "GET /x\\y HTTP/1.1\r\nHost: keyhearth.test\r\n\r\n",
      "POST http:// HTTP/1.1\r\nHost: keyhearth.test\r\nContent-Length: 2\r\n\r\n{}",
      "GET /x HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    ];
    for (const head of unreadable) {
      const one = await dial(port);
      one.socket.write(head);
      await one.closed;
      expect([head, ...statusesOf(one)]).toEqual([head, 400]);
      expect(one.text()).toMatch(/\r\nConnection: close\r\n/i);
      expect(one.text()).toContain(
        '"message":"the request\'s target and its Host header are not an address;',
      );
    }
    const many = await dial(port);
    many.socket.write(unreadable[0]?.repeat(17_000) ?? "");
    await many.closed;
    expect(statusesOf(many).length).toBeLessThanOrEqual(1);
    expect(await signAt(port)).toBe(200);
  });

  test("a client's connections are kept, and 50 requests at once are all served", async () => {
    const port = await open();
    let connections = 0;
    listening[0]?.on("connection", () => {
      connections += 1;
    });
    // It opens no more than it needs, and new ones only in place of those that the service has ended.
    const agent = new Agent({ keepAlive: true, maxSockets: 50 });
    for (let i = 0; i < 3; i++) {
      const signing = Array.from({ length: 50 }, () => signAt(port, undefined, agent));
      expect(new Set(await Promise.all(signing))).toEqual(new Set([200]));
    }
    expect(connections).toBeLessThan(100);
    agent.destroy();
  });
});

describe("a body", () => {
  const endless: [name: string, chunk: string, status: number][] = [
    ["in chunks of a byte", "1\r\n{\r\n", 400],
    ["without a stated length and without an end", `4000\r\n${"{".repeat(0x4000)}\r\n`, 413],
  ];

  test.each(endless)("%s ends its connection", async (_, chunk, status) => {
    const port = await open();
    const line = await dial(port);
    line.socket.write(headOf("203.0.113.7", "chunked"));
    let sent = 0;
    const writing = setInterval(() => {
      sent += 1;
      line.socket.write(chunk.repeat(Math.ceil(60_000 / chunk.length)));
    }, 1);
    await line.closed;
    clearInterval(writing);
    // A connection that ends while its client still sends may lose the answer.
    expect([[], [status]]).toContainEqual(statusesOf(line));
    expect(sent).toBeLessThan(500);
    expect(await signAt(port)).toBe(200);
  });

  test("without a stated length that is large is refused, and its sender learns why", async () => {
    const port = await open();
    const line = await dial(port);
    const chunk = `4000\r\n${"{".repeat(0x4000)}\r\n`;
    line.socket.write(`${headOf("203.0.113.7", "chunked")}${chunk.repeat(3)}0\r\n\r\n`);
    await until(() => line.text().includes("}"));
    expect(statusesOf(line)).toEqual([413]);
    expect(line.text()).toMatch(/does not state its length; send it with Content-Length/);
  });

  test("that nobody asked for does not go on after the answer", async () => {
    const port = await open();
    const line = await dial(port);
    line.socket.write(
      get("/healthz").replace("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n"),
    );
    const writing = setInterval(() => line.socket.write("1\r\n{\r\n"), 1);
    await line.closed;
    clearInterval(writing);
    expect(statusesOf(line)).toEqual([200]);
  });

  test("that stalls is cut once its sender has too many of them, and nobody else's is", async () => {
    const port = await open();
    const other = await dial(port);
    other.socket.write(`${headOf("203.0.113.8", 1000)}{`);
    const stalled: Line[] = [];
    for (let i = 0; i < 600; i++) {
      const line = await dial(port);
      line.socket.write(`${headOf("203.0.113.7", 1000)}{`);
      stalled.push(line);
    }
    const cut = () => stalled.filter((line) => statusesOf(line)[0] === 429).length;
    await until(() => cut() >= 600 - 512);
    expect(await signAt(port)).toBe(200);
    expect(await signAt(port, "203.0.113.7")).toBe(200);
    expect(statusesOf(other)).toEqual([]);
    expect(cut()).toBeLessThan(100);
  }, 30_000);

  test("of a megabyte that stalls holds 32 MiB of an address at most", async () => {
    const port = await open();
    // The stamp names a key that is registered here, which anybody may know.
    const stamp = stampOf(victim.people[0].key, "anything");
    const part = "{".repeat(900_000);
    const stalled = await Promise.all(Array.from({ length: 60 }, () => dial(port)));
    for (const line of stalled) line.socket.write(headOf("203.0.113.7", 1024 * 1024, stamp) + part);
    const cut = () => stalled.filter((line) => statusesOf(line)[0] === 429).length;
    await until(() => cut() >= 60 - Math.floor((32 * 1024 * 1024) / 900_000));
    expect(await signAt(port)).toBe(200);
    expect(await signAt(port, "203.0.113.7")).toBe(200);
  }, 30_000);
});

describe("a head of 15 KB", () => {
  const fillers = Array.from({ length: 150 }, (_, i) => `X-Filler-${i}: ${"x".repeat(85)}\r\n`);
  const large = (request: string) => request.replace("Host:", `${fillers.join("")}Host:`);

  test("counts for its sender while the body stalls, with the memory that it takes", async () => {
    const port = await open();
    const stalled: Line[] = [];
    // The service accepts as many bodies of an address on their way.
    for (let i = 0; i < 500; i++) {
      const line = await dial(port);
      line.socket.write(large(headOf("203.0.113.7", 1000)));
      stalled.push(line);
    }
    const cut = () => stalled.filter((line) => statusesOf(line)[0] === 429).length;
    await until(() => cut() >= 30);
    expect(await signAt(port, "203.0.113.7")).toBe(200);
  }, 30_000);

  test("may be ahead of an answer, and two of them end the connection", async () => {
    let answer = () => {};
    const isReady = async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { ready: true, reasons: [] };
    };
    const port = await open({ isReady });
    const [one, two] = [await dial(port), await dial(port)];
    two.socket.write(get("/readyz") + large(get("/healthz")).repeat(2));
    await two.closed;
    one.socket.write(get("/readyz") + large(get("/healthz")));
    await until(() => {
      answer();
      return statusesOf(one).length === 2;
    });
    expect(statusesOf(one)).toEqual([200, 200]);
  });
});

describe("behind a proxy that streams, a few addresses", () => {
  const bounds = boundsFor(512);
  const addresses = Array.from({ length: 16 }, (_, i) => `203.0.113.${i}`);
  const honest = Array.from({ length: 8 }, (_, i) => `198.51.100.${i}`);

  /** As often as there can be connections, from all of them in turn. */
  async function fill(port: number, hold: (line: Line, from: string) => void): Promise<Line[]> {
    const lines: Line[] = [];
    for (let i = 0; i < bounds.most + 20; i++) {
      const line = await dial(port);
      hold(line, addresses[i % addresses.length] ?? "");
      lines.push(line);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    return lines;
  }

  const signAll = (port: number) => Promise.all(honest.map((from) => signAt(port, from)));

  test("whose bodies stall keep no other client out, nor cut its slow body", async () => {
    const port = await open({}, bounds);
    const slow = await dial(port);
    slow.socket.write(`${headOf("198.51.100.9", 1000)}{`);
    const stalled = await fill(port, (line, from) => {
      line.socket.write(`${headOf(from, 1000)}{`);
    });
    for (let i = 0; i < 3; i++) expect(new Set(await signAll(port))).toEqual(new Set([200]));
    expect(slow.socket.destroyed).toBe(false);
    expect(statusesOf(slow)).toEqual([]);
    expect(stalled.filter(({ socket }) => socket.destroyed).length).toBeGreaterThan(0);
  }, 30_000);

  test("that read no answers keep no other client out", async () => {
    // The same bytes for all: to encode them for each of five hundred answers takes a minute.
    const large = new Uint8Array(20_000_000);
    const port = await open({ site: (c) => c.body(large) }, bounds);
    await fill(port, ({ socket }, from) => {
      socket.pause();
      socket.write(get("/large", from));
    });
    for (let i = 0; i < 3; i++) expect(new Set(await signAll(port))).toEqual(new Set([200]));
  }, 60_000);

  test("have no more bodies on their way than an address may have connections", async () => {
    const port = await open({}, bounds);
    const stalled: Line[] = [];
    for (let i = 0; i < 60; i++) {
      const line = await dial(port);
      line.socket.write(`${headOf("203.0.113.7", 1000)}{`);
      stalled.push(line);
    }
    const cut = () => stalled.filter((line) => statusesOf(line)[0] === 429).length;
    await until(() => cut() >= 60 - arrivingOf(bounds));
    expect(await signAt(port, "203.0.113.7")).toBe(200);
    expect(cut()).toBeLessThan(16);
  }, 30_000);
});

describe("limits on requests", () => {
  const others: [method: string, path: string][] = [
    ["GET", "/openapi.json"],
    ["GET", "/.well-known/keyhearth.json"],
    ["GET", "/public/v1/discovery/webhooks/jwks"],
    ["OPTIONS", "/public/v1/submit/create_wallet"],
    ["PUT", "/public/v1/nothing"],
    ["GET", "/quickstart"],
    ["POST", "/quickstart"],
  ];

  test.each(others)("count %s %s too, for an IPv6 site and its networks", async (method, path) => {
    const nowMs = Date.now();
    server.host.now = () => nowMs;
    const otherRequestsLimit = createAddressLimit({ name: "other", perSecond: 2 });
    const forwarded: (from: string | undefined) => string = (from) => from ?? "";
    const app = appOf(server.host, {
      otherRequestsLimit,
      clientAddress: (_, forwardedFor) => forwarded(forwardedFor),
    });
    const ask = async (from: string) => {
      const headers = { "X-Forwarded-For": from };
      return (await app.request(`http://keyhearth.test${path}`, { method, headers })).status;
    };
    expect(await ask("203.0.113.7")).not.toBe(429);
    expect(await ask("203.0.113.7")).not.toBe(429);
    expect(await ask("203.0.113.7")).toBe(429);
    expect(await ask("203.0.113.8")).not.toBe(429);
    for (let i = 0; i < 16; i++) expect(await ask(`2001:db8:7:${i}::1`)).not.toBe(429);
    expect(await ask("2001:db8:7:99::1")).toBe(429);
  });

  test("keep no orchestrator from asking whether the service is alive", async () => {
    const nowMs = Date.now();
    server.host.now = () => nowMs;
    const otherRequestsLimit = createAddressLimit({ name: "other", perSecond: 1 });
    const app = appOf(server.host, { otherRequestsLimit });
    for (let i = 0; i < 5; i++) {
      expect((await app.request("http://keyhearth.test/healthz")).status).toBe(200);
      expect((await app.request("http://keyhearth.test/readyz")).status).toBe(200);
    }
  });
});

describe("two hundred connections of 50 addresses, with requests that nobody has stamped,", () => {
  const WORK_MS = 0.5;
  let asked = 0;

  /** Each asks again as soon as it is answered. */
  async function openAttacked(): Promise<number> {
    asked = 0;
    return open({
      async site() {
        asked += 1;
        const endsAt = performance.now() + WORK_MS;
        while (performance.now() < endsAt);
        return new Response("a page");
      },
    });
  }

  async function attack(port: number) {
    for (let i = 0; i < 200; i++) {
      const line = await dial(port);
      const request = get("/faq", `203.0.113.${i % 50}`);
      line.socket.on("data", () => line.socket.write(request));
      line.socket.write(request);
    }
    await until(() => asked > 500);
  }

  /** How many of the strangers' requests were worked on meanwhile. */
  async function askedDuring(work: () => Promise<number>): Promise<number> {
    const before = asked;
    expect(await work()).toBe(200);
    return asked - before;
  }

  test("let pass those of a client whose stamp was verified lately", async () => {
    const port = await openAttacked();
    expect(await signAt(port)).toBe(200);
    await attack(port);
    const counts: number[] = [];
    for (let i = 0; i < 3; i++) counts.push(await askedDuring(() => signAt(port)));
    expect(Math.min(...counts)).toBeLessThan(200);
  }, 60_000);

  test("have turns with a client whom nobody knows yet, address by address", async () => {
    const port = await openAttacked();
    await attack(port);
    const counts: number[] = [];
    for (let i = 1; i <= 3; i++) {
      counts.push(await askedDuring(() => signAt(port, `198.51.100.${i}`)));
    }
    expect(Math.min(...counts)).toBeLessThan(300);
  }, 60_000);
});

test("forged stamps with a registered key have turns, from however many addresses they come", async () => {
  const port = await open();
  const { signer } = server.host;
  const { call } = signer;
  let atOnce = 0;
  let most = 0;
  let asked = 0;
  // Without a turn, dozens would be at a signer that takes this long.
  signer.call = async (...args) => {
    asked += 1;
    most = Math.max(most, ++atOnce);
    await new Promise((resolve) => setTimeout(resolve, 50));
    return call(...args).finally(() => {
      atOnce -= 1;
    });
  };
  try {
    const body = bytesOf(server, victim.organizationId, sign(address));
    const { name, value } = stampOf(victim.people[0].key, "other bytes");
    const lines = await Promise.all(Array.from({ length: 60 }, () => dial(port)));
    for (const [i, line] of lines.entries()) {
      const head = [
        "POST /public/v1/submit/sign_raw_payload HTTP/1.1",
        "Host: keyhearth.test",
        `X-Forwarded-For: 203.0.113.${i}`,
        `${name}: ${value}`,
        `Content-Length: ${body.length}`,
      ];
      line.socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
    }
    await until(() => asked >= 60);
    expect(most).toBeLessThan(15);
  } finally {
    signer.call = call;
  }
}, 30_000);

const head = (more: string, first = "GET /healthz HTTP/1.1") =>
  `${first}\r\nHost: keyhearth.test\r\nX-Forwarded-For: 203.0.113.7\r\n${more}\r\n`;
const chunked = "POST /public/v1/query/whoami HTTP/1.1";

test.each<[what: string, status: number, sent: string]>([
  ["something else than HTTP", 400, "\x16\x03\x01\x02\x00\x01\x00\r\n\r\n"],
  ["a version of HTTP that is none", 400, head("", "GET /healthz HTTP/9.9")],
  ["a header without a name", 400, head(": x\r\n")],
  ["two lengths", 400, head("Content-Length: 1\r\nContent-Length: 2\r\n", chunked)],
  ["no Host", 400, "GET /healthz HTTP/1.1\r\n\r\n"],
  ["a Host that is none", 400, "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"],
  ["an expectation", 417, head("Expect: something\r\n")],
  ["a long head", 431, head(`X-Long: ${"x".repeat(17_000)}\r\n`)],
  ["a long target", 431, head("", `GET /${"x".repeat(17_000)} HTTP/1.1`)],
  ["250 headers", 431, head("A: \r\n".repeat(250))],
  ["2,500 headers", 431, head("A: \r\n".repeat(2500))],
  [
    "a long extension of a chunk",
    413,
    `${head("Transfer-Encoding: chunked\r\n", chunked)}1;${"x".repeat(17_000)}\r\nx\r\n`,
  ],
])("what no route sees is refused as an error that no cache keeps: %s", async (_, status, sent) => {
  const port = await open();
  const line = await dial(port);
  line.socket.write(sent);
  await line.closed;
  expect(statusesOf(line)).toEqual([status]);
  expectLastWords(line.text());
});

test("what follows a HEAD and is no request is refused without a body, which the HEAD could not have", async () => {
  const port = await open();
  const line = await dial(port);
  line.socket.write(
    `${head("", "HEAD /public/v1/query/whoami HTTP/1.1")}{"not":"a request"}\r\n\r\n`,
  );
  await line.closed;
  const [first] = statusesOf(line);
  expect([400, 405]).toContain(first);
  expect(line.text()).not.toContain("{");
});

/** An error in the form of all others, and the end of the connection. */
function expectLastWords(text: string) {
  const [lines = "", body = ""] = text.split("\r\n\r\n");
  const headers = new Map(
    lines.split("\r\n").map((line) => {
      const [name = "", value = ""] = line.split(": ");
      return [name.toLowerCase(), value];
    }),
  );
  expect(Object.fromEntries(headers)).toMatchObject({
    connection: "close",
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "access-control-allow-origin": "*",
  });
  // It may come in a chunk.
  expect(JSON.parse(body.slice(body.indexOf("{"), body.lastIndexOf("}") + 1))).toMatchObject({
    code: expect.any(Number),
    message: expect.any(String),
    details: [{ code: expect.any(String) }],
  });
}

test("very many headers get no answer but 431, and the service does not keep them", async () => {
  const port = await open();
  const asked = async (count: number) => {
    const line = await dial(port);
    const head = `GET /readyz HTTP/1.1\r\nHost: keyhearth.test\r\n${"A: \r\n".repeat(count)}`;
    line.socket.write(`${head}X-Forwarded-For: 203.0.113.7\r\n\r\n`);
    await until(() => line.text().includes("\r\n\r\n"));
    return line;
  };
  for (const count of [250, 1100, 2500]) {
    const line = await asked(count);
    await line.closed;
    expect(line.text()).toMatch(/^HTTP\/1.1 431 /);
    expect(line.text()).toContain("send fewer");
  }
  expect((await asked(150)).text()).toMatch(/^HTTP\/1.1 200 /);
});

test("the keys of webhooks are asked of the signer once, however many strangers want them", async () => {
  const { signer } = server.host;
  const { call } = signer;
  let calls = 0;
  const app = appOf(server.host);
  signer.call = (...args) => {
    calls += 1;
    return call(...args);
  };
  try {
    const url = "http://keyhearth.test/public/v1/discovery/webhooks/jwks";
    const answers = await Promise.all(Array.from({ length: 50 }, () => app.request(url)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(await Promise.all(answers.map((each) => each.text()))).size).toBe(1);
    expect(calls).toBeLessThanOrEqual(1);
  } finally {
    signer.call = call;
  }
});

test("what caches keep for everybody says nothing of who asked for it", async () => {
  const rateLimit = createAddressLimit({ name: "address", perSecond: 60 });
  const port = await open({ rateLimit });
  const url = `http://127.0.0.1:${port}/public/v1/discovery/webhooks/jwks`;
  const { headers } = await fetch(url, { headers: { "X-Forwarded-For": "203.0.113.77" } });
  expect(headers.get("cache-control")).toMatch(/^public/);
  expect(JSON.stringify([...headers])).not.toContain("203.0.113.77");
  expect([...headers.keys()].filter((name) => /rate-?limit/.test(name))).toEqual([]);
});
