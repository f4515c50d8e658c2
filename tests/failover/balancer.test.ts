import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTarget, type Target } from "../kill/load.ts";
import { findProgram } from "../postgres/programs.ts";
import {
  createDatabase,
  findPostgres,
  freePort,
  type Postgres,
  startPostgres,
} from "../postgres/start.ts";
import { drawLine, type Line } from "../start/line.ts";
import { isLong } from "../start/long-form.ts";
import { signing, submit } from "../start/post.ts";
import {
  type Process,
  readRootKey,
  type Service,
  startService,
  startSigner,
} from "../start/process.ts";
import { type Balancer, startBalancer } from "./balancer.ts";

// HAProxy with the file of the site (decision 31), before three API processes of one signer and one PostgreSQL. Every request goes to it
// as it is, without a client that would send it again.

/** A second until the next check, three until it has failed, and the answer of another process. */
const FROZEN_MS = isLong ? 5000 : 9000;

const isInstalled = findPostgres() !== null && findProgram("haproxy") !== null;
if (!isInstalled) console.log("skipped: PostgreSQL or HAProxy is not installed");

describe.runIf(isInstalled)("behind the balancer of the site", { timeout: 120_000 }, () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-balancer-"));
  let postgres: Postgres;
  let database: Line;
  let signer: Process;
  let services: Service[] = [];
  let balancer: Balancer;
  let target: Target;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    const url = new URL(await createDatabase(postgres.url, "balanced"));
    database = await drawLine(url.href);
    url.port = String(database.ports[0]);
    const started = await startSigner(join(temporary, "signer"));
    signer = started;
    const ports = await Promise.all([1, 2, 3, 4].map(() => freePort()));
    // The fourth one of the file is off.
    for (const port of ports.slice(0, 3)) {
      services.push(
        await startService({
          KEYHEARTH_DATA_DIR: join(temporary, String(port)),
          PORT: String(port),
          DATABASE_URL: url.href,
          KEYHEARTH_SIGNER: `unix:${started.socket}`,
          KEYHEARTH_TRUSTED_PROXIES: "127.0.0.1",
          KEYHEARTH_RATE_LIMIT: "off",
        }),
      );
    }
    balancer = await startBalancer(ports);
    target = await createTarget(balancer, readRootKey(join(temporary, String(ports[0]))));
  }, 180_000);
  afterAll(async () => {
    await balancer?.stop();
    for (const service of services) {
      service.child.kill("SIGCONT");
      await service.stop();
    }
    services = [];
    await signer?.stop();
    await database?.close();
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  }, 60_000);

  type Answered = { status: number; sentAt: number; tookMs: number };

  /** So many clients sign, one request after the other, until they are stopped. */
  function startSigning(clients: number) {
    const answered: Answered[] = [];
    let isStopped = false;
    const loops = Array.from({ length: clients }, async () => {
      while (!isStopped) {
        const sentAt = performance.now();
        const { status } = await submit(balancer, target.key, signing(target.key, target.signWith));
        answered.push({ status, sentAt, tookMs: performance.now() - sentAt });
      }
    });
    return {
      answered,
      async stop() {
        isStopped = true;
        await Promise.all(loops);
        return answered;
      },
    };
  }

  const statusesOf = (answered: readonly Answered[]) => [
    ...new Set(answered.map(({ status }) => status)),
  ];

  test("a process that is frozen costs no request its answer, and none waits for it for long", async () => {
    const load = startSigning(12);
    await expect.poll(() => load.answered.length).toBeGreaterThan(50);
    const frozen = services[1]?.child;
    const frozenAt = performance.now();
    frozen?.kill("SIGSTOP");
    await sleep(FROZEN_MS + 3000);
    const answered = await load.stop();
    frozen?.kill("SIGCONT");
    expect(statusesOf(answered)).toEqual([200]);
    const longest = Math.max(...answered.map(({ tookMs }) => tookMs));
    // It had taken some of them.
    expect(longest).toBeGreaterThan(1500);
    expect(longest).toBeLessThan(FROZEN_MS);
    const late = answered.filter(({ sentAt }) => sentAt > frozenAt + FROZEN_MS);
    expect(late.length).toBeGreaterThan(0);
    console.log(`frozen: the slowest of ${answered.length} took ${Math.round(longest)} ms`);
    await expect.poll(() => balancer.output()).toMatch(/ready\/b is UP(?!.*ready\/b is DOWN)/s);
  });

  test("what waits for a database that is away is not cut, and is answered when it is back", async () => {
    const load = startSigning(6);
    await expect.poll(() => load.answered.length).toBeGreaterThan(20);
    database.cut();
    await expect.poll(() => balancer.output()).toMatch(/ready\/a is stopping/);
    await sleep(1500);
    database.mend();
    const before = load.answered.length;
    await expect.poll(() => load.answered.length).toBeGreaterThan(before + 20);
    const answered = await load.stop();
    // The API itself may say that its database is away.
    expect([[200], [200, 503], [503, 200]]).toContainEqual(statusesOf(answered));
    expect(balancer.output()).not.toMatch(/(alive|ready)\/a is DOWN/);
  });

  test("many requests at once take no process out that works", async () => {
    const before = balancer.output().length;
    const load = startSigning(100);
    await sleep(isLong ? 60_000 : 8000);
    const answered = await load.stop();
    expect(answered.length).toBeGreaterThan(200);
    expect(balancer.output().slice(before)).not.toContain("is DOWN");
    console.log(`of 100 at once, ${answered.length} were answered: ${statusesOf(answered)}`);
  });
});
