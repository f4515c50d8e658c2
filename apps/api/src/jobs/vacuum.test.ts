import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../host/host.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { openStore, type Store } from "../store/connect.ts";
import { migratedSnapshot } from "../store/database.testing.ts";
import { startPruning } from "./prune.ts";
import { createVacuum } from "./vacuum.ts";

// Only the embedded database is vacuumed here: PostgreSQL does it by itself.

let store: Store;

beforeAll(async () => {
  const snapshot = await migratedSnapshot();
  store = await openStore({ kind: "pglite", directory: null, snapshot });
});

afterAll(() => store?.close());

type Plan = Record<string, number> & { Plans?: Plan[] };

async function planOf(text: string): Promise<Plan> {
  const [row] = await store.run("", `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, []);
  if (!row) throw new Error("no plan");
  const [{ Plan: plan }] = row["QUERY PLAN"] as [{ Plan: Plan }];
  return plan;
}

/** Pages of the database that a look for what waits goes through. */
async function pagesRead(): Promise<number> {
  const plan = await planOf(
    "SELECT * FROM leaves WHERE organization_id > '00000000-0000-0000-0000-000000000000' LIMIT 1",
  );
  return Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]);
}

function startUpkeep() {
  const log = createLog({ level: "silent" });
  const metrics = createMetrics({ isWithProcess: false });
  const signer = { call: () => Promise.reject(), depth: () => 0, close: async () => {} };
  return startPruning(createHost({ store, log, metrics, signer }), 20);
}

test("looks for what waits do not go past all that ever waited", { timeout: 30_000 }, async () => {
  const organizationId = randomUUID();
  for (let round = 0; round < 10; round++) {
    await store.run(
      "",
      `INSERT INTO leaves (organization_id, activity_id, version, hash, tag)
       SELECT '${organizationId}', gen_random_uuid(), 1, md5(n::text), md5(n::text) FROM generate_series(1, 1000) n;
       DELETE FROM leaves`,
      [],
    );
  }
  expect(await pagesRead()).toBeGreaterThan(50);
  // The database counts dead rows a little later, and a clock that stands still knows no rests.
  const vacuumSome = createVacuum({ store }, () => 0);
  const pagesAfterAll = async () => {
    await vacuumSome();
    return pagesRead();
  };
  await expect.poll(pagesAfterAll, { timeout: 20_000 }).toBeLessThan(5);
});

test("an account of a wallet that has grown is found without reading the others", async () => {
  const [organizationId, walletId] = [randomUUID(), randomUUID()];
  for (let from = 0; from < 10_000; from += 1000) {
    await store.run(
      "",
      `INSERT INTO wallet_accounts (organization_id, wallet_account_id, wallet_id, path, address_format,
         place, address, created_at_ms, digest, record)
       SELECT '${organizationId}', gen_random_uuid(), '${walletId}', 'm/' || n, '', 'm/' || n, 'address ' || n, n, '', ''
       FROM generate_series(${from}, ${from + 999}) AS n`,
      [],
    );
  }
  /** The most rows that a step reads. */
  const rowsIn = ({ Plans = [], ...step }: Plan): number =>
    Math.max(
      Number(step["Actual Rows"]) + Number(step["Rows Removed by Filter"] ?? 0),
      ...Plans.map(rowsIn),
    );
  const of = `SELECT record FROM wallet_accounts
    WHERE organization_id = '${organizationId}' AND wallet_id = '${walletId}'`;
  const rowsRead = async () =>
    Math.max(
      rowsIn(await planOf(`${of} AND path = 'm/7'`)),
      rowsIn(await planOf(`${of} AND address = 'none'`)),
    );
  expect(await rowsRead()).toBeGreaterThan(1000);
  const pruning = startUpkeep();
  // It rests in between, two hundred times as long as it worked.
  await expect.poll(rowsRead, { timeout: 60_000 }).toBeLessThan(5);
  await pruning.stop();
}, 90_000);
