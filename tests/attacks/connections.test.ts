import { rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { connect, type Socket } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { newDataDirectory } from "../start/data-directory.ts";
import { type Json, newWallet, type Submission, signing, stampOf } from "../start/post.ts";
import { type RootKey, readRootKey, type Service, startService } from "../start/process.ts";

// Strangers hold connections, each of which takes a file descriptor of the service. On Linux, all addresses of
// 127.0.0.0/8 are this machine, so one test has many clients.

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const DESCRIPTORS = 512;
const client = "127.0.0.2";
const strangers = Array.from({ length: 30 }, (_, i) => `127.0.1.${i + 1}`);

let directory: string;
let service: Service;
let root: RootKey;
let address: string;
const sockets = new Set<Socket>();

type Line = { socket: Socket; isOpen: boolean };

function dial(from: string, sends = ""): Promise<Line> {
  const { hostname: host, port } = new URL(service.url);
  const socket = connect({ host, port: Number(port), localAddress: from });
  sockets.add(socket);
  const line = { socket, isOpen: true };
  return new Promise((resolve) => {
    socket.resume().on("error", () => {});
    socket.once("close", () => {
      line.isOpen = false;
      resolve(line);
    });
    socket.once("connect", () => {
      if (sends !== "") socket.write(sends);
      resolve(line);
    });
  });
}

function dialMany(count: number, from: string, sends?: string): Promise<Line[]> {
  return Promise.all(Array.from({ length: count }, () => dial(from, sends)));
}

type Reply = { status: number; text: string };

function ask(
  from: string,
  path: string,
  { body, headers = {}, agent }: { body?: string; headers?: object; agent?: Agent } = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const options = { method: body === undefined ? "GET" : "POST", localAddress: from, agent };
    const asked = request(`${service.url}${path}`, { ...options, headers: { ...headers } });
    asked.once("error", reject);
    asked.once("response", (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.once("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.once("error", reject);
    });
    asked.end(body);
  });
}

async function submitFrom(
  from: string,
  { endpoint, body }: Submission,
  agent?: Agent,
): Promise<{ status: number; json: Json }> {
  const { name, value } = await stampOf(body, root);
  const headers = { "Content-Type": "application/json", [name]: value };
  const path = `/public/v1/submit/${endpoint}`;
  const { status, text } = await ask(from, path, { body, headers, agent });
  return { status, json: JSON.parse(text) };
}

const signFrom = async (from: string, agent?: Agent) =>
  (await submitFrom(from, signing(root, address), agent)).status;

/** Over a connection of the machine's own address, as Prometheus does. */
async function metric(name: string): Promise<number> {
  const { text } = await ask("127.0.0.1", "/metrics");
  const line = text.split("\n").find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1));
}

const warnings = (what: string) =>
  service
    .stdout()
    .split("\n")
    .filter((line) => line.includes(what));

/** A signature and readiness, from an address, while strangers do what they do. */
async function expectService(from: string) {
  expect(await signFrom(from)).toBe(200);
  expect((await ask(from, "/readyz")).status).toBe(200);
}

describe.skipIf(process.platform !== "linux")("a service that may open few files", () => {
  beforeAll(async () => {
    directory = await newDataDirectory("connections");
    const environment = { KEYHEARTH_DATA_DIR: directory, KEYHEARTH_RATE_LIMIT: "off" };
    service = await startService(environment, [], { mostDescriptors: DESCRIPTORS });
    root = readRootKey(directory);
    const { json } = await submitFrom(client, newWallet(root));
    address = json.activity?.result?.createWalletResult?.addresses?.[0] ?? "";
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    await expect.poll(() => metric("keyhearth_connections"), { timeout: 20_000 }).toBeLessThan(20);
  });

  afterAll(async () => {
    await service?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  test("bodies of one address that stall at several paths count together", async () => {
    const from = "127.0.0.9";
    const head = (path: string) =>
      `POST ${path} HTTP/1.1\r\nHost: keyhearth.test\r\nContent-Length: 99\r\n\r\n{`;
    // Half of the connections that an address may have is 48.
    const lines = [
      ...(await dialMany(30, from, head("/mcp"))),
      ...(await dialMany(30, from, head("/public/v1/query/whoami"))),
    ];
    const heard = lines.map(({ socket }) => {
      let text = "";
      socket.on("data", (chunk) => {
        text += chunk.toString("latin1");
      });
      return () => text;
    });
    const cut = () => heard.filter((each) => each().includes("are still being sent")).length;
    await expect.poll(cut, { timeout: 20_000 }).toBe(60 - 48);
    await expectService(client);
  });

  test("3,000 silent connections of one address keep nobody out, not even that address", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await signFrom(client, agent)).toBe(200);
    const flood = dialMany(3000, "127.0.0.3");
    await expectService(client);
    await flood;
    await expectService(client);
    await expectService("127.0.0.3");
    // As the service counts them: on a busy machine, a client believes for long that it has some that the system
    // dropped before the service saw them. The others are of this test.
    const open = () => metric("keyhearth_connections");
    await expect.poll(open, { timeout: 20_000 }).toBeLessThanOrEqual(96 + 20);
    // The connection that another client keeps is not the one that goes.
    const [kept] = Object.values(agent.freeSockets).flat();
    expect(kept?.destroyed).toBe(false);
    expect(await signFrom(client, agent)).toBe(200);
    agent.destroy();

    // Of those that a busy system drops before the service sees them, none is cut.
    expect(await metric('keyhearth_connections_cut_total{bound="address"}')).toBeGreaterThan(1000);
    const [line = "", ...others] = warnings("an address has as many connections as it may");
    expect(others).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ level: "warn", address: "127.0.0.3" });
    expect(await metric("keyhearth_descriptor_shortages_total")).toBe(0);
  });

  const head = "POST /public/v1/submit/create_wallet HTTP/1.1\r\nHost: keyhearth.test\r\n";
  const holds: [name: string, sends: string][] = [
    ["silent", ""],
    ["half heads on", `${head}X-Endless: `],
    ["half bodies on", `${head}X-Stamp: e30\r\nContent-Length: 1000\r\n\r\n{`],
  ];

  test.each(holds)("%s connections of 30 addresses keep nobody out", async (_, sends) => {
    const before = await metric('keyhearth_connections_cut_total{bound="total"}');
    const floods = strangers.map((from) => dialMany(100, from, sends));
    await expectService(client);
    await Promise.all(floods);
    await expectService(client);
    expect(await metric("keyhearth_connections")).toBeLessThanOrEqual(DESCRIPTORS - 320);
    expect(await metric('keyhearth_connections_cut_total{bound="total"}')).toBeGreaterThan(before);
    const [line = "", ...others] = warnings("there are as many connections as there may be");
    expect(others).toEqual([]);
    expect(JSON.parse(line).msg).toContain("raise the limit on open files");
    expect(await metric("keyhearth_descriptor_shortages_total")).toBe(0);
  });

  test("answers that nobody reads on connections of 30 addresses keep nobody out", async () => {
    const get = "GET /openapi.json HTTP/1.1\r\nHost: keyhearth.test\r\n\r\n".repeat(20);
    const floods = strangers.map(async (from) => {
      for (const { socket } of await dialMany(20, from)) {
        socket.pause();
        socket.write(get);
      }
    });
    await expectService(client);
    await Promise.all(floods);
    await new Promise((resolve) => setTimeout(resolve, 2000));
    await expectService(client);
    expect(await metric("keyhearth_descriptor_shortages_total")).toBe(0);
  });
});
