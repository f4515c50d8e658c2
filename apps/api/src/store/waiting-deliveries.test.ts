import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./connect.ts";
import { createTestDatabase, pagesRead } from "./database.testing.ts";
import { listCausers } from "./large-deliveries.ts";
import { giveUpDeliveries, listRetries, type Retry } from "./paused-endpoints.ts";
import {
  LARGE_BYTES,
  listDueEndpoints,
  noteOutcomes,
  PAUSED_AFTER,
  wakeDeliveries,
} from "./webhook-deliveries.ts";

// Very many endpoints, each with a delivery that failed and is tried again later, and many that are paused. For one of
// these, very many deliveries wait.

const COUNT = 20_000;
const PAUSED = 2000;
const HELD = 5000;
const AT_MS = 1_000_000;
const LEASE_MS = 30_000;
const RETRY_MS = 3_600_000;
const HELD_MS = 7 * RETRY_MS;

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
  await store.run(
    "pause targets",
    `INSERT INTO webhook_targets (organization_id, endpoint_id, url, family_id, failures, retry_at_ms)
      SELECT ${id}, ${id}, 'https://example.com', ${id}, ${PAUSED_AFTER}, ${AT_MS + RETRY_MS}
      FROM generate_series(${COUNT + 1}, ${COUNT + PAUSED}) AS n`,
    [],
  );
  await store.run(
    "hold deliveries",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
        activity_version, event_type, state, attempts, bytes, next_attempt_at_ms, created_at_ms, rests, held)
      SELECT gen_random_uuid(), ${id}, ${id}, ${id}, gen_random_uuid(), 1, '', 'waiting', 0, 100,
        ${AT_MS + HELD_MS}, ${AT_MS}, true, true
      FROM (SELECT least(n, ${COUNT + PAUSED}) AS n
        FROM generate_series(${COUNT + 1}, ${COUNT + PAUSED + HELD}) AS n) AS n`,
    [],
  );
  // Databases do it themselves, later.
  await store.run("vacuum", "VACUUM webhook_deliveries", []);
}, 120_000);

afterAll(() => drop());

/** Notes an attempt of each of these that failed. */
async function failAll(first: number, last: number) {
  const of = {
    organizationId: "",
    activityId: "",
    eventType: "",
    attempts: 0,
    bytes: 0,
    failures: 0,
  };
  const ended = Array.from({ length: last - first + 1 }, (_, i) => ({
    claimed: {
      ...of,
      record: null,
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
    endpoint: { isDown: true, retryAtMs: AT_MS + RETRY_MS },
  }));
  await noteOutcomes(store, ended);
}

const page = { after: null, nowMs: AT_MS, limit: 200 };

const wake = (each: Store) => wakeDeliveries(each, AT_MS, 1000);

test.each<[string, (store: Store) => Promise<unknown>]>([
  ["endpoints", (each) => listDueEndpoints(each, page)],
  ["organizations with large events", (each) => listCausers(each, page)],
  ["deliveries to wake", wake],
  ["endpoints to try again", (each) => listRetries(each, page)],
  ["deliveries to give up", (each) => giveUpDeliveries(each, AT_MS, 1000)],
])("a round reads no %s of which nothing is due", async (_, list) => {
  expect(await pagesRead(store, list)).toBeLessThan(20);
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

test("paused endpoints are found when it is time to try them, a page at a time", async () => {
  const nowMs = AT_MS + RETRY_MS;
  expect(await listRetries(store, { ...page, nowMs: nowMs - 1 })).toEqual([]);
  const found = new Set<string>();
  let after: Retry | null = null;
  do {
    const retries: Retry[] = await listRetries(store, { after, nowMs, limit: 700 });
    for (const { endpointId, probe } of retries) if (probe) found.add(endpointId);
    after = retries.at(-1) ?? null;
  } while (after);
  expect(found.size).toBe(PAUSED);
});

test("what is held is given up when it is old, a part of it at a time", async () => {
  const nowMs = AT_MS + HELD_MS;
  expect(await giveUpDeliveries(store, nowMs - 1, 1000)).toEqual([]);
  for (const count of [4000, PAUSED - 1 + HELD + 1 - 4000, 0]) {
    expect(await giveUpDeliveries(store, nowMs, 4000)).toHaveLength(count);
  }
});
