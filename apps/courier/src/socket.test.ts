import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { seal } from "@keyhearth/engine/messages/message";
import { testCourier } from "@keyhearth/engine/messages.testing";
import { afterEach, expect, test } from "vitest";
import { connectToCourier } from "./client.ts";
import { newMessage } from "./messages.testing.ts";
import type { Answer, Request } from "./protocol.ts";
import { listenOnSocket } from "./socket.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function newSocket(): string {
  const directory = mkdtempSync(join(tmpdir(), "keyhearth-courier-"));
  closers.push(() => rmSync(directory, { recursive: true, force: true }));
  return join(directory, "courier.sock");
}

const noLog = () => {};

const delivered: Answer = { kind: "delivery", delivery: { outcome: "delivered" } };

test("calls and answers cross the socket, also many and large ones at once", async () => {
  const path = newSocket();
  const asked: Request[] = [];
  const server = await listenOnSocket(
    path,
    async (request) => {
      asked.push(request);
      return delivered;
    },
    noLog,
  );
  closers.push(() => server.close());
  expect(statSync(path).mode & 0o777).toBe(0o660);
  const client = connectToCourier(path);
  closers.push(client.close);
  const calls = Array.from({ length: 20 }, () => {
    const large = { style: { appName: "A".repeat(50_000) } };
    const message = seal(testCourier.publicKey, newMessage("email-code", large), null);
    return { call: "deliver" as const, message };
  });
  const answers = await Promise.all(calls.map((call) => client.ask(call)));
  expect(answers).toEqual(calls.map(() => delivered));
  expect(asked).toEqual(calls);
});

test("a courier that is away fails a call at once, and is used again when it is back", async () => {
  const path = newSocket();
  const client = connectToCourier(path);
  closers.push(client.close);
  await expect(client.ask({ call: "describe" })).rejects.toThrow("cannot be reached");
  const first = await listenOnSocket(path, async () => delivered, noLog);
  expect(await client.ask({ call: "describe" })).toEqual(delivered);
  await first.close();
  await expect(client.ask({ call: "describe" })).rejects.toThrow("cannot be reached");
  const second = await listenOnSocket(path, async () => delivered, noLog);
  closers.push(() => second.close());
  await expect.poll(() => client.ask({ call: "describe" }).catch(() => null)).toEqual(delivered);
});

test("what is not of the protocol cuts the connection, and others are served", async () => {
  const path = newSocket();
  const server = await listenOnSocket(path, async () => delivered, noLog);
  closers.push(() => server.close());
  for (const text of ["{}\n", "garbage\n", '{"id":1,"request":{"call":"key"}}\n']) {
    const socket = createConnection(path);
    socket.on("error", () => {});
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.write(text);
    await closed;
  }
  const client = connectToCourier(path);
  closers.push(client.close);
  expect(await client.ask({ call: "describe" })).toEqual(delivered);
});

test("connections beyond 64 are closed, and it is said once", async () => {
  const path = newSocket();
  const events: object[] = [];
  const server = await listenOnSocket(
    path,
    async () => delivered,
    (event) => events.push(event),
  );
  closers.push(() => server.close());
  const client = connectToCourier(path);
  closers.push(client.close);
  expect(await client.ask({ call: "describe" })).toEqual(delivered);
  const held = Array.from({ length: 80 }, () => createConnection(path).on("error", () => {}));
  for (const socket of held) closers.push(() => socket.destroy());
  const isOpen = () => held.filter(({ closed }) => !closed).length;
  for (const socket of held) socket.resume();
  await expect.poll(isOpen).toBe(63);
  expect(events).toEqual([{ event: "too many connections", most: 64 }]);
  expect(await client.ask({ call: "describe" })).toEqual(delivered);
});
