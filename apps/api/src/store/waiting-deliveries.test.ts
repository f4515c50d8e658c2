import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import { listCausers } from "./large-deliveries.ts";
import {
  LARGE_BYTES,
  listDueEndpoints,
  noteOutcomes,
  wakeDeliveries,
} from "./webhook-deliveries.ts";

// Very many endpoints, each with a delivery that failed and is tried again later.

const COUNT = 20_000;
const AT_MS = 1_000_000;
const LEASE_MS = 30_000;
const RETRY_MS = 3_600_000;

let store: Store;
let drop: () => Promise<void>;

const idOf = (n: number) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;

beforeAll(async () => {
  ({ store, drop } = await createTestDatabase());
  const id = "(lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000')::uuid";
  // A tenth of the events are large, each of another organization.
  await store.run(
    "fill deliveries",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
        activity_version, event_type, state, attempts, bytes, next_attempt_at_ms, created_at_ms)
      SELECT ${id}, ${id}, ${id}, ${id}, ${id}, 1, '', 'waiting', 1,
        CASE WHEN n % 10 = 0 THEN ${LARGE_BYTES} ELSE 100 END, ${AT_MS + LEASE_MS}, 0
      FROM generate_series(1, ${COUNT}) AS n`,
    [],
  );
  await store.run(
    "fill targets",
    `INSERT INTO webhook_targets (organization_id, endpoint_id, url, family_id)
      SELECT ${id}, ${id}, 'https://example.com', ${id} FROM generate_series(1, ${COUNT}) AS n`,
    [],
  );
  for (let first = 1; first <= COUNT; first += 500) await failAll(first, first + 499);
  // Databases do it themselves, later.
  await store.run("vacuum", "VACUUM webhook_deliveries", []);
}, 120_000);

afterAll(() => drop());

/** Notes an attempt of each of these that failed. */
async function failAll(first: number, last: number) {
  const claimed = { organizationId: "", eventType: "", attempts: 0, bytes: 0, record: null };
  const ended = Array.from({ length: last - first + 1 }, (_, i) => ({
    claimed: {
      ...claimed,
      deliveryId: idOf(first + i),
      endpointId: idOf(first + i),
      claimedUntilMs: AT_MS + LEASE_MS,
    },
    outcome: {
      state: "waiting" as const,
      attempts: 1,
      lastStatusCode: 500,
      lastError: null,
      nextAttemptAtMs: AT_MS + RETRY_MS,
    },
  }));
  await noteOutcomes(store, ended);
}

type Plan = { "Shared Hit Blocks": number; "Shared Read Blocks": number };

/** How many pages of tables and indexes the statements of the work have read. */
async function pagesRead(work: (store: Store) => Promise<unknown>): Promise<number> {
  let pages = 0;
  await work({
    ...store,
    async run(_name, text, parameters) {
      const explain = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)";
      const rows = await store.run("", `${explain} ${text}`, parameters);
      const [explained] = rows as [{ "QUERY PLAN": { Plan: Plan }[] }];
      for (const { Plan: plan } of explained["QUERY PLAN"]) {
        pages += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"];
      }
      return [];
    },
  });
  return pages;
}

const page = { after: null, nowMs: AT_MS, limit: 200 };

const wake = (each: Store) => wakeDeliveries(each, AT_MS, 1000);

test.each<[string, (store: Store) => Promise<unknown>]>([
  ["endpoints", (each) => listDueEndpoints(each, page)],
  ["organizations with large events", (each) => listCausers(each, page)],
  ["deliveries to wake", wake],
])("a round reads no %s of which nothing is due", async (_, list) => {
  expect(await pagesRead(list)).toBeLessThan(20);
});

test("what rests is found when it is due, a part of it at a time", async () => {
  const nowMs = AT_MS + RETRY_MS;
  const all = { ...page, nowMs, limit: COUNT };
  expect(await listDueEndpoints(store, all)).toEqual([]);
  expect(await wakeDeliveries(store, nowMs - 1, 1000)).toBe(0);
  expect(await wakeDeliveries(store, nowMs, 1000)).toBe(1000);
  const endpoints = await listDueEndpoints(store, all);
  const causers = await listCausers(store, all);
  expect(endpoints.length + causers.length).toBe(1000);
});
