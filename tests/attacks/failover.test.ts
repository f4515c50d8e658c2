import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createTarget, expectKept, expectRepeatable, startLoad } from "../kill/load.ts";
import {
  createDatabase,
  findPostgres,
  type Postgres,
  startPostgres,
  startStandby,
} from "../postgres/start.ts";
import { type Answer, newWallet, query, submit } from "../start/post.ts";
import { type RootKey, readRootKey, type Service, startService } from "../start/process.ts";

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** How long a failover may keep the service from working, in milliseconds. */
const AWAY_MS = 30_000;

// Asynchronous replication, which the guide advises against: the signer remembers more than the database has.
describe.runIf(findPostgres())("a promoted standby that lacks the last commits", () => {
  test("is refused by the signer, and answers with no state that it does not have", async () => {
    const temporary = mkdtempSync(join(tmpdir(), "keyhearth-lost-commits-"));
    onTestFinished(() => rmSync(temporary, { recursive: true, force: true }));
    const old = await startPostgres({ fsync: false });
    await createDatabase(old.url, "failover");
    const next = await startStandby(old);
    onTestFinished(() => Promise.all([old.stop(), next.stop()]).then(() => {}));
    const hosts = [old, next].map(({ url }) => new URL(url).host).join(",");
    const service = await startService({
      KEYHEARTH_DATA_DIR: temporary,
      DATABASE_URL: `postgres://keyhearth@${hosts}/failover?target_session_attrs=read-write`,
    });
    onTestFinished(async () => void (await service.stop()));
    const root = readRootKey(temporary);
    const { key } = await createTarget(service, root);
    const caughtUp = async () =>
      (
        await rowsOf(
          old,
          "SELECT count(*)::int AS n FROM pg_stat_replication WHERE replay_lsn >= pg_current_wal_insert_lsn()",
        )
      )[0]?.n;
    await expect.poll(caughtUp, { timeout: 20_000 }).toBe(1);
    await next.halt();
    // Both organizations change, and nobody but the old primary and the signer knows.
    const lost = newWallet(key);
    expect((await submit(service, key, lost)).status).toBe(200);
    expect((await submit(service, root, newWallet(root))).status).toBe(200);
    await old.halt();
    await next.resume();
    await rowsOf(next, "SELECT pg_promote()");
    await expect
      .poll(async () => (await query(service, key, "whoami")).status, { timeout: AWAY_MS })
      .toBe(200);
    for (const each of [lost, newWallet(key)]) {
      const refused = await submit(service, key, each);
      expect(refused.status).not.toBe(200);
      expect(refused.json.details).toMatchObject([{ code: "STALE_RECORD" }]);
    }
    const reasons = async () => (await (await fetch(`${service.url}/readyz`)).json()).reasons;
    await expect
      .poll(reasons, { timeout: 10_000 })
      .toEqual([expect.stringContaining("the database is older than the signer has seen")]);
  });
});

async function rowsOf({ url }: Postgres, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows;
}

// A service whose URL has three hosts of PostgreSQL, a primary and what follows it without losing anything.
describe.runIf(findPostgres())("of several hosts, a primary that", () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-failover-"));
  const servers: Postgres[] = [];
  let service: Service;
  let root: RootKey;

  beforeAll(async () => {
    const first = await startPostgres({ fsync: false });
    servers.push(first);
    await createDatabase(first.url, "failover");
    await ask(first, "ALTER DATABASE failover SET synchronous_commit = 'remote_apply'");
    servers.push(await startStandby(first));
    servers.push(await startStandby(first));
    await confirmEverywhere(first, 2);
    // The primary is the last one, so a start has to look for it.
    const hosts = servers.toReversed().map(({ url }) => new URL(url).host);
    const data = join(temporary, "data");
    service = await startService({
      KEYHEARTH_DATA_DIR: data,
      DATABASE_URL: `postgres://keyhearth@${hosts.join(",")}/failover?target_session_attrs=read-write`,
    });
    root = readRootKey(data);
  });

  afterAll(async () => {
    await service?.stop();
    await Promise.all(servers.map((server) => server.stop()));
    rmSync(temporary, { recursive: true, force: true });
  });

  /** Has a server do nothing before this many others have it too. */
  async function confirmEverywhere(server: Postgres, others: number) {
    const standbys = others === 0 ? "''" : `'ANY ${others} (*)'`;
    await ask(server, `ALTER SYSTEM SET synchronous_standby_names = ${standbys}`);
    await ask(server, "SELECT pg_reload_conf()");
  }

  async function ask({ url }: Postgres, text: string) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(text);
    await client.end();
  }

  /** Fails over under load by `lose`, and returns for how long nothing was answered. */
  async function failOver(next: Postgres, lose: () => Promise<void> | void): Promise<number> {
    const target = await createTarget(service, root);
    const load = startLoad(service, target);
    await expect.poll(() => answered(load)).toBeGreaterThan(20);
    await lose();
    const lostAt = performance.now();
    await sleep(1000);
    await ask(next, "SELECT pg_promote()");
    const before = answered(load);
    await expect.poll(() => answered(load), { timeout: AWAY_MS }).toBeGreaterThan(before + 20);
    const awayMs = performance.now() - lostAt;
    await load.stop();
    for (const { answer } of load.sent) expect([200, 503, undefined]).toContain(answer?.status);
    // A caller who waits too long gets the activity as it is, and asks for it again.
    const ended = load.sent.filter(({ answer }) => !isPending(answer));
    await expectKept(service, target.key, ended);
    await expectRepeatable(service, target.key, ended);
    expect(service.child.exitCode).toBe(null);
    return awayMs;
  }

  const answered = ({ sent }: { sent: { answer: { status: number } | null }[] }) =>
    sent.filter(({ answer }) => answer?.status === 200).length;

  const isPending = (answer: Answer | null) =>
    answer?.json.activity?.status === "ACTIVITY_STATUS_PENDING";

  test("ends is followed by the one that takes its place, and nothing answered is lost", async () => {
    const [first, second, third] = servers as [Postgres, Postgres, Postgres];
    const awayMs = await failOver(second, () => first.halt());
    expect(awayMs).toBeLessThan(AWAY_MS);
    // The last one follows the new primary.
    const conninfo = `host=127.0.0.1 port=${new URL(second.url).port} user=keyhearth`;
    await ask(third, `ALTER SYSTEM SET primary_conninfo = '${conninfo}'`);
    await ask(third, "SELECT pg_reload_conf()");
    await confirmEverywhere(second, 1);
    expect((await query(service, root, "list_wallets")).status).toBe(200);
  });

  test("vanishes with its connections open is given up, and nothing answered is lost", async () => {
    const [, second, third] = servers as [Postgres, Postgres, Postgres];
    const awayMs = await failOver(third, () => second.freeze());
    expect(awayMs).toBeLessThan(AWAY_MS);
  });
});
