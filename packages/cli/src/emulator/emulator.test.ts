import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { migratedSnapshot } from "@keyhearth/api/store/database.testing";
import { newKey } from "@keyhearth/api/testing";
import { ApiKeyStamper, KeyhearthClient } from "@keyhearth/sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { connectEmulator } from "./index.ts";
import { start } from "./start.ts";
import type { EmulatedOrganization, Emulator, EmulatorOptions } from "./types.ts";

// The sources have no packed database. `tests/emulator` starts the emulator of the package.
const startHere = async (options: EmulatorOptions = {}) =>
  start(options, { snapshot: await migratedSnapshot() });

const HOUR_MS = 3_600_000;

const ethereum = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

function clientOf(
  { url }: { url: string },
  { organizationId, apiPublicKey, apiPrivateKey }: EmulatedOrganization,
): KeyhearthClient {
  const stamper = new ApiKeyStamper({ apiPublicKey, apiPrivateKey });
  return new KeyhearthClient({ baseUrl: url, organizationId, stamper, maxRetries: 0 });
}

async function makeWallet(client: KeyhearthClient) {
  const { addresses } = await client.createWallet({ walletName: "First", accounts: [ethereum] });
  return addresses[0] ?? "";
}

const sign = (client: KeyhearthClient, signWith: string) =>
  client.signRawPayload({
    signWith,
    payload: "ab".repeat(32),
    encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
    hashFunction: "HASH_FUNCTION_NO_OP",
  });

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startHere();
}, 60_000);
afterAll(() => emulator?.close());

