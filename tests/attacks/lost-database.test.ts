import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore, type Store } from "@keyhearth/api/store/connect";
import { secret } from "@keyhearth/crypto/secret";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createTarget, expectKept, expectRepeatable, startLoad } from "../kill/load.ts";
import {
  createDatabase,
  findPostgres,
  freePort,
  type Postgres,
  startPostgres,
} from "../postgres/start.ts";
import { type Answer, newWallet, query, submit } from "../start/post.ts";
import {
  type RootKey,
  readRootKey,
  runMain,
  type Service,
  startService,
} from "../start/process.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** How many connections are cut in the middle of a statement. */
const CUT = 12;

/** A real PostgreSQL, cut, stopped, started again and made a standby under a service that is at work. */
describe.runIf(findPostgres())("a PostgreSQL that", () => {
  const temporary = mkdtempSync(join(tmpdir(), "keyhearth-lost-"));
  let postgres: Postgres;
  let environment: Record<string, string>;
  let service: Service;
  let root: RootKey;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    environment = {
      KEYHEARTH_DATA_DIR: join(temporary, "data"),
      DATABASE_URL: await createDatabase(postgres.url, "lost"),
    };
    service = await startService(environment);
    root = readRootKey(environment.KEYHEARTH_DATA_DIR ?? "");
  });

  afterAll(async () => {
    await service?.stop();
    await postgres?.stop();
    rmSync(temporary, { recursive: true, force: true });
  });

  /** Cuts the connections for which the condition holds until enough of them were in the middle of a statement. */
  async function cutConnections(condition: string): Promise<number> {
    const client = new pg.Client({ connectionString: environment.DATABASE_URL });
    await client.connect();
    let cut = 0;
    const giveUpAt = performance.now() + 30_000;
    while (cut < CUT && performance.now() < giveUpAt) {
      const { rows } = await client.query<{ state: string }>(
        `SELECT state, pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND ${condition}`,
      );
      cut += rows.filter(({ state }) => state !== "idle").length;
      await sleep(20);
    }
    await client.end();
    return cut;
  }

  test("cuts connections in use ends no process, and loses and doubles nothing", async () => {
    const target = await createTarget(service, root);
    const load = startLoad(service, target);
    const reading = startReading(service, target.key, "list_wallets");
    const cut = await cutConnections("TRUE");
    await load.stop();
    const answers = [...(await reading.stop()), ...load.sent.map(({ answer }) => answer)];
    expect(cut).toBeGreaterThanOrEqual(CUT);
    expect(service.child.exitCode).toBe(null);
    for (const answer of answers) expectAnsweredOrPutOff(answer);
    expect(answers.some((answer) => answer?.status === 200)).toBe(true);
    expect(answers.some((answer) => answer?.status === 503)).toBe(true);
    await expectKept(service, target.key, load.sent);
    await expectRepeatable(service, target.key, load.sent);
  });

  test("cuts connections of the reader puts its answers off, and nothing else", async () => {
    const target = await createTarget(service, root);
    const reading = startReading(service, target.key, "get_receipts");
    const others = startReading(service, target.key, "list_wallets");
    const cut = await cutConnections("application_name = 'keyhearth reader'");
    const answers = await reading.stop();
    expect(cut).toBeGreaterThanOrEqual(CUT);
    expect(service.child.exitCode).toBe(null);
    for (const answer of answers) expectAnsweredOrPutOff(answer);
    expect(answers.some((answer) => answer?.status === 503)).toBe(true);
    expect((await others.stop()).every((answer) => answer?.status === 200)).toBe(true);
    expect((await query(service, target.key, "get_receipts")).status).toBe(200);
  });

  test("stops for seconds stops nothing else, and all goes on when it is back", async () => {
    const wallet = newWallet(root, "sent while it was down");
    expect(await readiness(service)).toMatchObject({ status: 200 });
    await postgres.halt();
    const downUntil = performance.now() + 3000;
    while (performance.now() < downUntil) {
      expectUnavailable(await submit(service, root, wallet), "cannot be reached");
      expectUnavailable(await query(service, root, "list_wallets"), "cannot be reached");
      await sleep(100);
    }
    expect(await readiness(service)).toEqual({
      status: 503,
      retryAfter: "1",
      reasons: ["the database does not answer"],
    });
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
    await postgres.resume();
    await expect.poll(() => readiness(service)).toMatchObject({ status: 200, reasons: [] });
    expect((await submit(service, root, wallet)).status).toBe(200);
    expect((await query(service, root, "list_wallets")).status).toBe(200);
    expect(service.child.exitCode).toBe(null);
  });

  test("became a standby is 503 and not ready until it is the primary again", async () => {
    await postgres.halt();
    writeFileSync(join(postgres.cluster, "standby.signal"), "");
    await postgres.resume();
    const wallet = newWallet(root, "sent to a standby");
    const refused = await submit(service, root, wallet);
    expectUnavailable(refused, "can only be read");
    await expect
      .poll(() => readiness(service))
      .toEqual({
        status: 503,
        retryAfter: "1",
        reasons: ["the database can only be read"],
      });
    expect((await query(service, root, "list_wallets")).status).toBe(200);

    // A process that starts meanwhile waits too.
    const other = runMain({ ...environment, KEYHEARTH_DATA_DIR: join(temporary, "other") });
    await expect.poll(other.stdout, { timeout: 20_000 }).toContain("can only be read");
    await other.stop();

    const client = new pg.Client({ connectionString: environment.DATABASE_URL });
    await client.connect();
    await client.query("SELECT pg_promote()");
    await client.end();
    await expect.poll(() => readiness(service)).toMatchObject({ status: 200, reasons: [] });
    expect((await submit(service, root, wallet)).status).toBe(200);
  });

  test("is not there at the start is waited for, and meanwhile answers have the form of errors", async () => {
    expect(await service.stop()).toBe(0);
    await postgres.halt();
    const port = String(await freePort());
    const url = new URL(environment.DATABASE_URL ?? "");
    url.password = "s3cret";
    const starting = runMain({ ...environment, DATABASE_URL: url.href, PORT: port });
    const at = { url: `http://127.0.0.1:${port}` };
    await expect
      .poll(
        () =>
          fetch(`${at.url}/healthz`).then(
            ({ status }) => status,
            () => 0,
          ),
        { timeout: 20_000 },
      )
      .toBe(200);
    const refused = await query(at, root, "whoami");
    expect(refused.status).toBe(503);
    expect(refused.headers.get("content-type")).toBe("application/json");
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.json).toEqual({
      code: 14,
      message: "the service is starting; send the same bytes again in a moment",
      details: [
        {
          "@type": "keyhearth.dev/ErrorDetail",
          code: "SERVICE_STARTING",
          docs: "/developer-reference/api-overview/errors#service-starting",
        },
      ],
    });
    expect(await readiness(at)).toEqual({
      status: 503,
      retryAfter: "1",
      reasons: ["the service is starting"],
    });
    await sleep(1500);
    expect(starting.child.exitCode).toBe(null);
    const lines = starting.stdout().trim().split("\n");
    expect(lines.filter((line) => line.includes("the start waits"))).toHaveLength(1);
    expect(starting.stdout()).toContain(
      "the database of DATABASE_URL cannot be reached (ECONNREFUSED)",
    );
    expect(starting.stdout() + starting.stderr()).not.toContain("s3cret");

    await postgres.resume();
    await expect.poll(() => readiness(at), { timeout: 20_000 }).toMatchObject({ status: 200 });
    expect((await submit(at, root, newWallet(root, "after the start"))).status).toBe(200);
    expect(await starting.stop()).toBe(0);
  });
});

