import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newOrganization, startTestServer } from "@keyhearth/api/testing";
import type { KeyhearthError } from "@keyhearth/sdk";
import { readPublicKeys } from "@keyhearth/signer/signer";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { processorSeconds } from "../../bench/resources.ts";
import { createDatabase, findPostgres, startPostgres } from "../postgres/start.ts";
import { newDataDirectory } from "./data-directory.ts";
import { newWallet, stampOf, submission } from "./post.ts";
import { clientOf, type Environment, readRootKey, runMain, startService } from "./process.ts";

vi.setConfig({ testTimeout: 180_000 });

const temporary = mkdtempSync(join(tmpdir(), "keyhearth-start-"));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

// Started first, because the service waits before it gives up. The other tests run in the meantime.
type Line = { level: string; time: string; msg: string; signer?: object };
let withoutSigner: Promise<{ sentence: string; lines: Line[]; endedAtMs: number }>;
beforeAll(() => {
  const environment = {
    KEYHEARTH_DATA_DIR: newDirectory(),
    KEYHEARTH_SIGNER: `unix:${join(temporary, "nobody.sock")}`,
  };
  const refused = runMain(environment);
  withoutSigner = refused.ended.then(() => ({
    sentence: refused.stderr(),
    lines: refused
      .stdout()
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
    endedAtMs: Date.now(),
  }));
  // Its test checks the outcome.
  withoutSigner.catch(() => {});
});

let directories = 0;
function newDirectory(): string {
  directories += 1;
  return join(temporary, `data-${directories}`);
}