describe("an emulator", () => {
  test("makes wallets, signs, lists and seals receipts, as the service does", async () => {
    const client = clientOf(emulator, emulator.organization);
    const address = await makeWallet(client);
    expect((await sign(client, address)).r).toMatch(/^[0-9a-f]{64}$/);
    expect((await client.listWallets({})).wallets).toHaveLength(1);
    const { organizationId, userId } = await client.whoami({});
    expect({ organizationId, userId }).toEqual({
      organizationId: emulator.organization.organizationId,
      userId: emulator.organization.userId,
    });
    const known = await (await fetch(`${emulator.url}/.well-known/keyhearth.json`)).json();
    expect(known.rootOrganizationId).toBe(organizationId);
    for (const path of ["/readyz", "/openapi.json", "/healthz"]) {
      expect([path, (await fetch(`${emulator.url}${path}`)).status]).toEqual([path, 200]);
    }
    const missing = await fetch(`${emulator.url}/concepts/wallets`);
    expect([missing.status, (await missing.json()).message]).toEqual([
      404,
      expect.stringContaining("the emulator has no pages"),
    ]);
  });

  test("has many organizations, and nobody sees anything of another", async () => {
    const [one, two] = await Promise.all([
      emulator.createOrganization({ organizationName: "One" }),
      emulator.createOrganization({ organizationName: "Two" }),
    ]);
    const address = await makeWallet(clientOf(emulator, one));
    const other = clientOf(emulator, two);
    expect((await other.listWallets({})).wallets).toEqual([]);
    await expect(sign(other, address)).rejects.toThrow(/Could not find any resource to sign with/);
    const stranger = clientOf(emulator, { ...two, organizationId: one.organizationId });
    await expect(stranger.listWallets({})).rejects.toThrow();
  });

  test("shows mail in its process and to programs on this machine, without a token", async () => {
    const own = await emulator.createOrganization();
    const client = clientOf(emulator, own);
    await client.createInvitations({
      invitations: [
        {
          receiverUserName: "Grace",
          receiverUserEmail: "grace@example.com",
          receiverUserTags: [],
          accessType: "ACCESS_TYPE_ALL",
          senderUserId: own.userId,
        },
      ],
    });
    const [mail, ...more] = await emulator.messages("Grace@example.com");
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ kind: "invitation", to: "grace@example.com" });
    expect(mail?.text).toContain(mail?.code);
    const address = `${emulator.url}/mailbox/messages?to=grace%40example.com`;
    expect(await (await fetch(address)).json()).toEqual([mail]);
    expect(await emulator.messages("nobody@example.com")).toEqual([]);
    const refused = await fetch(address, { headers: { Origin: "http://evil.example" } });
    expect([refused.status, await refused.text()]).toEqual([
      403,
      expect.stringContaining("pages of sites and requests through a proxy do not"),
    ]);
  });

  test.each([
    ["a page of another site", { Origin: "http://evil.example" }, 403],
    ["a page without an origin", { Origin: "null" }, 403],
    ["a name that was pointed at this machine", { Host: "evil.example" }, 403],
    ["a page that a developer serves on this machine", { Origin: "http://localhost:5173" }, 200],
    ["a program", {}, 200],
  ])("answers %s with %o by status %i", async (_, headers, status) => {
    for (const [method, path] of [
      ["GET", "/.well-known/keyhearth.json"],
      ["OPTIONS", "/public/v1/submit/create_organization"],
    ]) {
      const asked = request(new URL(path ?? "", emulator.url), { method, headers }).end();
      const [answer] = await once(asked, "response");
      answer.resume();
      expect(answer.statusCode < 300 ? 200 : answer.statusCode).toBe(status);
    }
  });

  test("delivers webhooks to a server on this machine", async () => {
    const received: string[] = [];
    const server = createServer((incoming, response) => {
      incoming.on("data", (part) => received.push(String(part)));
      incoming.on("end", () => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const client = clientOf(emulator, await emulator.createOrganization());
    await client.createWebhookEndpoint({
      name: "Test",
      url: `http://localhost:${port}/`,
      subscriptions: [{ eventType: "ACTIVITY_UPDATES" }],
    });
    await makeWallet(client);
    await expect.poll(() => received.join(), { timeout: 15_000 }).toContain("CREATE_WALLET");
  });
});

describe("what is fixed on request", () => {
  const organizationId = "11111111-1111-4111-8111-111111111111";

  test("the id, and a key of which the emulator has the public half alone", async () => {
    const own = newKey();
    const fixed = await startHere({ organizationId, apiPublicKey: own.publicKey });
    onTestFinished(() => fixed.close());
    expect(fixed.organization).toMatchObject({
      organizationId,
      apiPublicKey: own.publicKey,
      apiPrivateKey: "",
    });
    const client = clientOf(fixed, { ...fixed.organization, apiPrivateKey: own.privateKey });
    const { user } = await client.getUser({ userId: fixed.organization.userId });
    expect(user.apiKeys.map(({ credential }) => credential?.publicKey)).toEqual([own.publicKey]);
    await makeWallet(client);
    await fixed.reset();
    expect(fixed.organization).toMatchObject({ organizationId, apiPublicKey: own.publicKey });
    expect((await client.listWallets({})).wallets).toEqual([]);
  });

  test("the id of another organization, once", async () => {
    const options = { organizationId: "22222222-2222-4222-8222-222222222222" };
    const founded = await emulator.createOrganization(options);
    expect(founded.organizationId).toBe(options.organizationId);
    expect(await makeWallet(clientOf(emulator, founded))).toMatch(/^0x/);
    await expect(emulator.createOrganization(options)).rejects.toThrow(
      `the emulator has the organization ${options.organizationId} already; give another id, or reset the emulator`,
    );
    // What others found at the same time has ids of its own.
    const third = await emulator.createOrganization();
    expect(third.organizationId).not.toBe(options.organizationId);
  });
});

describe("the clock", () => {
  test("goes on with real time, moves forward for everybody, and never back", async () => {
    const own = await startHere();
    onTestFinished(() => own.close());
    expect(Math.abs((await own.now()) - Date.now())).toBeLessThan(5000);
    const { organization } = own;
    const client = clientOf(own, organization);
    const brief = newKey();
    await client.createApiKeys({
      userId: organization.userId,
      apiKeys: [
        {
          apiKeyName: "Brief",
          publicKey: brief.publicKey,
          curveType: "API_KEY_CURVE_P256",
          expirationSeconds: "3600",
        },
      ],
    });
    const briefly = clientOf(own, {
      ...organization,
      apiPublicKey: brief.publicKey,
      apiPrivateKey: brief.privateKey,
    });
    expect((await briefly.whoami({})).userId).toBe(organization.userId);
    const after = await own.moveClock(2 * HOUR_MS);
    expect(after - Date.now()).toBeGreaterThan(1.9 * HOUR_MS);
    await expect(briefly.whoami({})).rejects.toThrow(/expired/);
    // A request says when it was made, and must not be an hour old.
    await expect(client.createWallet({ walletName: "Old", accounts: [] })).rejects.toThrow(
      /`timestampMs` is 72\d\d s old/,
    );
    const timestampMs = String(await own.now());
    await client.createWallet({ walletName: "New", accounts: [] }, { timestampMs });
    for (const wrong of [-1, 0.5, Number.NaN, "5", 11 * 365 * 24 * HOUR_MS]) {
      await expect(own.moveClock(wrong as number)).rejects.toThrow(
        /the clock moves forward by a whole number of milliseconds/,
      );
    }
    await own.reset();
    expect(Math.abs((await own.now()) - Date.now())).toBeLessThan(5000);
    expect(await makeWallet(client)).toMatch(/^0x/);
  });
});

describe("a reset", () => {
  test("forgets everything, and keeps the organization's id and key and the public keys of the signer", async () => {
    const own = await startHere();
    onTestFinished(() => own.close());
    const keys = async () => (await fetch(`${own.url}/.well-known/keyhearth.json`)).text();
    const before = await keys();
    const { organization } = own;
    const client = clientOf(own, organization);
    await makeWallet(client);
    const other = await own.createOrganization();
    // Requests of the time before are answered, those of the time after wait, and two resets are one.
    const asked = Promise.all(Array.from({ length: 8 }, () => client.listWallets({})));
    const [first, second] = await Promise.all([own.reset(), own.reset(), asked]);
    expect(second).toEqual(first);
    expect(own.organization).toEqual(first);
    expect({ ...first, userId: "" }).toEqual({ ...organization, userId: "" });
    expect((await client.listWallets({})).wallets).toEqual([]);
    await expect(clientOf(own, other).listWallets({})).rejects.toThrow();
    expect(await keys()).toBe(before);
    expect(await makeWallet(client)).toMatch(/^0x/);
  });
});

describe("from another process", () => {
  let control: ReturnType<typeof connectEmulator>;
  beforeEach(() => {
    control = connectEmulator(`${emulator.url}/`);
  });

  test("the same can be done", async () => {
    const own = await control.createOrganization({ organizationName: "Own" });
    await makeWallet(clientOf(control, own));
    expect(await control.messages("nobody@example.com")).toEqual([]);
    const before = await control.now();
    expect(await control.moveClock(1000)).toBeGreaterThanOrEqual(before + 1000);
    const again = await control.reset();
    expect(again).toEqual(emulator.organization);
    await expect(clientOf(control, own).listWallets({})).rejects.toThrow();
  });

  test("mistakes get the sentences that they get in its process", async () => {
    await expect(control.moveClock(-1)).rejects.toThrow(/the clock moves forward by/);
    await expect(control.createOrganization({ organizationId: "x" })).rejects.toThrow(
      /`organizationId` is `x`; use a UUID in lower case/,
    );
    expect(() => connectEmulator("https://wallets.example")).toThrow(
      "`https://wallets.example` is not the address of an emulator, such as http://localhost:3100",
    );
    const server = createServer((_, response) => response.writeHead(404).end("<html>"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const other = connectEmulator(`http://127.0.0.1:${port}`);
    await expect(other.now()).rejects.toThrow(/is no emulator: it says 404/);
    await new Promise((resolve) => server.close(resolve));
    await expect(other.now()).rejects.toThrow(/no emulator answers at/);
  });

  test.each([
    ["GET", "/emulator/reset", undefined, 405],
    ["POST", "/emulator/nothing", "{}", 404],
    ["POST", "/emulator/clock", "[]", 400],
    ["POST", "/emulator/clock", "{", 400],
    ["POST", "/emulator/clock", '{"forwardMs":1,"forwardMs":2}', 400],
    ["POST", "/emulator/clock", '{"backMs":1}', 400],
    ["POST", "/emulator/reset", '{"all":true}', 400],
    ["POST", "/emulator/organizations", '{"users":[]}', 400],
    [
      "POST",
      "/emulator/organizations",
      JSON.stringify({ organizationName: "x".repeat(20_000) }),
      400,
    ],
  ])("%s %s %s is refused", async (method, path, body, status) => {
    const response = await fetch(`${emulator.url}${path}`, { method, ...(body && { body }) });
    const { message } = await response.json();
    expect([response.status, message]).toEqual([status, expect.stringMatching(/\S/)]);
  });

  test("a page of another site controls nothing, nor one that names this machine by its own name", async () => {
    for (const [name, value] of [
      ["Origin", "http://evil.example"],
      ["Sec-Fetch-Site", "cross-site"],
      ["X-Forwarded-For", "203.0.113.1"],
    ] as const) {
      const headers = { [name]: value };
      const response = await fetch(`${emulator.url}/emulator/reset`, { method: "POST", headers });
      expect(response.status).toBe(403);
      expect(await response.text()).toContain("only programs control it");
    }
  });
});

test("its log is what the service would log, and without a function there is none", async () => {
  const lines: string[] = [];
  const own = await startHere({ log: (line) => lines.push(line) });
  onTestFinished(() => own.close());
  await makeWallet(clientOf(own, own.organization));
  const { organizationId, userId } = own.organization;
  await expect
    .poll(() => lines.map((line) => JSON.parse(line)))
    .toContainEqual(
      expect.objectContaining({
        ...{ msg: "request", path: "/public/v1/submit/create_wallet", status: 200 },
        ...{ organizationId, userId },
      }),
    );
  expect(lines.join()).not.toContain(own.organization.apiPrivateKey);
});

describe("what is not accepted", () => {
  test.each<[string, unknown, RegExp]>([
    ["no object", 3100, /startEmulator takes an object of options, not 3100/],
    ["an unknown option", { host: "0.0.0.0" }, /startEmulator has no option `host`: it has /],
    [
      "a port that is none",
      { port: 70_000 },
      /`port` is 70000; use a whole number from 0 to 65535/,
    ],
    ["a port as text", { port: "3100" }, /`port` is `3100`; use a whole number/],
    ["an id that is none", { organizationId: "acme" }, /`organizationId` is `acme`; use a UUID/],
    [
      "a key of another curve",
      { apiPublicKey: `04${"ab".repeat(64)}` },
      /`apiPublicKey` is `04abab.*P-256/,
    ],
    [
      "a point that is none",
      { apiPublicKey: `02${"ff".repeat(32)}` },
      /`apiPublicKey` is `02fff.*P-256/,
    ],
    [
      "a name of two lines",
      { organizationName: "a\nb" },
      /`organizationName` is .*without line breaks/s,
    ],
    ["issuers that are none", { oidcIssuers: "x" }, /`oidcIssuers`: `x` is not accepted/],
  ])("%s", async (_, options, sentence) => {
    await expect(startHere(options as EmulatorOptions)).rejects.toThrow(sentence);
  });

  test("a private key is never shown", async () => {
    const wrong = `zz${"1".repeat(62)}`;
    const error = await startHere({ apiPrivateKey: wrong }).catch(String);
    expect(error).toContain("`apiPrivateKey` is not accepted");
    expect(error).not.toContain("1111");
    const [a, b] = [newKey(), newKey()];
    await expect(
      startHere({ apiPrivateKey: a.privateKey, apiPublicKey: b.publicKey }),
    ).rejects.toThrow("`apiPublicKey` is not the public key of `apiPrivateKey`");
  });

  test("a port in use", async () => {
    const port = Number(new URL(emulator.url).port);
    await expect(startHere({ port })).rejects.toThrow(
      `port ${port} is in use by another process; stop it, or give another port (0 takes a free one)`,
    );
  });
});

test("nobody reaches it by another address of this machine", async () => {
  const port = new URL(emulator.url).port;
  const others = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .filter(({ internal, family }) => !internal && family === "IPv4");
  for (const { address } of others) {
    await expect(fetch(`http://${address}:${port}/healthz`)).rejects.toThrow();
  }
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
});
