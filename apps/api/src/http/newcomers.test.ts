import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { endOfTurn, newcomersInTurn, turnAgain } from "./newcomers.ts";

// Over real connections of this machine. Each request says its address, its credential and how it is answered.

let server: Server;
let port: number;
/** The addresses and names of the requests that were worked on. */
let worked: string[];
/** The addresses of those whose body has come, and that have a turn. */
let wentOn: string[];
const clients: Socket[] = [];

const headerOf = ({ headers }: IncomingMessage, name: string) => String(headers[name] ?? "");

beforeEach(async () => {
  // Requests of an earlier test may still be worked on while their connections end.
  const its: string[] = [];
  worked = its;
  wentOn = [];
  const listener = newcomersInTurn(
    (request, response) => {
      its.push(`${headerOf(request, "x-address")} ${headerOf(request, "x-name")}`);
      request.on("data", async () => {
        const hasTurn = await turnAgain(request).then(
          () => true,
          () => false,
        );
        if (hasTurn) wentOn.push(headerOf(request, "x-address"));
      });
      if (headerOf(request, "x-known") !== "") endOfTurn(request)?.();
      const status = Number(headerOf(request, "x-status"));
      // Without a status, it stays without an answer.
      if (status > 0) response.writeHead(status).end();
    },
    (request) => headerOf(request, "x-address"),
  );
  server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port; // It listens on a port.
});

afterEach(() => {
  for (const client of clients.splice(0)) client.destroy();
  server.closeAllConnections();
  server.close();
});

type Asked = {
  address: string;
  name?: string;
  status?: number;
  credential?: string;
  target?: string;
  length?: number;
  isKnown?: boolean;
};

const WHOAMI = "POST /public/v1/query/whoami";

function send({
  address,
  name = "",
  status = 0,
  credential,
  target = WHOAMI,
  length = 0,
  isKnown = false,
}: Asked): Socket {
  const client = connect(port, "127.0.0.1");
  clients.push(client);
  client.on("error", () => {});
  client.resume();
  const stamp = Buffer.from(JSON.stringify({ publicKey: credential })).toString("base64url");
  const lines = [
    `${target} HTTP/1.1`,
    "Host: keyhearth.test",
    `X-Address: ${address}`,
    `X-Name: ${name}`,
    `X-Status: ${status}`,
    ...(isKnown ? ["X-Known: yes"] : []),
    ...(credential === undefined ? [] : [`X-Stamp: ${stamp}`]),
    `Content-Length: ${length}`,
  ];
  client.write(`${lines.join("\r\n")}\r\n\r\n`);
  return client;
}

const until = (condition: () => boolean) => expect.poll(condition, { timeout: 10_000 }).toBe(true);

async function answered(asked: Asked) {
  const client = send({ ...asked, name: "earlier" });
  await new Promise((resolve) => client.once("data", resolve));
  client.destroy();
  // The service knows when the connection has ended.
  await setTimeout(50);
}

/** How many of forty requests of strangers, none of which is answered, were worked on before this one. */
async function placeAmong({ addresses, ...asked }: Asked & { addresses: number }) {
  worked.length = 0;
  for (let i = 0; i < 40; i++) send({ address: `203.0.113.${i % addresses}` });
  await until(() => worked.length >= 3);
  send({ ...asked, name: "this one", status: 200 });
  await until(() => worked.some((each) => each.endsWith("this one")));
  return worked.findIndex((each) => each.endsWith("this one"));
}

const ada = { address: "198.51.100.1", credential: "ada" };

test.each(["/healthz", "/readyz"])(
  "an orchestrator that asks for %s waits for no stranger",
  async (path) => {
    expect(
      await placeAmong({ address: "10.0.0.1", target: `GET ${path}`, addresses: 40 }),
    ).toBeLessThan(20);
  },
);

test("a client that was accepted lately waits for no stranger", async () => {
  await answered({ ...ada, status: 200 });
  expect(await placeAmong({ ...ada, addresses: 40 })).toBeLessThan(20);
});

test("the key of a client is the same in any case", async () => {
  await answered({ ...ada, credential: "02ABCdef", status: 200 });
  expect(await placeAmong({ ...ada, credential: "02abcDEF", addresses: 40 })).toBeLessThan(20);
});