/** With an empty database that has all tables. */
async function newMigrated(): Promise<string> {
  const directory = await newDataDirectory("start");
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** We promise three seconds, but a machine that does other work at the same time gets some slack. */
const LONGEST_START_MS = 8000;
/** On one that does a lot, processor time still says what a start costs: four seconds, of all threads together. */
const BUSY = { longestMs: 25_000, processorSeconds: 6.5 };

test("the first start creates the root key and shows where everything is; the second is quick", async () => {
  const dataDirectory = newDirectory();
  const asUsers = { isFromSources: true };
  const first = await startService({ KEYHEARTH_DATA_DIR: dataDirectory }, [], asUsers);
  for (const row of ["Site", "API", "Reference", "Data directory", "Root API key"]) {
    expect(first.stdout()).toMatch(new RegExp(`^ {2}${row} +\\S`, "m"));
  }
  expect(first.stdout()).toMatch(/^ {2}Signer public key +[0-9a-f]{66,}$/m);
  expect(first.stdout()).toContain("A new root organization was created");
  const keyFile = join(dataDirectory, "root-api-key.json");
  // Whole paths, which can be copied from anywhere.
  expect(first.stdout()).toMatch(new RegExp(`^  Data directory +${dataDirectory}$`, "m"));
  expect(first.stdout()).toMatch(new RegExp(`^  Root API key +${keyFile}$`, "m"));
  const [, mailbox] = /^ {2}Mailbox +(\S+)$/m.exec(first.stdout()) ?? [];
  expect((await fetch(mailbox ?? "")).status).toBe(200);
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(statSync(dataDirectory).mode & 0o777).toBe(0o700);
  const root = readRootKey(dataDirectory);
  await expect(clientOf(first, root).whoami()).resolves.toMatchObject({
    organizationId: root.organizationId,
    userId: root.userId,
  });
  const described = await fetch(`${first.url}/.well-known/keyhearth.json`);
  expect(await described.json()).toEqual({
    version: expect.any(String),
    rootOrganizationId: root.organizationId,
    signup: "closed",
    // What `describe` prints on the signer's machine, under the same names.
    ...readPublicKeys(join(dataDirectory, "signer")),
  });
  const programs = await fetch(`${first.url}/getting-started/quickstart.md`);
  const quickstart = await programs.text();
  expect(quickstart).toContain(`http://localhost:${new URL(first.url).port}`);
  expect(quickstart).toContain(keyFile);
  expect(await first.stop()).toBe(0);

  // Timed as a user starts it: without the compiled modules of earlier tests.
  const timed = { KEYHEARTH_DATA_DIR: dataDirectory, NODE_COMPILE_CACHE: "" };
  let second = await startService(timed, [], asUsers);
  let cost = processorSeconds(second.child.pid);
  for (let i = 0; i < 1 && second.readyAfterMs >= LONGEST_START_MS; i++) {
    expect(await second.stop()).toBe(0);
    second = await startService(timed, [], asUsers);
    cost = processorSeconds(second.child.pid);
  }
  console.log(
    `second start: ready after ${Math.round(second.readyAfterMs)} ms, ${cost} s of processor time`,
  );
  expect(second.stdout()).not.toContain("A new root organization");
  expect(readRootKey(dataDirectory)).toEqual(root);
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  expect(await second.stop()).toBe(0);
  const isBusy = second.readyAfterMs >= LONGEST_START_MS;
  if (isBusy) expect(cost).toBeLessThan(BUSY.processorSeconds);
  expect(second.readyAfterMs).toBeLessThan(isBusy ? BUSY.longestMs : LONGEST_START_MS);
}, 120_000);

test("after SIGTERM a request in flight still finishes, and the exit code is 0", async () => {
  const dataDirectory = await newMigrated();
  const service = await startService({
    KEYHEARTH_DATA_DIR: dataDirectory,
    KEYHEARTH_LOG_LEVEL: "info",
  });
  const root = readRootKey(dataDirectory);
  const { endpoint, body } = newWallet(root);
  const { name, value } = await stampOf(body, root);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  const head = [
    `POST /public/v1/submit/${endpoint} HTTP/1.1`,
    "Host: test",
    "Content-Type: application/json",
    `${name}: ${value}`,
    `Content-Length: ${body.length}`,
    "Expect: 100-continue",
  ].join("\r\n");
  let answer = "";
  socket.on("data", (chunk) => {
    answer += chunk.toString();
  });
  // Only half of the body has been sent when the signal arrives, and the service works on it.
  socket.write(`${head}\r\n\r\n${body.slice(0, 20)}`);
  await expect.poll(() => answer).toBe(CONTINUE);

  const signalledAt = performance.now();
  const stopped = service.stop();
  const isOpen = () =>
    fetch(`${service.url}/healthz`).then(
      () => true,
      () => false,
    );
  await expect.poll(isOpen).toBe(false);
  socket.write(body.slice(20));
  expect(await stopped).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(10_000);
  expect(answer.slice(CONTINUE.length)).toMatch(/^HTTP\/1\.1 200 /);
  expect(answer).toContain("ACTIVITY_STATUS_COMPLETED");
  const said = [...service.stdout().matchAll(/"msg":"(stopp\w+)"/g)].map(([, text]) => text);
  expect(said).toEqual(["stopping", "stopped"]);
});

/** What a server says once it has read the head of a request that asks for it. */
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

describe("a failed start is explained in one sentence", () => {
  test("a port that is in use", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" && address ? address.port : 0;
    const environment = { KEYHEARTH_DATA_DIR: newDirectory(), PORT: String(port) };
    expect(await sentenceOf(environment)).toContain(`port ${port}`);
    other.close();
  });

  test.for([
    ["PORT", "99999"],
    ["KEYHEARTH_SIGNER", "tcp:1234"],
    ["KEYHEARTH_LOG_LEVEL", "loud"],
    ["DATABASE_URL", "mysql://localhost/keyhearth"],
  ])("a wrong value of %s", async ([name = "", value = ""]) => {
    const environment = { KEYHEARTH_DATA_DIR: newDirectory(), [name]: value };
    expect(await sentenceOf(environment)).toContain(name);
  });

  test("a data directory that belongs to something else", async () => {
    const dataDirectory = newDirectory();
    mkdirSync(dataDirectory);
    writeFileSync(join(dataDirectory, "thesis.tex"), "");
    const sentence = await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory });
    expect(sentence).toContain(dataDirectory);
    expect(sentence).toContain("thesis.tex");
    expect(readdirSync(dataDirectory)).toEqual(["thesis.tex"]);
  });

  test("a data directory that is a file", async () => {
    const path = newDirectory();
    writeFileSync(path, "");
    expect(await sentenceOf({ KEYHEARTH_DATA_DIR: path })).toContain("is not a directory");
  });

  // Root can read everything.
  test.runIf(process.getuid?.() !== 0)("a data directory that may not be read", async () => {
    const dataDirectory = newDirectory();
    mkdirSync(dataDirectory);
    chmodSync(dataDirectory, 0o000);
    const sentence = await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory });
    expect(sentence).toContain("cannot be read and written by this user");
    chmodSync(dataDirectory, 0o700);
  });

  test("a signer process that is not running", async () => {
    const { sentence, lines, endedAtMs } = await withoutSigner;
    const path = join(temporary, "nobody.sock");
    expect(sentence).toMatch(/^keyhearth: .+\n$/);
    expect(sentence).toContain(`the signer of KEYHEARTH_SIGNER does not answer at ${path};`);
    const told = lines.filter(({ msg }) => msg === "signer: signer not there");
    expect(told).toEqual([
      expect.objectContaining({ level: "error", signer: { path, code: "ENOENT" } }),
    ]);
    // Long before it gives up.
    expect(endedAtMs - Date.parse(told[0]?.time ?? "")).toBeGreaterThan(10_000);
  });

  test("a root key that is missing for an existing database", async () => {
    const dataDirectory = await newMigrated();
    const service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
    await service.stop();
    const rootKey = join(dataDirectory, "signer", "root-key");
    expect(existsSync(rootKey)).toBe(true);

    rmSync(rootKey);
    const missing = await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory });
    expect(missing).toContain("root-key is missing");
    // The signer must not create a new key for old records, with or without a keyring.
    rmSync(join(dataDirectory, "signer"), { recursive: true });
    expect(await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory })).toContain(
      "root-key is missing",
    );
    expect(existsSync(rootKey)).toBe(false);
  });

  test("a second process on one embedded data directory", async () => {
    const dataDirectory = await newMigrated();
    const service = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
    const sentence = await sentenceOf({ KEYHEARTH_DATA_DIR: dataDirectory });
    expect(sentence).toContain(`in use by process ${service.child.pid}`);
    // The first process is not affected.
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
    // After a kill nobody has to clean up by hand.
    const killed = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
    await killed.kill();
    const again = await startService({ KEYHEARTH_DATA_DIR: dataDirectory });
    expect(await again.stop()).toBe(0);
  });

  test.runIf(findPostgres())("a PostgreSQL that has no such database", async () => {
    const postgres = await startPostgres({ fsync: false });
    const sentence = await sentenceOf({
      KEYHEARTH_DATA_DIR: newDirectory(),
      DATABASE_URL: postgres.url.replace(/postgres$/, "missing"),
    });
    expect(sentence).toContain("DATABASE_URL");
    await postgres.stop();
  });
});

