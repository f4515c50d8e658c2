import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { MissingRecord } from "@keyhearth/api/errors";
import { type Db, openStore, type Store } from "@keyhearth/api/store/connect";
import { migrate } from "@keyhearth/api/store/migrate";
import { secret } from "@keyhearth/crypto/secret";
import { CompiledQuery } from "kysely";
import pg from "pg";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from "vitest";
import { createTarget } from "../kill/load.ts";
import { query, signing, submit } from "../start/post.ts";
import { readRootKey, runMain, startService, startSigner } from "../start/process.ts";
import { findPgbouncer, startPgbouncer } from "./pgbouncer.ts";
import {
  createDatabase,
  findPostgres,
  type Postgres,
  startPostgres,
  startStandby,
} from "./start.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

describe.runIf(findPostgres())("a standby that", () => {
  // What a test does not leave as it was is a server of its own.
  let primary: Postgres;
  let standby: Postgres;
  let tests = 0;

  beforeAll(async () => {
    // Commits reach the log at once, as in production, and so the standby.
    primary = await startPostgres({ fsync: true });
    standby = await startStandby(primary);
  });

  beforeEach(async () => {
    tests += 1;
    await createDatabase(primary.url, databaseOfTest());
  });

  afterAll(async () => {
    await Promise.all([standby?.stop(), primary?.stop()]);
  });

  const databaseOfTest = () => `read_${tests}`;
  const of = ({ url }: Postgres, database = databaseOfTest()) =>
    url.replace(/\/postgres$/, `/${database}`);

  async function newStandby(followed = primary): Promise<Postgres> {
    const server = await startStandby(followed);
    onTestFinished(() => server.stop());
    return server;
  }
  const hostOf = ({ url }: Postgres) => new URL(url).host;

  async function ask({ url }: { url: string }, text: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  }

  type Opened = Store & { standbys: NonNullable<Store["standbys"]> };

  async function open(url: string, standbyUrl: string, { isPooled = false } = {}): Promise<Opened> {
    const store = await openStore({
      kind: "postgres",
      url: secret(url),
      isPooled,
      standbyUrl: secret(standbyUrl),
    });
    onTestFinished(() => store.close());
    await migrate(store, 1);
    await store.run("", "CREATE TABLE IF NOT EXISTS written (n int)", []);
    const opened = store as Opened;
    await expect.poll(() => readPort(opened), { timeout: 10_000 }).not.toBe(null);
    return opened;
  }

  async function rowsOf(db: Db, text: string): Promise<Record<string, unknown>[]> {
    return (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text))).rows;
  }

  /** The port of the server that answers. Null if the primary would have to. */
  async function readPort({ standbys }: Opened): Promise<number | null> {
    const found = await standbys.read((db) => rowsOf(db, "SELECT inet_server_port() AS port"));
    return found && Number(found.value[0]?.port);
  }

  const portOf = (server: Postgres) => Number(new URL(server.url).port);

  /** Writes, and says what a standby then has of it. */
  async function writeAndRead(store: Opened, n: number) {
    await store.run("write", "INSERT INTO written VALUES ($1)", [n]);
    const found = await store.standbys.read((db) => rowsOf(db, "SELECT max(n) AS n FROM written"));
    return found && Number(found.value[0]?.n);
  }

  test("follows the primary answers with all that was written before", async () => {
    const store = await open(of(primary), of(standby));
    expect(await readPort(store)).toBe(portOf(standby));
    const seen: (number | null)[] = [];
    for (let n = 1; n <= 300; n++) {
      const read = await writeAndRead(store, n);
      if (read !== null) expect(read).toBe(n);
      seen.push(read);
      if (read === null) await sleep(1100);
    }
    // A busy machine may keep the standby from replaying for a moment.
    expect(seen.filter((each) => each !== null).length).toBeGreaterThan(270);
  });

  test("has its replay paused is not asked, and is asked again when it goes on", async () => {
    const store = await open(of(primary), of(standby));
    const states: (string | null)[] = [];
    store.standbys.watch(({ away }) => states.push(away));
    await ask(standby, "SELECT pg_wal_replay_pause()");
    const startedAt = performance.now();
    expect(await writeAndRead(store, 1)).toBe(null);
    expect(performance.now() - startedAt).toBeLessThan(1000);
    for (let n = 2; n < 20; n++) expect(await writeAndRead(store, n)).toBe(null);
    await sleep(2500);
    expect(await readPort(store)).toBe(null);
    await ask(standby, "SELECT pg_wal_replay_resume()");
    await expect.poll(() => readPort(store), { timeout: 10_000 }).toBe(portOf(standby));
    expect(await writeAndRead(store, 20)).toBe(20);
    expect(states).toEqual([null, "it lags behind the primary, or does not follow it", null]);
  });

  test("ends, or says nothing, keeps nobody waiting, and another one is asked", async () => {
    const second = await newStandby();
    const hosts = [hostOf(standby), hostOf(second)].join(",");
    const store = await open(of(primary), `postgres://keyhearth@${hosts}/${databaseOfTest()}`);
    expect(await readPort(store)).toBe(portOf(standby));
    await standby.halt();
    expect(await readPort(store)).toBe(null);
    await expect.poll(() => readPort(store), { timeout: 10_000 }).toBe(portOf(second));
    await standby.resume();
    second.freeze();
    const startedAt = performance.now();
    expect(await readPort(store)).toBe(null);
    expect(performance.now() - startedAt).toBeLessThan(2500);
    const at = performance.now();
    for (let count = 0; count < 20; count++) await readPort(store);
    expect(performance.now() - at).toBeLessThan(1500);
    await expect.poll(() => readPort(store), { timeout: 20_000 }).toBe(portOf(standby));
  });

  test("was promoted is not asked", async () => {
    const promoted = await newStandby();
    const store = await open(of(primary), of(promoted));
    await ask(promoted, "SELECT pg_promote()");
    expect(await readPort(store)).toBe(null);
    await sleep(2500);
    expect(await readPort(store)).toBe(null);
  });

  test("has commits that a failover lost is not asked, although it is ahead", async () => {
    const old = await startPostgres({ fsync: true });
    onTestFinished(() => old.stop());
    await createDatabase(old.url, databaseOfTest());
    const [ahead, next] = [await newStandby(old), await newStandby(old)];
    const both = [hostOf(old), hostOf(next)].join(",");
    const store = await open(
      `postgres://keyhearth@${both}/${databaseOfTest()}?target_session_attrs=read-write`,
      of(ahead),
    );
    // The one that is promoted lacks the last commits, and the other has them.
    await next.halt();
    const client = { url: of(old) };
    await ask(client, "INSERT INTO written SELECT generate_series(1, 100000)");
    const has = async () => (await ask({ url: of(ahead) }, "SELECT max(n) AS n FROM written"))[0];
    await expect.poll(has).toEqual({ n: 100_000 });
    await old.halt();
    await next.resume();
    await ask(next, "SELECT pg_promote()");
    await expect
      .poll(
        () =>
          store.probe().then(
            () => "there",
            () => "away",
          ),
        { timeout: 20_000 },
      )
      .toBe("there");
    const [replayed] = await ask(ahead, "SELECT pg_last_wal_replay_lsn() AS lsn");
    const [now] = await store.run(
      "",
      `SELECT pg_current_wal_lsn() < '${replayed?.lsn}' AS behind`,
      [],
    );
    expect(now).toEqual({ behind: true });
    for (let count = 0; count < 5; count++) {
      expect(await readPort(store)).toBe(null);
      await sleep(600);
    }
    expect(await store.run("", "SELECT count(*)::int AS n FROM written", [])).toEqual([{ n: 0 }]);
  });

  test("fails in the middle of an answer, or lacks a record, leaves it to the primary", async () => {
    const store = await open(of(primary), of(standby));
    const { standbys } = store;
    const ended = await standbys.read(async (db) => {
      await rowsOf(db, "SELECT 1");
      // An answer may make do without what failed.
      await rowsOf(db, "SELECT pg_terminate_backend(pg_backend_pid())").catch(() => {});
      return "half an answer";
    });
    expect(ended).toBe(null);
    await expect.poll(() => readPort(store), { timeout: 10_000 }).toBe(portOf(standby));
    const lacking = standbys.read(() => Promise.reject(new MissingRecord("x")));
    expect(await lacking).toBe(null);
    const refused = standbys.read(() => Promise.reject(new Error("a refusal")));
    await expect(refused).rejects.toThrow("a refusal");
    // Nothing can be written, and no connection is lost.
    const written = standbys.read((db) => rowsOf(db, "INSERT INTO written VALUES (1)"));
    expect(await written).toBe(null);
  });

  test("has no connection left does not make answers wait", async () => {
    const store = await open(of(primary), of(standby));
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const holding = Array.from({ length: 6 }, () => store.standbys.read(() => held));
    await sleep(200);
    const startedAt = performance.now();
    expect(await readPort(store)).toBe(null);
    expect(performance.now() - startedAt).toBeLessThan(500);
    release();
    expect((await Promise.all(holding)).filter((each) => each !== null)).toHaveLength(6);
    await expect.poll(() => readPort(store)).toBe(portOf(standby));
  });

  test.runIf(findPgbouncer())(
    "is behind a pooler is asked in one session for each answer",
    async () => {
      const before = await startPgbouncer(of(primary));
      const behind = await startPgbouncer(of(standby), { sessions: 2 });
      onTestFinished(() => Promise.all([before.stop(), behind.stop()]).then(() => {}));
      const store = await open(before.url, behind.url, { isPooled: true });
      const sessions = await Promise.all(
        [1, 2, 3, 4].map(() =>
          store.standbys.read(async (db) => {
            const pid = "SELECT pg_backend_pid() AS pid";
            const [first] = await rowsOf(db, pid);
            await rowsOf(db, "SELECT pg_sleep(0.02)");
            const [second] = await rowsOf(db, pid);
            return first?.pid === second?.pid;
          }),
        ),
      );
      expect(sessions).toEqual([1, 2, 3, 4].map(() => ({ value: true })));
    },
  );

  describe("as DATABASE_READ_URL of a service", () => {
    const temporary = mkdtempSync(join(tmpdir(), "keyhearth-standbys-"));

    afterAll(() => rmSync(temporary, { recursive: true, force: true }));

    test("shows each process what another one has just written", async () => {
      const signer = await startSigner(join(temporary, "signer"));
      onTestFinished(async () => void (await signer.stop()));
      const environment = (name: string) => ({
        KEYHEARTH_DATA_DIR: join(temporary, name),
        KEYHEARTH_SIGNER: `unix:${signer.socket}`,
        DATABASE_URL: of(primary),
        DATABASE_READ_URL: of(standby),
        KEYHEARTH_LOG_LEVEL: "info",
      });
      const one = await startService(environment("one"));
      onTestFinished(async () => void (await one.stop()));
      const two = await startService(environment("two"));
      onTestFinished(async () => void (await two.stop()));
      const root = readRootKey(join(temporary, "one"));
      const { key, signWith } = await createTarget(one, root);
      const answered = "a standby of DATABASE_READ_URL answers queries";
      for (const service of [one, two]) {
        await expect.poll(() => service.stdout(), { timeout: 10_000 }).toContain(answered);
      }
      const countOf = async () => Number((await ask({ url: of(standby) }, COMMITS))[0]?.n);
      const before = await countOf();
      for (let count = 0; count < 60; count++) {
        const [writer, reader] = count % 2 === 0 ? [one, two] : [two, one];
        if (count === 20) await ask(standby, "SELECT pg_wal_replay_pause()");
        if (count === 40) await ask(standby, "SELECT pg_wal_replay_resume()");
        const { json } = await submit(writer, key, signing(key, signWith));
        const listed = await query(reader, key, "list_activities", {
          paginationOptions: { limit: "1" },
        });
        expect(listed.json.activities).toMatchObject([{ id: json.activity?.id }]);
      }
      await expect.poll(countOf, { timeout: 15_000 }).toBeGreaterThan(before + 10);
      // A long list is the reader's, which has connections of its own.
      const ofReader = async () => (await ask({ url: of(standby) }, READERS))[0]?.n;
      const listAll = async () => {
        const { json } = await submit(one, key, signing(key, signWith));
        const listed = await query(two, key, "list_activities", {
          paginationOptions: { limit: "100" },
        });
        expect(listed.json.activities?.[0]).toMatchObject({ id: json.activity?.id });
        return ofReader();
      };
      await expect.poll(listAll, { timeout: 20_000, interval: 200 }).toBeGreaterThan(0);
      const metrics = await (await fetch(`${one.url}/metrics`)).text();
      expect(metrics).toContain("keyhearth_database_standby_asked ");
    });

    test("is refused if it belongs to another installation, and not if it is the primary or away", async () => {
      const data = join(temporary, "refused");
      const environment = { KEYHEARTH_DATA_DIR: data, DATABASE_URL: of(primary) };
      const service = await startService({ ...environment, DATABASE_READ_URL: of(primary) });
      await expect
        .poll(() => service.stdout() + service.stderr(), { timeout: 10_000 })
        .toContain(
          "no standby of DATABASE_READ_URL answers queries: it is no standby at the moment",
        );
      await service.stop();

      const other = await startPostgres({ fsync: false, isUnrelated: true });
      onTestFinished(() => other.stop());
      const refuses = async (url: string, sentence: string) => {
        const started = runMain({ ...environment, DATABASE_READ_URL: url });
        expect(await started.ended).toBe(1);
        expect(started.stderr()).toContain(sentence);
      };
      await refuses(other.url, "DATABASE_READ_URL leads to a server that is no standby of the one");
      await createDatabase(primary.url, "stranger");
      const strangers = { KEYHEARTH_DATA_DIR: `${data}-2`, DATABASE_URL: of(primary, "stranger") };
      await (await startService(strangers)).stop();
      await refuses(
        of(primary, "stranger"),
        "DATABASE_READ_URL leads to a database of installation",
      );
      await refuses(of(standby, "missing"), "lets the service look at nothing (3D000)");

      await standby.halt();
      const alone = await startService({ ...environment, DATABASE_READ_URL: of(standby) });
      expect((await query(alone, readRootKey(data), "list_activities")).status).toBe(200);
      await alone.stop();
      await standby.resume();
    });
  });
});

/** Connections of readers that have answered. */
const READERS = `SELECT count(*)::int AS n FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'keyhearth reader' AND query = 'COMMIT'`;

/** Transactions of a server that were only of queries. */
const COMMITS = "SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()";