test.each<[string, () => Promise<unknown>]>([
  ["nobody has asked before", async () => {}],
  [
    "another address asked with the credential",
    () => answered({ ...ada, address: "198.51.100.2", status: 200 }),
  ],
  [
    "the address asked with another credential",
    () => answered({ ...ada, credential: "bob", status: 200 }),
  ],
  [
    "the last request was refused",
    async () => {
      await answered({ ...ada, status: 200 });
      await answered({ ...ada, status: 401 });
    },
  ],
  [
    "the last request was broken off",
    async () => {
      const client = send(ada);
      await until(() => worked.length === 1);
      client.destroy();
      await setTimeout(50);
    },
  ],
])("if %s, a request has its turn after one of each stranger", async (_, before) => {
  await before();
  expect(await placeAmong({ ...ada, addresses: 40 })).toBeGreaterThan(20);
});

test("a newcomer does not wait for all requests of one address", async () => {
  expect(await placeAmong({ ...ada, addresses: 1 })).toBeLessThan(20);
});

const targets = [WHOAMI, "GET /readyz"];
test.each(targets)(
  "bodies that stall at many addresses keep %s waiting for few of them",
  async (target) => {
    for (let i = 0; i < 500; i++) send({ address: `2001:db8:${i}::1`, length: 99, target });
    await until(() => worked.length >= 3);
    const before = worked.length;
    send({ address: "198.51.100.1", name: "this one", status: 200, target });
    await until(() => worked.some((each) => each.endsWith("this one")));
    const place = worked.findIndex((each) => each.endsWith("this one"));
    expect(place - before).toBeLessThan(250);
  },
);

test("a body that comes slowly has its turn among those of many that are here", async () => {
  for (let i = 0; i < 10; i++) send({ address: `203.0.113.${i}` });
  await until(() => worked.length >= 3);
  send({ address: "198.51.100.1", name: "slow", length: 99 });
  await setTimeout(20);
  for (let i = 10; i < 60; i++) send({ address: `203.0.113.${i}` });
  await until(() => worked.length === 61);
  expect(worked.findIndex((each) => each.endsWith("slow"))).toBeLessThan(40);
});

test("bodies that come while their requests wait have their turns after those who came before them", async () => {
  for (let i = 0; i < 3; i++) send({ address: `192.0.2.${i}` });
  await until(() => worked.length === 3);
  const late = Array.from({ length: 60 }, (_, i) =>
    send({ address: `203.0.113.${i}`, name: "late", length: 1 }),
  );
  await setTimeout(20);
  for (let i = 0; i < 6; i++) send({ address: `198.51.100.${i}`, name: "new" });
  await setTimeout(20);
  for (const each of late) each.write("x");
  await until(() => worked.filter((each) => each.endsWith("new")).length === 6);
  // One place of three takes all of them in plain order.
  expect(worked.filter((each) => each.endsWith("late")).length).toBeLessThan(30);
});

test("what was broken off while it waited is not worked on", async () => {
  const strangers = Array.from({ length: 40 }, (_, i) => send({ address: `203.0.113.${i}` }));
  await until(() => worked.length >= 3);
  for (const each of strangers) each.destroy();
  send({ address: "198.51.100.1", name: "last", status: 200 });
  await until(() => worked.some((each) => each.endsWith("last")));
  expect(worked.length).toBeLessThan(35);
});

test("what the service works on keeps its turn ten times as long as what waits for its client", async () => {
  const strangers = Array.from({ length: 30 }, (_, i) => ({ address: `203.0.113.${i}` }));
  const waiting = strangers.map((each) => send({ ...each, length: 1 }));
  await until(() => worked.length === 30);
  const beganAt = performance.now();
  // Three at a time, for a tenth of a second each.
  for (const each of waiting) each.write("x");
  await until(() => wentOn.length === 30);
  expect(performance.now() - beganAt).toBeGreaterThan(700);

  const askedAt = performance.now();
  for (const each of strangers) send(each);
  await until(() => worked.length === 60);
  expect(performance.now() - askedAt).toBeGreaterThan(700);
});

test("one whose credential turns out to be registered leaves its turn to the next", async () => {
  const many = Array.from({ length: 200 }, (_, i) => ({ address: `203.0.113.${i}` }));
  const askedAt = performance.now();
  // None is answered, and three at a time would have a tenth of a second each.
  for (const each of many) send({ ...each, isKnown: true });
  await until(() => worked.length === many.length);
  expect(performance.now() - askedAt).toBeLessThan(3000);
});
