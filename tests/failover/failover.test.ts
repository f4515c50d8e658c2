import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
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
import { type Cluster, missingPrograms, type Name, startCluster } from "../postgres/patroni.ts";
import type { Line, Way } from "../start/line.ts";
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

/** How many of the cuts happen. */
const cuts = Number(process.env.KEYHEARTH_DATABASE_CUTS ?? (isLong ? Number.POSITIVE_INFINITY : 0));
const firstCut = Number(process.env.KEYHEARTH_FIRST_CUT ?? 0);

/** For how long: longer than Patroni waits before it believes that the primary is gone. */
const CUT_MS = 1000 * Number(process.env.KEYHEARTH_DATABASE_CUT_SECONDS ?? 40);

/** How long a failover may keep a service from working: we promise 30 seconds on a machine that does nothing else. */
const AWAY_MS = isLong ? 30_000 : 60_000;

// Two services with one signer on a cluster of Patroni, made of the files of the site. One reaches it through HAProxy and the
// other one by the names of all hosts. Where Patroni, etcd or HAProxy is not installed, nothing here runs:
// apt-get install patroni etcd-server haproxy.
describe.runIf(failovers + cuts > 0 && missingPrograms().length === 0)(
  "a cluster of Patroni",
  () => {
    const temporary = mkdtempSync(join(tmpdir(), "keyhearth-patroni-"));
    let cluster: Cluster;
    let signer: Process;
    let services: Service[] = [];
    let root: RootKey;
    const awayMs: number[] = [];

    beforeAll(async () => {
      cluster = await startCluster({ hasLines: cuts > 0 });
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
      await survive(async () => {
        await cluster.lose(primary, what);
        return async () => {
          if (what === "machine") cluster.bringBack(primary);
        };
      }, awayMs);
    }

    /**
     * Something happens while requests are sent to each service, and they are answered again. Then it is undone, and nothing
     * that was answered may be lost. How long it took to the twentieth answer is added to the list. Returns for how long
     * nothing was answered, and how many requests got 503 or an activity under way instead.
     */
    async function survive(
      begin: () => Promise<() => Promise<void>>,
      gapsMs: number[],
    ): Promise<{ longestMs: number; refused: number; pending: number }> {
      const loads: { service: Service; target: Target; load: Load }[] = [];
      for (const service of services) {
        const target = await createTarget(service, root);
        loads.push({ service, target, load: startLoad(service, target, { pauseMs: 300 }) });
      }
      for (const { load } of loads) {
        await expect.poll(() => answered(load), { timeout: 20_000 }).toBeGreaterThan(20);
      }
      const startedAt = performance.now();
      const watches = loads.map(({ load }) => watchGaps(() => answered(load)));
      const undo = await begin();
      const before = loads.map(({ load }) => answered(load));
      await Promise.all(
        loads.map(async ({ load }, index) => {
          const least = (before[index] ?? 0) + 20;
          await expect.poll(() => answered(load), { timeout: AWAY_MS }).toBeGreaterThan(least);
          gapsMs.push(Math.round(performance.now() - startedAt));
        }),
      );
      await undo();
      const longestMs = Math.max(...watches.map((watch) => watch.end()));
      await Promise.all(loads.map(({ load }) => load.stop()));
      const all = loads.flatMap(({ load }) => load.sent);
      const refused = all.filter(({ answer }) => answer?.status === 503).length;
      const pending = all.filter(isPending).length;
      // The primary may change once more when the network is back.
      await cluster.untilSafe();
      for (const { url } of services) {
        const isReady = async () => (await fetch(`${url}/readyz`)).status;
        await expect.poll(isReady, { timeout: AWAY_MS }).toBe(200);
      }
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
      return { longestMs, refused, pending };
    }

    const answered = ({ sent }: Load) => sent.filter((each) => wasAnswered(each)).length;
    /** For how long nothing was answered, in which answers were counted. */
    function watchGaps(countOf: () => number) {
      let [count, at, longestMs] = [countOf(), performance.now(), 0];
      const look = () => {
        const now = performance.now();
        longestMs = Math.max(longestMs, now - at);
        if (countOf() !== count) [count, at] = [countOf(), now];
      };
      const timer = setInterval(look, 50);
      return {
        end() {
          clearInterval(timer);
          return longestMs;
        },
      };
    }

    const isPending = ({ answer }: Sent) =>
      answer?.json.activity?.status === "ACTIVITY_STATUS_PENDING";

    test("whose primary is killed again and again loses nothing that was answered, and doubles nothing", {
      skip: failovers === 0,
      timeout: failovers * 180_000,
    }, async () => {
      for (let count = 0; count < failovers; count++) {
        await failOver(count % 2 === 0 ? "machine" : "server");
      }
      await cluster.untilSafe();
      const sum = await expectAllRounds();
      const sorted = awayMs.toSorted((a, b) => a - b);
      console.log(
        `${failovers} failovers, ${sum} activities; back after ${sorted[0]} to ${sorted.at(-1)} ms, the middle one ${sorted[sorted.length >> 1]} ms`,
      );
    });

    test("whose links are cut, both ways and one way, loses nothing that was answered, and works again", {
      skip: cuts === 0,
      timeout: 20 * 180_000,
    }, async () => {
      const all = cutsOf(cluster).slice(firstCut, firstCut + cuts);
      const lines: string[] = [];
      for (const { name, links, mayStay } of all) {
        const primary = await cluster.untilSafe();
        const backMs: number[] = [];
        const { longestMs, refused, pending } = await survive(async () => {
          const cut = links(primary);
          for (const [line, way] of cut) line.cut(way);
          await sleep(CUT_MS);
          for (const [line] of cut) line.mend();
          return async () => {};
        }, backMs);
        const next = await cluster.untilSafe();
        const failedOver = next === primary ? "" : ", with a failover";
        const back = Math.max(...backMs) - CUT_MS;
        lines.push(
          `${name}: no answer for ${seconds(longestMs)}${failedOver}, all again ${seconds(back)} after the cut; ${refused} x 503, ${pending} pending`,
        );
        console.log(lines.at(-1));
        // It says so within ten seconds, and does not leave clients waiting.
        if (longestMs > 12_000) expect.soft(refused + pending, name).toBeGreaterThan(0);
        // A primary that may stay goes on although the network is still cut.
        if (mayStay) expect.soft(longestMs, name).toBeLessThan(AWAY_MS);
      }
      const sum = await expectAllRounds();
      console.log([`${all.length} cuts, ${sum} activities`, ...lines].join("\n"));
    });

    /** All that was ever sent is there. Returns how many activities that are. */
    async function expectAllRounds(): Promise<number> {
      const all = rounds.splice(0);
      for (const round of all) await expectAllThere(round);
      return all.reduce((total, { sent }) => total + sent.length, 0);
    }

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

type Cut = {
  name: string;
  links(primary: Name): [Line, Way][];
  /** Whether nothing says that there has to be another primary. */
  mayStay: boolean;
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

/** Cuts of each link between the two servers, their Patronis and etcd, and of all that the primary has but its clients. */
function cutsOf({ lines }: Cluster): Cut[] {
  if (!lines) throw new Error("no lines");
  const other = (name: Name): Name => (name === "a" ? "b" : "a");
  const ways: Record<Way, string> = { both: "", there: ", one way", back: ", the other way" };
  const kinds: [string, (primary: Name) => Line[]][] = [
    ["the standby and the primary", (primary) => [lines[primary].fromOther]],
    ["the primary and etcd", (primary) => [lines[primary].toEtcd]],
    ["the standby and etcd", (primary) => [lines[other(primary)].toEtcd]],
    ["both servers and etcd", () => [lines.a.toEtcd, lines.b.toEtcd]],
    [
      "the primary and all others but its clients",
      (primary) => [lines[primary].toEtcd, lines.a.fromOther, lines.b.fromOther],
    ],
  ];
  return kinds.flatMap(([name, linesOf]) =>
    (Object.keys(ways) as Way[]).map((way) => ({
      name: `${name}${ways[way]}`,
      mayStay: name.startsWith("the standby"),
      links: (primary: Name) => linesOf(primary).map((line): [Line, Way] => [line, way]),
    })),
  );
}
