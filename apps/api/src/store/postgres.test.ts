import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { secret } from "@keyhearth/crypto/secret";
import { afterEach, expect, test, vi } from "vitest";
import { openPostgres, openPostgresReads } from "./postgres.ts";

// Several hosts of one database. The tests of failovers run real ones; these speak as much of the protocol as it takes to
// be odd.

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test("a statement that waits for a connection to a silent host gets one to the host that takes writes", async () => {
  const first = await host("primary");
  const second = await host("standby");
  const store = await open(first, second);
  first.is = "silent";
  second.is = "primary";
  // One has the connection of the start.
  const statements = Array.from({ length: 4 }, () => store.run("x", "SELECT 1", [1]));
  const outcomes = Promise.allSettled(statements);
  await expect.poll(() => first.sockets.size).toBe(4);
  first.refuseOthers();
  await store.probe();
  const refused = (await outcomes).filter(({ status }) => status === "rejected");
  expect(refused).toMatchObject([
    { reason: { message: expect.stringContaining("Connection terminated") } },
  ]);
  expect(second.texts.filter((text) => text === "SELECT 1")).toHaveLength(3);
});

test("after a failover, no statement goes to a connection that has ended", async () => {
  const first = await host("primary");
  const second = await host("standby");
  const store = await open(first, second);
  await Promise.all([1, 2, 3].map(() => store.run("x", "SELECT 1", [1])));
  first.is = "standby";
  second.is = "primary";
  await store.probe();
  await expect.poll(() => first.sockets.size).toBe(0);
  for (let count = 0; count < 4; count++) await store.run("x", "SELECT 1", [1]);
});

test("a host that lets nobody in does not keep the service from the others", async () => {
  const first = await host("primary");
  const second = await host("closed", { isClinging: true });
  const store = await open(first, second);
  first.is = "down";
  for (const socket of first.sockets) socket.destroy();
  await expect.poll(() => first.sockets.size).toBe(0);
  await expect(store.run("x", "SELECT 1", [1])).rejects.toMatchObject({ code: "28000" });
  // It would have kept the connection.
  await expect.poll(() => second.sockets.size).toBe(0);
  first.is = "primary";
  await store.run("x", "SELECT 1", [1]);
});

test("a standby that never closes a connection keeps nobody waiting", async () => {
  const first = await host("standby", { isClinging: true });
  const store = await open(first, await host("primary"));
  await store.run("x", "SELECT 1", [1]);
});

test("the reads of another thread leave a former primary that still answers them", async () => {
  const first = await host("primary");
  const second = await host("standby");
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const { read } = openPostgresReads(
    { url: urlOf(first, second), isPooled: false, standbyUrl: null },
    1,
  );
  await read("SELECT 1", [1]);
  first.is = "standby";
  second.is = "primary";
  await vi.advanceTimersByTimeAsync(5000);
  await expect.poll(() => first.sockets.size).toBe(0);
  await read("SELECT 2", [1]);
  expect(second.texts).toContain("SELECT 2");
});

type Host = Awaited<ReturnType<typeof host>>;

const urlOf = (...hosts: Host[]) =>
  `postgres://me@${hosts.map(({ port }) => `127.0.0.1:${port}`).join(",")}/x`;

async function open(...hosts: Host[]) {
  const store = await openPostgres({
    url: secret(urlOf(...hosts)),
    isPooled: false,
    standbyUrl: null,
  });
  cleanups.push(() => store.close());
  return store;
}

type Manner = "primary" | "standby" | "silent" | "down" | "closed";

/** A host of a database whose statements all return whether it can only be read. */
async function host(is: Manner, { isClinging = false } = {}) {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: isClinging }, (socket) => {
    sockets.add(socket);
    for (const event of ["end", "close"]) socket.on(event, () => sockets.delete(socket));
    socket.on("error", () => {});
    if (self.is === "down") socket.destroy();
    let unread = Buffer.alloc(0);
    let isStarted = false;
    socket.on("data", (bytes) => {
      unread = Buffer.concat([unread, bytes]);
      while (unread.length >= 5) {
        const start = isStarted ? 1 : 0;
        const end = start + unread.readInt32BE(start);
        if (unread.length < end) return;
        const type = isStarted ? String.fromCharCode(unread[0] ?? 0) : "";
        const body = unread.subarray(start + 4, end).toString("latin1");
        unread = unread.subarray(end);
        isStarted = true;
        if (self.is !== "silent") answer(socket, type, body);
      }
    });
  });
  const self = {
    is,
    sockets,
    port: 0,
    /** The texts of all statements. */
    texts: [] as string[],
    /** Connections that are there stay. */
    refuseOthers: () => void server.close(),
  };

  function answer(socket: Socket, type: string, body: string) {
    const row = self.is === "primary" ? "off" : "on";
    if (type === "" && self.is === "closed") {
      socket.write(message("E", "SFATAL\0C28000\0Mno entry for this host\0\0"), "latin1");
      if (!isClinging) socket.end();
    } else if (type === "") socket.write(message("R", "\0\0\0\0") + READY, "latin1");
    else if (type === "Q") {
      self.texts.push(body.slice(0, -1));
      socket.write(COLUMN + rowOf(row) + DONE + READY, "latin1");
    } else if (type === "P") {
      self.texts.push(body.split("\0")[1] ?? "");
      socket.write(message("1", ""), "latin1");
    } else if (type === "B") socket.write(message("2", ""), "latin1");
    else if (type === "D") socket.write(COLUMN, "latin1");
    else if (type === "E") socket.write(rowOf(row) + DONE, "latin1");
    else if (type === "S") socket.write(READY, "latin1");
    else if (type === "X" && !isClinging) socket.end();
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  self.port = (server.address() as AddressInfo).port;
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return self;
}

function message(type: string, body: string): string {
  return type + int32(body.length + 4) + body;
}

function int32(value: number): string {
  return String.fromCharCode(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255);
}

const READY = message("Z", "I");
const DONE = message("C", "SELECT 1\0");
/** One column of text. */
const COLUMN = message("T", `\0\x01read_only\0${int32(0)}\0\0${int32(25)}\xff\xff${int32(-1)}\0\0`);
const rowOf = (value: string) => message("D", `\0\x01${int32(value.length)}${value}`);
