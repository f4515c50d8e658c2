import { EventEmitter } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createOriginOf } from "../host/rate-limit.ts";
import { type Bounds, boundsFor, type Cut, OpenConnections } from "./open-connections.ts";

// Over real connections of this machine, each of which has the address that its test gives it.

const originOf = createOriginOf([
  { address: "10.0.0.0", prefix: 8, family: "ipv4" },
  { address: "2001:db8:ffff::1", prefix: 128, family: "ipv6" },
]);

let server: Server;
let connections: OpenConnections;
let cuts: Cut[];
let nowMs: number;
/** Of the next connections. One without an address is not given to the bounds. */
let addresses: string[];
/** How many connections there were, each time after one was opened. */
let counts: number[];
const clients: Socket[] = [];

beforeEach(() => {
  cuts = [];
  nowMs = 0;
  addresses = [];
  counts = [];
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.close();
});

async function listen(bounds: Bounds) {
  connections = new OpenConnections(bounds, {
    onCut: (cut) => cuts.push(cut),
    clientOf: ({ headers }) => String(headers["x-forwarded-for"] ?? "10.1.2.3"),
    now: () => nowMs,
  });
  server = createServer();
  server.on("connection", (socket) => {
    const address = addresses.shift();
    if (address !== undefined) connections.open(socket, originOf(address));
    counts.push(connections.count);
  });
  server.on("request", (request, response) => connections.begin(request, response));
  server.on("request", (request, response) => {
    if (request.url === "/slow") return;
    response.end(request.url === "/large" ? Buffer.alloc(20_000_000) : "done");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
}

type Client = { socket: Socket; name: string; isOpen: () => boolean; text: () => string };

async function dial(address: string, sends = ""): Promise<Client> {
  addresses.push(address);
  const accepted = new Promise<void>((resolve) => server.once("connection", () => resolve()));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  clients.push(socket);
  let text = "";
  let isOpen = true;
  socket.on("error", () => {});
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("close", () => {
    isOpen = false;
  });
  await accepted;
  if (sends !== "") await send(socket, sends);
  return { socket, name: address, isOpen: () => isOpen, text: () => text };
}

/** Returns once the server has read it. */
async function send(socket: Socket, text: string) {
  await new Promise<void>((resolve) => socket.write(text, () => resolve()));
  await new Promise((resolve) => setTimeout(resolve, 30));
}

async function expectOpen(open: Client[], closed: Client[]) {
  await expect.poll(() => closed.map((client) => client.isOpen())).toEqual(closed.map(() => false));
  expect(open.map((client) => client.isOpen())).toEqual(open.map(() => true));
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
const halfBody = "POST /slow HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\n{";

describe("beyond the bound of an address,", () => {
  const bounds = { most: 100, mostOfAddress: 3 };

  test("its oldest connection without a request goes, and no other address's", async () => {
    await listen(bounds);
    const other = await dial("203.0.113.1");
    const silent = await dial("203.0.113.7");
    const half = await dial("203.0.113.7", "GET / HT");
    const busy = await dial("203.0.113.7", get("/slow"));
    const newest = await dial("203.0.113.7");
    await expectOpen([other, half, busy, newest], [silent]);
    expect(cuts).toEqual([
      { bound: "address", address: "203.0.113.7", connections: 4, addresses: 2 },
    ]);
    const another = await dial("203.0.113.7");
    await expectOpen([other, busy, newest, another], [silent, half]);
    expect(counts).toEqual([1, 2, 3, 4, 4, 4]);
  });

  test("idle counts from the last answer", async () => {
    await listen(bounds);
    const first = await dial("203.0.113.7");
    const second = await dial("203.0.113.7");
    const third = await dial("203.0.113.7");
    await send(first.socket, get("/"));
    expect(first.text()).toContain("done");
    const fourth = await dial("203.0.113.7");
    await expectOpen([first, third, fourth], [second]);
    await dial("203.0.113.7");
    await expectOpen([first, fourth], [third]);
    await dial("203.0.113.7");
    await expectOpen([fourth], [first]);
  });

  test("one is busy until the last of its requests is answered", async () => {
    await listen(bounds);
    const busy = await dial("203.0.113.7", get("/") + get("/slow"));
    expect(busy.text()).toContain("done");
    const idle = await dial("203.0.113.7", get("/") + get("/"));
    const later = [];
    for (let i = 0; i < 3; i++) later.push(await dial("203.0.113.7"));
    const [oldest, ...others] = later as [Client, ...Client[]];
    await expectOpen([busy, ...others], [idle, oldest]);
  });

  test("those that have ended leave their places", async () => {
    await listen(bounds);
    for (let i = 0; i < 9; i++) {
      const address = `203.0.113.${i % 2}`;
      const client = await dial(address, i % 3 === 0 ? "" : get(i % 3 === 1 ? "/" : "/slow"));
      client.socket.destroy();
      await expect.poll(() => connections.count).toBe(0);
    }
    for (let i = 0; i < 4; i++) await dial("203.0.113.7");
    expect(cuts).toEqual([
      { bound: "address", address: "203.0.113.7", connections: 4, addresses: 1 },
    ]);
  });

  test("a new one goes if the others are worked on", async () => {
    await listen(bounds);
    const busy = [];
    for (let i = 0; i < 3; i++) busy.push(await dial("203.0.113.7", get("/slow")));
    const newest = await dial("203.0.113.7");
    await expectOpen(busy, [newest]);
  });

  test("a trusted proxy has none", async () => {
    await listen(bounds);
    const through = [];
    for (let i = 0; i < 6; i++) through.push(await dial("10.1.2.3"));
    for (let i = 0; i < 6; i++) through.push(await dial("::ffff:10.1.2.3"));
    for (let i = 0; i < 6; i++) through.push(await dial("2001:db8:ffff::1"));
    // Its neighbours count for themselves.
    const near = [];
    for (let i = 0; i < 4; i++) near.push(await dial("2001:db8:ffff::2"));
    const [oldest, ...others] = near as [Client, ...Client[]];
    await expectOpen([...through, ...others], [oldest]);
  });

  test("all networks of an IPv6 site count together, and its largest network loses", async () => {
    await listen(bounds);
    const small = await dial("2001:db8:7:1::1");
    const large = [await dial("2001:db8:7:2::1"), await dial("2001:db8:7:2::2")] as const;
    const elsewhere = await dial("2001:db8:8:2::2");
    const newest = await dial("2001:db8:7:3::1");
    await expectOpen([small, large[1], elsewhere, newest], [large[0]]);
    expect(cuts).toEqual([
      { bound: "address", address: "2001:db8:7/48", connections: 4, addresses: 2 },
    ]);
  });

  test("a network's size counts what is worked on too", async () => {
    await listen({ most: 100, mostOfAddress: 5 });
    const busy = [];
    for (let i = 0; i < 2; i++) busy.push(await dial("2001:db8:7:1::1", get("/slow")));
    const small = [await dial("2001:db8:7:2::1"), await dial("2001:db8:7:2::1")];
    const idle = await dial("2001:db8:7:1::1");
    const newest = await dial("2001:db8:7:3::1");
    await expectOpen([...busy, ...small, newest], [idle]);
  });
});

describe("beyond the bound of all,", () => {
  const bounds = { most: 4, mostOfAddress: 3 };

  test("the address with the most loses its oldest idle one", async () => {
    await listen(bounds);
    const few = await dial("203.0.113.1");
    const many = [
      await dial("203.0.113.7"),
      await dial("203.0.113.7"),
      await dial("203.0.113.7"),
    ] as const;
    const newest = await dial("203.0.113.2");
    await expectOpen([few, many[1], many[2], newest], [many[0]]);
    expect(cuts).toEqual([
      { bound: "total", address: "203.0.113.7", connections: 3, addresses: 3 },
    ]);
  });

  test("of addresses with as many, the one that came first loses", async () => {
    await listen(bounds);
    const clients = [];
    for (let i = 0; i < 4; i++) clients.push(await dial(`203.0.113.${i}`));
    const newest = await dial("203.0.113.7");
    const [oldest, ...others] = clients as [Client, ...Client[]];
    await expectOpen([...others, newest], [oldest]);
  });

  test("if all of the largest are worked on, the next one loses, down to the fourth", async () => {
    await listen({ most: 5, mostOfAddress: 5 });
    const busy = [];
    for (let i = 0; i < 4; i++) busy.push(await dial(`203.0.113.${i % 2}`, get("/slow")));
    const idle = await dial("203.0.113.7");
    const newest = await dial("203.0.113.8");
    await expectOpen([...busy, newest], [idle]);

    server.close();
    await listen({ most: 9, mostOfAddress: 5 });
    const many = [];
    for (let i = 0; i < 8; i++) many.push(await dial(`203.0.113.${i % 4}`, get("/slow")));
    const fifth = await dial("203.0.113.7");
    await expectOpen([...many, fifth], [await dial("203.0.113.8")]);
  });

  test("a proxy loses one only if nobody else has one, and none with a request", async () => {
    await listen({ most: 3, mostOfAddress: 3 });
    const proxy = [await dial("10.1.2.3"), await dial("10.1.2.3", halfBody)] as const;
    const other = await dial("203.0.113.1");
    const newest = await dial("10.1.2.3");
    await expectOpen([...proxy, newest], [other]);
    const later = await dial("10.1.2.3");
    await expectOpen([proxy[1], newest, later], [proxy[0]]);
    const last = [await dial("10.1.2.3"), await dial("10.1.2.3")];
    await expectOpen([proxy[1], ...last], [newest, later]);
    expect(cuts.at(-1)).toEqual({
      bound: "total",
      address: "proxy 10.1.2.3",
      connections: 4,
      addresses: 1,
    });
  });

  test("one whose body or whose reading of an answer stalls goes, and none that is worked on", async () => {
    await listen(bounds);
    const busy = await dial("203.0.113.7", get("/slow"));
    const unread = await dial("203.0.113.7");
    unread.socket.pause();
    await send(unread.socket, get("/large"));
    const stalled = await dial("203.0.113.7", halfBody);
    const few = await dial("203.0.113.1");
    const second = await dial("203.0.113.2");
    unread.socket.resume();
    await expectOpen([busy, stalled, few, second], [unread]);
    // Every address has as many now.
    const third = await dial("203.0.113.3");
    await expectOpen([busy, few, second, third], [stalled]);
  });

  test("a new one goes if all others are worked on", async () => {
    await listen(bounds);
    const busy = [];
    for (let i = 0; i < 4; i++) busy.push(await dial(`203.0.113.${i}`, get("/slow")));
    const newest = await dial("203.0.113.7");
    await expectOpen(busy, [newest]);
    expect(connections.count).toBe(4);
  });
});

describe("if connections of proxies use up all,", () => {
  const bounds = { most: 6, mostOfAddress: 3 };
  const proxy = "10.1.2.3";

  const forwarded = (from: string, path = "/slow") =>
    `GET ${path} HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: ${from}\r\n\r\n`;
  const stalling = (from: string) =>
    `POST /slow HTTP/1.1\r\nHost: test\r\nX-Forwarded-For: ${from}\r\nContent-Length: 10\r\n\r\n{`;

  test("the client whose bodies stall on the most loses the one that began first", async () => {
    await listen(bounds);
    const honest = await dial(proxy, forwarded("198.51.100.1"));
    const few = await dial(proxy, stalling("198.51.100.2"));
    const many = [];
    for (let i = 0; i < 3; i++) many.push(await dial("10.1.2.4", stalling("203.0.113.7")));
    const busy = await dial(proxy, forwarded("198.51.100.3"));
    const newest = await dial(proxy, forwarded("198.51.100.1"));
    const [oldest, ...others] = many as [Client, ...Client[]];
    await expectOpen([honest, few, ...others, busy, newest], [oldest]);
    expect(cuts).toEqual([
      { bound: "total", address: "203.0.113.7", connections: 3, addresses: 2 },
    ]);
  });

  test("an IPv6 site is one client, and so is one who does not read answers", async () => {
    await listen(bounds);
    const one = await dial(proxy, stalling("203.0.113.7"));
    const unread = [];
    for (let i = 0; i < 2; i++) {
      const client = await dial(proxy);
      client.socket.pause();
      await send(client.socket, forwarded(`2001:db8:7:${i}::1`, "/large"));
      unread.push(client);
    }
    for (let i = 0; i < 3; i++) await dial(proxy, forwarded(`198.51.100.${i}`));
    await dial(proxy, forwarded("198.51.100.9"));
    for (const { socket } of unread) socket.resume();
    await expectOpen([one], [unread[0] as Client]);
    expect(cuts).toMatchObject([{ address: "2001:db8:7/48", connections: 2 }]);
  });

  test("more connections without a request go first, and those that are worked on never", async () => {
    await listen(bounds);
    const idle = [await dial(proxy), await dial(proxy)] as const;
    const stalled = await dial(proxy, stalling("203.0.113.7"));
    const busy = [];
    for (let i = 0; i < 3; i++) busy.push(await dial(proxy, forwarded("198.51.100.1")));
    const next = await dial(proxy, forwarded("198.51.100.2"));
    await expectOpen([idle[1], stalled, ...busy, next], [idle[0]]);
    const later = await dial(proxy, forwarded("198.51.100.3"));
    await expectOpen([stalled, ...busy, next, later], [idle[1]]);
    const last = await dial(proxy, forwarded("198.51.100.4"));
    await expectOpen([...busy, next, later, last], [stalled]);
    await expectOpen([...busy, next, later, last], [await dial(proxy)]);
  });

  test("an address that came without a proxy loses one only if it has as many", async () => {
    await listen(bounds);
    const direct = [await dial("203.0.113.1"), await dial("203.0.113.1")] as const;
    const stalled = [];
    for (let i = 0; i < 4; i++) stalled.push(await dial(proxy, stalling("203.0.113.7")));
    const newest = [await dial("198.51.100.1"), await dial("198.51.100.2")];
    await expectOpen([...direct, ...stalled.slice(2), ...newest], stalled.slice(0, 2));
    await dial("198.51.100.3");
    await expectOpen([direct[1], ...stalled.slice(2), ...newest], [direct[0]]);
  });
});

test("what is idle for long is cut, whatever it sends that is no request", async () => {
  await listen({ most: 10, mostOfAddress: 10 });
  const kept = await dial("203.0.113.1");
  const silent = await dial("203.0.113.1");
  await send(kept.socket, get("/"));
  const busy = await dial("203.0.113.1", get("/slow"));
  nowMs = 60;
  const late = await dial("203.0.113.1");
  await send(kept.socket, get("/"));
  await send(silent.socket, "\r\n");
  nowMs = 100;
  connections.cutIdle(99);
  await expectOpen([kept, busy, late], [silent]);
  expect(connections.count).toBe(3);
  // Not longer than 40, but as long.
  connections.cutIdle(40);
  expect(connections.count).toBe(3);
  connections.cutIdle(39);
  await expectOpen([busy], [kept, late]);
  expect(cuts).toEqual([]);
});

test("a request on a connection that was cut changes nothing", async () => {
  await listen({ most: 10, mostOfAddress: 10 });
  const connected = new Promise((resolve) => server.once("connection", resolve));
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  clients.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
  });
  await connected;
  await send(socket, get("/"));
  expect(text).toContain("done");
  expect(connections.count).toBe(0);
});

test("the bounds leave room for what else the process opens", () => {
  const isByFiles = true;
  expect(boundsFor(512)).toEqual({ most: 192, mostOfAddress: 96, isByFiles });
  expect(boundsFor(1024)).toEqual({ most: 704, mostOfAddress: 352, isByFiles });
  expect(boundsFor(100)).toEqual({ most: 25, mostOfAddress: 13, isByFiles });
  for (const descriptors of [20_000, 1_048_576, null]) {
    const all = { most: 8192, mostOfAddress: 1024, isByFiles: false };
    expect(boundsFor(descriptors)).toEqual(all);
  }
});

test("several workers have as many connections together as one", () => {
  expect(boundsFor(null, 4)).toEqual({ most: 2048, mostOfAddress: 256, isByFiles: false });
  // Each of them may open as many files.
  expect(boundsFor(1024, 4)).toEqual({ most: 704, mostOfAddress: 256, isByFiles: true });
});

test("making room among thousands behind a proxy costs little, also if each waits for another client", () => {
  const most = 4096;
  let looks = 0;
  const all: EventEmitter[] = [];
  const lost: string[] = [];
  connections = new OpenConnections(
    { most, mostOfAddress: 1024 },
    {
      onCut: ({ address }) => lost.push(address),
      clientOf: ({ headers }) => String(headers["x-forwarded-for"]),
      now: () => 0,
    },
  );
  const stall = (client: string) => {
    const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy });
    function destroy() {
      socket.destroyed = true;
    }
    const get = () => {
      looks += 1;
      return 1;
    };
    Object.defineProperty(socket, "writableLength", { get });
    connections.open(socket as unknown as Socket, originOf("10.0.0.1"));
    const request = { socket, complete: true, headers: { "x-forwarded-for": client } };
    const response = new EventEmitter() as ServerResponse;
    connections.begin(request as unknown as IncomingMessage, response);
    all.push(socket);
  };
  for (let i = 0; i < most; i++) stall(`203.0.${i >> 8}.${i & 255}`);
  looks = 0;
  for (let i = 0; i < 640; i++) stall("198.51.100.7");
  expect(connections.count).toBe(most);
  expect(lost).toContain("198.51.100.7");
  expect(looks / 640).toBeLessThan(most / 10);
  expect(all.filter((socket) => "destroyed" in socket && socket.destroyed)).toHaveLength(640);
});
