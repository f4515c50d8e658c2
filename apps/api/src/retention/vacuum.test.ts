import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHost } from "../host.ts";
import { createLog } from "../observability/log.ts";
import { createMetrics } from "../observability/metrics.ts";
import { openStore, type Store } from "../store/connect.ts";
import { migratedSnapshot } from "../store/database.testing.ts";
import { startPruning } from "./prune.ts";

// Only the embedded database is vacuumed here: PostgreSQL does it by itself.

let store: Store;

beforeAll(async () => {
  const snapshot = await migratedSnapshot();
  store = await openStore({ kind: "pglite", directory: null, snapshot });
});

afterAll(() => store?.close());

/** Pages of the database that a look for what waits goes through. */
async function pagesRead(): Promise<number> {
  const text =
    "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) SELECT * FROM leaves WHERE organization_id > ";
  const [row] = await store.run(
    "",
    `${text} '${"0".repeat(8)}-0000-0000-0000-000000000000' LIMIT 1`,
    [],
  );
  if (!row) throw new Error("no plan");
  const [{ Plan: plan }] = row["QUERY PLAN"] as [{ Plan: Record<string, number> }];
  return Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]);
}

test("looks for what waits do not go past all that ever waited", async () => {
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
  const log = createLog({ level: "silent" });
  const metrics = createMetrics({ isWithProcess: false });
  const signer = { call: () => Promise.reject(), depth: () => 0, close: async () => {} };
  const pruning = startPruning(createHost({ store, log, metrics, signer }), 20);
  await expect.poll(pagesRead).toBeLessThan(5);
  await pruning.stop();
});
