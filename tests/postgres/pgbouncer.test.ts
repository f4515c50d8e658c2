import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore, type Store } from "@keyhearth/api/store/connect";
import { migrate } from "@keyhearth/api/store/migrate";
import { databaseUnavailable, isDatabaseDown } from "@keyhearth/api/store/unavailable";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTarget, expectKept, expectRepeatable, type Sent, startLoad } from "../kill/load.ts";
import { testInLongForm } from "../start/long-form.ts";
import { newWallet, query, submit } from "../start/post.ts";
import { readRootKey, runMain, startService } from "../start/process.ts";
import { findPgbouncer, type Pgbouncer, startPgbouncer } from "./pgbouncer.ts";
import { createDatabase, findPostgres, type Postgres, startPostgres } from "./start.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

// Where pgbouncer is not installed, nothing here runs: apt-get install pgbouncer.
describe.runIf(findPostgres() && findPgbouncer())("a pooler in transaction mode", () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-pgbouncer-"));
  let postgres: Postgres;
  let names = 0;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
  });

  afterAll(async () => {
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  /** A new database behind a pooler of its own. */
  async function pooled(
    options: Parameters<typeof startPgbouncer>[1] = {},
  ): Promise<Pgbouncer & { direct: string; data: string }> {
    names += 1;
    const direct = await createDatabase(postgres.url, `pooled_${names}`);
    const bouncer = await startPgbouncer(direct, options);
    onTestFinished(() => bouncer.stop());
    return { ...bouncer, direct, data: join(temporary, String(names)) };
  }

  async function open(url: string, isPooled: boolean): Promise<Store> {
    const store = await openStore({ kind: "postgres", url: secret(url), isPooled });
    onTestFinished(() => store.close());
    return store;
  }

  async function ask(url: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  }

  test("serves every kind of work at once, and leaves nothing in its sessions", async () => {
    const { url, direct, data } = await pooled();
    const service = await startService({
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: url,
      DATABASE_POOLER: "transaction",
    });
    onTestFinished(async () => void (await service.stop()));
    const root = readRootKey(data);
    const targets = await Promise.all([1, 2, 3].map(() => createTarget(service, root)));
    const loads = targets.map((target) => startLoad(service, target));
    const reads = ["list_activities", "list_wallets", "get_receipts", "whoami", "list_users"];
    for (let round = 0; round < 12; round++) {
      const answers = await Promise.all([
        ...reads.map((name) => query(service, root, name)),
        ...targets.map(({ key }) => query(service, key, "list_activities")),
        submit(service, root, newWallet(root)),
      ]);
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    }
    await Promise.all(loads.map((load) => load.stop()));
    for (const [index, { sent }] of loads.entries()) {
      const key = targets[index]?.key ?? root;
      expect(sent.map(({ answer }) => answer?.status)).toEqual(sent.map(() => 200));
      await expectKept(service, key, sent);
      await expectRepeatable(service, key, sent);
    }
    // The job that seals, which nobody asks for.
    const unsealed = async () => (await query(service, root, "get_receipts")).json.unsealed;
    await expect.poll(unsealed, { timeout: 30_000 }).toBe(0);
    await expect
      .poll(async () => (await ask(direct, "SELECT count(*) AS n FROM segments"))[0]?.n, {
        timeout: 30_000,
      })
      .not.toBe("0");
    // Each session of the pool, as the next client gets it.
    const clients = Array.from({ length: 4 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    await Promise.all(clients.map((client) => client.query("BEGIN")));
    for (const client of clients) {
      const { rows } = await client.query(`SELECT
        (SELECT count(*) FROM pg_prepared_statements)::int AS prepared,
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')::int AS locks,
        (SELECT count(*) FROM pg_settings WHERE source = 'session' AND name IN ('enable_seqscan', 'jit'))::int AS settings,
        (SELECT count(*) FROM pg_listening_channels())::int AS channels,
        (SELECT count(*) FROM pg_class WHERE relpersistence = 't')::int AS temporary`);
      expect(rows).toEqual([{ prepared: 0, locks: 0, settings: 0, channels: 0, temporary: 0 }]);
    }
    await Promise.all(clients.map((client) => client.end()));
  });

  testInLongForm("lets two processes migrate at once", async () => {
    const { url } = await pooled({ sessions: 2 });
    const stores = await Promise.all([open(url, true), open(url, true)]);
    await Promise.all(stores.map((store) => migrate(store, 1)));
    for (const store of stores) await store.probe();
  });

  test("ends a start that does not know of it, with the setting", async () => {
    const { url, data } = await pooled();
    const started = runMain({ KEYHEARTH_DATA_DIR: data, DATABASE_URL: url });
    expect(await started.ended).toBe(1);
    expect(started.stderr()).toContain(
      "DATABASE_URL leads to a pooler in transaction mode, such as pgbouncer, and DATABASE_POOLER does not say so; set DATABASE_POOLER to `transaction`, or set DATABASE_URL to the database itself",
    );
  });

  test("is found among clients that are busy", async () => {
    const { url } = await pooled({ sessions: 3 });
    const clients = Array.from({ length: 6 }, () => new pg.Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect()));
    let isBusy = true;
    const work = clients.map(async (client) => {
      while (isBusy) await client.query("SELECT pg_sleep(0.002)");
    });
    const outcomes: string[] = [];
    for (let tries = 0; tries < 20; tries++) {
      const opened = openStore({ kind: "postgres", url: secret(url), isPooled: false });
      outcomes.push(await opened.then((store) => store.close().then(() => "opened"), String));
    }
    isBusy = false;
    await Promise.all(work);
    await Promise.all(clients.map((client) => client.end()));
    expect(new Set(outcomes)).toEqual(
      new Set([
        expect.stringMatching(/^StartError: DATABASE_URL leads to a pooler in transaction mode/),
      ]),
    );
  });

  test("is not what a pooler in session mode is", async () => {
    const { url } = await pooled({ mode: "session", sessions: 20 });
    const store = await open(url, false);
    await store.run("named", "SELECT 1 WHERE $1::int = 1", [1]);
    expect(await store.run("named", "SELECT 1 AS one WHERE $1::int = 1", [1])).toEqual([
      { one: 1 },
    ]);
  });

  test("that comes later never runs another text, and a session that is mixed up is an outage", async () => {
    const direct = await createDatabase(postgres.url, "later");
    const before = await startPgbouncer(direct, { mode: "session", sessions: 20 });
    const one = await open(before.url, false);
    const two = await open(before.url, false);
    await before.stop();
    const port = Number(new URL(before.url).port);
    const bouncer = await startPgbouncer(direct, { sessions: 1, port });
    onTestFinished(() => bouncer.stop());
    expect(await one.run("name", "SELECT $1::int + 1 AS n", [1])).toEqual([{ n: 2 }]);
    expect(await two.run("name", "SELECT $1::int + 2 AS n", [1])).toEqual([{ n: 3 }]);
    const mixedUp = await two.run("name", "SELECT $1::int + 1 AS n", [1]).catch((error) => error);
    expect(mixedUp).toMatchObject({ code: "42P05" });
    expect(isDatabaseDown(mixedUp)).toBe(true);
    expect(databaseUnavailable(mixedUp).message).toContain("DATABASE_POOLER to `transaction`");
  });

  test("that has no such database or user ends a start in one sentence", async () => {
    const { url, data } = await pooled();
    const wrong = new URL(url);
    wrong.pathname = "/nothing_here";
    const database =
      'the pooler of DATABASE_URL refuses to connect (database "nothing_here" does not exist)';
    const started = runMain({
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: wrong.href,
      DATABASE_POOLER: "transaction",
    });
    expect(await started.ended).toBe(1);
    expect(started.stderr()).toContain(database);
    const stranger = url.replace("keyhearth@", "stranger@");
    await expect(open(stranger, true)).rejects.toThrow(/authentication failed\); check the user/);
  });

  testInLongForm("whose sessions are all held is an outage that passes", async () => {
    const { url, data } = await pooled({ sessions: 2 });
    const service = await startService({
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: url,
      DATABASE_POOLER: "transaction",
    });
    onTestFinished(async () => void (await service.stop()));
    const root = readRootKey(data);
    const holders = [1, 2].map(() => new pg.Client({ connectionString: url }));
    const unavailable = { code: "DATABASE_UNAVAILABLE" };
    for (const holder of holders) {
      holder.on("error", () => {});
      await holder.connect();
      await holder.query("BEGIN");
    }
    const wallet = newWallet(root);
    const refused = await submit(service, root, wallet);
    expect(refused).toMatchObject({ status: 503, json: { details: [unavailable] } });
    expect((await fetch(`${service.url}/readyz`)).status).toBe(503);
    for (const holder of holders) await holder.end();
    await expect
      .poll(async () => (await submit(service, root, wallet)).status, { timeout: 20_000 })
      .toBe(200);
    const { json } = await query(service, root, "list_wallets");
    expect(json.wallets).toHaveLength(1);
  });

  testInLongForm("whose database is gone is an outage that passes", async () => {
    const own = await startPostgres({ fsync: false });
    onTestFinished(() => own.stop());
    const bouncer = await startPgbouncer(own.url);
    onTestFinished(() => bouncer.stop());
    const data = join(temporary, "outage");
    const service = await startService({
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: bouncer.url,
      DATABASE_POOLER: "transaction",
    });
    onTestFinished(async () => void (await service.stop()));
    const root = readRootKey(data);
    const target = await createTarget(service, root);
    const load = startLoad(service, target);
    await expect.poll(() => load.sent.length).toBeGreaterThan(30);
    await own.halt();
    await expect
      .poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 20_000 })
      .toBe(503);
    await own.resume();
    await expect
      .poll(async () => (await fetch(`${service.url}/readyz`)).status, { timeout: 40_000 })
      .toBe(200);
    await load.stop();
    for (const { answer } of load.sent) expect([200, 503, undefined]).toContain(answer?.status);
    // A caller who waits too long gets the activity as it is, and asks for it again.
    const isPending = ({ answer }: Sent) =>
      answer?.json.activity?.status === "ACTIVITY_STATUS_PENDING";
    const ended = load.sent.filter((each) => !isPending(each));
    await expectKept(service, target.key, ended);
    await expectRepeatable(service, target.key, ended);
  });
});