describe.runIf(findPostgres())("the question whether PostgreSQL answers", () => {
  let postgres: Postgres;
  let store: Store;

  beforeAll(async () => {
    postgres = await startPostgres({ fsync: false });
    store = await openStore({ kind: "postgres", url: secret(postgres.url) });
  });

  afterAll(async () => {
    await store?.close();
    await postgres?.stop();
  });

  test("waits for no statement of others and takes no connection from them", async () => {
    const busy = Array.from({ length: store.connections }, () =>
      store.run("", "SELECT pg_sleep(3)", []),
    );
    await sleep(200);
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => store.probe()));
    expect(performance.now() - startedAt).toBeLessThan(1500);
    await Promise.all(busy);
  });
});

/** Queries, until they are stopped. */
function startReading(
  at: Service,
  key: RootKey,
  name: string,
): { stop(): Promise<(Answer | null)[]> } {
  const answers: (Answer | null)[] = [];
  let isStopped = false;
  const loops = Array.from({ length: 3 }, async () => {
    while (!isStopped) {
      const answer = await query(at, key, name).catch(() => null);
      answers.push(answer);
      await sleep(answer?.status === 200 ? 5 : 20);
    }
  });
  return {
    async stop() {
      isStopped = true;
      await Promise.all(loops);
      return answers;
    },
  };
}

/** Null is a request that got no answer at all. */
function expectAnsweredOrPutOff(answer: Answer | null) {
  if (answer?.status === 200) return;
  expect(answer?.status).toBe(503);
  expect(answer?.headers.get("retry-after")).toBe("1");
  const [detail] = [...(answer?.json.details ?? [])];
  expect(["DATABASE_UNAVAILABLE", "CONFLICT"]).toContain(detail?.code);
}

function expectUnavailable({ status, headers, json }: Answer, message: string) {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toBe("1");
  expect(json).toMatchObject({
    code: 14,
    message: expect.stringContaining(message),
    details: [{ code: "DATABASE_UNAVAILABLE" }],
  });
}

async function readiness({ url }: { url: string }) {
  const response = await fetch(`${url}/readyz`);
  const { reasons } = (await response.json()) as { reasons: string[] };
  return { status: response.status, retryAfter: response.headers.get("retry-after"), reasons };
}
