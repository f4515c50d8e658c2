import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportReceipts, verifyReceipts } from "@keyhearth/sdk/crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createTarget,
  expectKept,
  expectRepeatable,
  type Load,
  type Sent,
  startLoad,
  type Target,
  wasAnswered,
} from "../kill/load.ts";
import { type Cluster, missingPrograms, startCluster } from "../postgres/patroni.ts";
import { isLong } from "../start/long-form.ts";
import { query } from "../start/post.ts";
import {
  clientOf,
  type Process,
  type RootKey,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";

/** How often the primary is killed, in the long form. Elsewhere `KEYHEARTH_FAILOVERS=3` kills it three times. */
const failovers = Number(process.env.KEYHEARTH_FAILOVERS ?? (isLong ? 20 : 0));

/** How long a failover may keep a service from working: we promise 30 seconds on a machine that does nothing else. */
const AWAY_MS = isLong ? 30_000 : 60_000;

// Two services with one signer on a cluster of Patroni, made of the files of the site. One reaches it through HAProxy and the
// other one by the names of all hosts. Where Patroni, etcd or HAProxy is not installed, nothing here runs:
// apt-get install patroni etcd-server haproxy.
describe.runIf(failovers > 0 && missingPrograms().length === 0)(
  "a primary of Patroni that is killed",
  () => {
    const temporary = mkdtempSync(join(tmpdir(), "keyhearth-patroni-"));
    let cluster: Cluster;
    let signer: Process;
    let services: Service[] = [];
    let root: RootKey;
    const awayMs: number[] = [];

    beforeAll(async () => {
      cluster = await startCluster();
      await cluster.untilSafe();
      await asSuperuser("postgres", "CREATE USER keyhearth PASSWORD 'password'");
      await asSuperuser("postgres", "CREATE DATABASE keyhearth OWNER keyhearth");
      const started = await startSigner(join(temporary, "signer"));
      signer = started;
      const urlOf = (hosts: string) => `postgres://keyhearth:password@${hosts}/keyhearth`;
      const hosts = cluster.hosts.join(",");
      const environment = { KEYHEARTH_SIGNER: `unix:${started.socket}` };
      const byHaproxy = await startService({
        ...environment,
        KEYHEARTH_DATA_DIR: join(temporary, "haproxy"),
        DATABASE_URL: urlOf(cluster.primary),
        DATABASE_READ_URL: urlOf(cluster.standbys),
      });
      const byHosts = await startService({
        ...environment,
        KEYHEARTH_DATA_DIR: join(temporary, "hosts"),
        DATABASE_URL: `${urlOf(hosts)}?target_session_attrs=read-write`,
        DATABASE_READ_URL: `${urlOf(hosts)}?target_session_attrs=standby`,
      });
      services = [byHaproxy, byHosts];
      root = readRootKey(join(temporary, "haproxy"));
    }, 180_000);

    afterAll(async () => {
      await Promise.all(services.map((service) => service.stop()));
      await signer?.stop();
      await cluster?.stop();
      rmSync(temporary, { recursive: true, force: true });
    }, 60_000);

    async function asSuperuser(
      database: string,
      text: string,
      values: unknown[] = [],
    ): Promise<Record<string, unknown>[]> {
      const connectionString = `postgres://postgres:${cluster.superuserPassword}@${cluster.primary}/${database}`;
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        return (await client.query(text, values)).rows;
      } finally {
        await client.end();
      }
    }

    /** What was sent to one organization, over one service. */
    type Round = { service: Service; target: Target; sent: Sent[] };
    const rounds: Round[] = [];

    async function failOver(what: "machine" | "server") {
      const primary = await cluster.untilSafe();
      const loads: { service: Service; target: Target; load: Load }[] = [];
      for (const service of services) {
        const target = await createTarget(service, root);
        loads.push({ service, target, load: startLoad(service, target, { pauseMs: 300 }) });
      }
      for (const { load } of loads) {
        await expect.poll(() => answered(load), { timeout: 20_000 }).toBeGreaterThan(20);
      }
      const lostAt = performance.now();
      await cluster.lose(primary, what);
      const before = loads.map(({ load }) => answered(load));
      await Promise.all(
        loads.map(async ({ load }, index) => {
          const least = (before[index] ?? 0) + 20;
          await expect.poll(() => answered(load), { timeout: AWAY_MS }).toBeGreaterThan(least);
          awayMs.push(Math.round(performance.now() - lostAt));
        }),
      );
      if (what === "machine") cluster.bringBack(primary);
      await Promise.all(loads.map(({ load }) => load.stop()));
      for (const { service, target, load } of loads) {
        const statuses = new Set(load.sent.map(({ answer }) => answer?.status));
        expect([200, 503, undefined]).toEqual(expect.arrayContaining([...statuses]));
        // A caller who waits too long gets the activity as it is, and asks for it again.
        const sent = load.sent.map((each) => (isPending(each) ? { ...each, answer: null } : each));
        await expectKept(service, target.key, sent);
        await expectRepeatable(service, target.key, sent);
        rounds.push({ service, target, sent });
        expect(service.child.exitCode).toBe(null);
      }
    }

    const answered = ({ sent }: Load) => sent.filter((each) => wasAnswered(each)).length;
    const isPending = ({ answer }: Sent) =>
      answer?.json.activity?.status === "ACTIVITY_STATUS_PENDING";

    test(
      "again and again loses nothing that was answered, and doubles nothing",
      async () => {
        for (let count = 0; count < failovers; count++) {
          await failOver(count % 2 === 0 ? "machine" : "server");
        }
        await cluster.untilSafe();
        for (const round of rounds) await expectAllThere(round);
        const sorted = awayMs.toSorted((a, b) => a - b);
        const sum = rounds.reduce((total, { sent }) => total + sent.length, 0);
        console.log(
          `${failovers} failovers, ${sum} activities; back after ${sorted[0]} to ${sorted.at(-1)} ms, the middle one ${sorted[sorted.length >> 1]} ms`,
        );
      },
      failovers * 180_000,
    );

    /** What each organization has in the end, after all later failovers: in the database, and in its receipts. */
    async function expectAllThere({ service, target: { key }, sent }: Round) {
      const { organizationId } = key;
      const told = sent.map(({ answer }) => String(answer?.json.activity?.id));
      // Each request is one activity, however often it was sent.
      expect(new Set(told).size).toBe(sent.length);
      const rows = await asSuperuser(
        "keyhearth",
        "SELECT activity_id, fingerprint FROM activities WHERE organization_id = $1",
        [organizationId],
      );
      expect(new Set(rows.map(({ fingerprint }) => fingerprint)).size).toBe(rows.length);
      expect(rows.map(({ activity_id }) => activity_id).toSorted()).toEqual(told.toSorted());
      const unsealed = async () =>
        (await query(service, key, "get_receipts", { limit: "1" })).json.unsealed;
      await expect.poll(unsealed, { timeout: 60_000 }).toBe(0);
      const facts = await (await fetch(`${service.url}/.well-known/keyhearth.json`)).json();
      const file = await exportReceipts(clientOf(service, key));
      const report = verifyReceipts(file, String(facts.quorumPublicKey));
      expect(report).toMatchObject({ valid: true, problems: [] });
      const proven = new Set(report.statements.map(({ activityId }) => activityId));
      expect(told.filter((id) => !proven.has(id))).toEqual([]);
    }
  },
);