describe.runIf(findPostgres())("an activity that outlives its request", () => {
  test("is answered PENDING, never completed before it is durable, and polling finds the outcome", async () => {
    const postgres = await startPostgres({ fsync: false });
    const databaseUrl = await createDatabase(postgres.url, "slow");
    process.env.KEYHEARTH_TEST_POSTGRES = databaseUrl;
    const server = await startTestServer();
    const { root } = await newOrganization(server);
    const { walletId } = await root.createWallet({ walletName: "first", accounts: [] });
    server.host.commitDeadlineMs = 50;

    const [row] = await server.store.run("", "SELECT current_database() AS name", []);
    const own = new URL(databaseUrl);
    own.pathname = `/${row?.name}`;
    const locker = new pg.Client({ connectionString: own.href });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("LOCK TABLE activities IN EXCLUSIVE MODE");

    const { organizationId } = root;
    const slow = submission({ organizationId }, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
      walletName: "second",
      accounts: [],
    });
    const answer = await root.request("/public/v1/submit/create_wallet", slow.body);
    const first = answer.activity as { id: string; status: string; result: object };
    expect(first).toMatchObject({ status: "ACTIVITY_STATUS_PENDING", result: {} });
    const polled = await root.getActivity({ activityId: first.id });
    expect(polled.activity.status).toBe("ACTIVITY_STATUS_PENDING");
    expect((await root.listWallets({})).wallets.map((wallet) => wallet.walletId)).toEqual([
      walletId,
    ]);

    // The client's own polling waits until it is done.
    const third = root.createWallet({ walletName: "third", accounts: [] });
    await sleep(200);
    await locker.query("COMMIT");
    await locker.end();
    expect((await third).walletId).toMatch(/^[0-9a-f-]{36}$/);
    const done = await root.getActivity({ activityId: first.id });
    expect(done.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
    expect(done.activity.fingerprint).toBe(polled.activity.fingerprint);
    expect((await root.listWallets({})).wallets).toHaveLength(3);

    await server.stop();
    await postgres.stop();
    delete process.env.KEYHEARTH_TEST_POSTGRES;
  });

  test("is not shown as failed if the database was lost on its way, because it may still take effect", async () => {
    const postgres = await startPostgres({ fsync: false });
    const databaseUrl = await createDatabase(postgres.url, "lost");
    process.env.KEYHEARTH_TEST_POSTGRES = databaseUrl;
    const server = await startTestServer();
    const { root } = await newOrganization(server);
    server.host.commitDeadlineMs = 50;
    const [row] = await server.store.run("", "SELECT current_database() AS name", []);
    const own = new URL(databaseUrl);
    own.pathname = `/${row?.name}`;
    const locker = new pg.Client({ connectionString: own.href });
    await locker.connect();
    await locker.query("BEGIN");
    await locker.query("LOCK TABLE activities IN EXCLUSIVE MODE");

    const { organizationId } = root;
    const slow = submission({ organizationId }, "create_wallet", "ACTIVITY_TYPE_CREATE_WALLET", {
      walletName: "lost",
      accounts: [],
    });
    const send = () => root.request("/public/v1/submit/create_wallet", slow.body);
    const { id, status } = (await send()).activity as { id: string; status: string };
    expect(status).toBe("ACTIVITY_STATUS_PENDING");
    const cut =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
    // What else waits for the table is cut with it.
    await expect.poll(async () => (await locker.query(cut)).rowCount).toBeGreaterThan(0);
    await locker.query("COMMIT");
    await locker.end();
    const poll = () =>
      root.getActivity({ activityId: id }).then(
        ({ activity }) => activity.status,
        ({ code, message }: KeyhearthError) => `${code}: ${message}`,
      );
    await expect
      .poll(poll, { timeout: 30_000 })
      .toMatch(/^DATABASE_UNAVAILABLE: .*send the bytes of its request again/);
    // It may take longer than this host's 50 ms again.
    const outcome = async () => ((await send()).activity as { status: string }).status;
    await expect.poll(outcome).toBe("ACTIVITY_STATUS_COMPLETED");
    expect((await root.listWallets({})).wallets).toHaveLength(1);

    await server.stop();
    await postgres.stop();
    delete process.env.KEYHEARTH_TEST_POSTGRES;
  }, 120_000);
});

/** What the service prints when it refuses to start: one line without a stack, and exit code 1. */
async function sentenceOf(environment: Environment): Promise<string> {
  const refused = runMain(environment);
  const code = await refused.ended;
  const said = refused.stderr();
  expect(said).toMatch(/^keyhearth: .+\n$/);
  expect(said).not.toMatch(/\n\s+at /);
  expect(code).toBe(1);
  expect(refused.stdout()).not.toContain("is ready");
  return said;
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
