import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./connect.ts";
import { createTestDatabase, pagesRead } from "./database.testing.ts";
import { claimDeliveries } from "./webhook-deliveries.ts";

// Endpoints of an application. One end user has caused very many small events for them, and others a few.

const BACKLOG = 20_000;
const OTHERS = 40;
const AT_MS = 1_000_000;
const LIMIT = 8;

let store: Store;
let drop: () => Promise<void>;

const idOf = (n: number) => `${n.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
const [shared, lonely, blocked, crowded] = [idOf(1), idOf(2), idOf(3), idOf(4)];
const others = Array.from({ length: OTHERS }, (_, n) => idOf(100 + n));
/** Between those of the others. */
const busy = "00000078-ffff-4000-8000-000000000000";
const all = [...others, busy].toSorted();

beforeAll(async () => {
  ({ store, drop } = await createTestDatabase());
  await fill(shared, busy, 1000);
  for (const other of others) await fill(shared, other, 2, 500_000);
  await fill(lonely, busy, 5);
  // What comes after an event of its activity that failed, and is tried again later.
  await fill(blocked, busy, 20);
  await store.run(
    "block deliveries",
    `INSERT INTO webhook_deliveries SELECT gen_random_uuid(), endpoint_id, owner_id, organization_id, activity_id,
        activity_version - 1, event_type, record, state, 1, next_attempt_at_ms, NULL, NULL, created_at_ms,
        false, bytes, true, false, NULL
      FROM webhook_deliveries WHERE endpoint_id = $1::uuid`,
    [blocked],
  );
  await fill(blocked, others[OTHERS - 1] ?? "", 1);
  await fill(crowded, busy, BACKLOG);
  await store.run(
    "fill a crowd",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
        activity_version, event_type, state, attempts, bytes, next_attempt_at_ms, created_at_ms)
      SELECT gen_random_uuid(), $1::uuid, $1::uuid, gen_random_uuid(), gen_random_uuid(), 1, '', 'waiting', 0, 100,
        500000, 500000 FROM generate_series(1, 5000) AS n`,
    [crowded],
  );
  // Databases do it themselves, later.
  await store.run("vacuum", "VACUUM webhook_deliveries", []);
}, 120_000);

afterAll(() => drop());

async function fill(to: string, organizationId: string, count: number, fromMs = 0) {
  await store.run(
    "fill deliveries",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
        activity_version, event_type, state, attempts, bytes, next_attempt_at_ms, created_at_ms)
      SELECT gen_random_uuid(), $1::uuid, $1::uuid, $2::uuid, gen_random_uuid(), 2, '', 'waiting', 0, 100,
        $3::bigint + n, $3::bigint + n FROM generate_series(1, $4::bigint) AS n`,
    [to, organizationId, fromMs, count],
  );
}

/** The organizations of what is claimed. */
async function claim(endpointId: string, after: string | null, limit = LIMIT, from = store) {
  const untilMs = AT_MS + 30_000;
  const claimed = await claimDeliveries(from, { endpointId, after, nowMs: AT_MS, untilMs, limit });
  return claimed.map(({ organizationId }) => organizationId);
}

test("one organization with very many events takes its turn among the others", async () => {
  const served: string[] = [];
  for (let i = 0; i < 5; i++) {
    served.push(...(await claim(shared, served.at(-1) ?? null)));
  }
  expect(served).toEqual(all.slice(0, 40));
});

test("turns go on where they ended, also one at a time, and the others leave theirs when nothing more waits", async () => {
  const served: string[] = [];
  let after = all[39] ?? null;
  for (let i = 0; i < 41; i++) {
    const [next, ...more] = await claim(shared, after, 1);
    expect(more).toEqual([]);
    served.push(next ?? "none");
    after = next ?? null;
  }
  expect(served).toEqual([...all.slice(40), ...all.slice(0, 40)]);
  // The last of the others has one left.
  expect(await claim(shared, busy, 3)).toEqual([all[40], busy, busy]);
  expect(await claim(shared, busy)).toEqual(Array(LIMIT).fill(busy));
});

test("an organization that is alone gets all places, and its oldest events first", async () => {
  await fill(lonely, busy, 1, -1);
  expect(await claim(lonely, null, 2)).toEqual([busy, busy]);
  const [left] = await store.run(
    "",
    `SELECT min(created_at_ms) AS oldest FROM webhook_deliveries WHERE endpoint_id = $1 AND NOT rests`,
    [lonely],
  );
  expect(Number(left?.oldest)).toBe(2);
  expect(await claim(lonely, busy)).toHaveLength(4);
  expect(await claim(lonely, busy)).toEqual([]);
});

test("an organization whose events wait for an earlier one of their activity has no turn", async () => {
  expect(await claim(blocked, null, 1)).toEqual([others[OTHERS - 1]]);
  expect(await claim(blocked, null, 1)).toEqual([]);
});

test.each([
  ["from the first", null, LIMIT],
  ["in the middle", busy, LIMIT],
  ["at the end", "ffffffff-ffff-4fff-bfff-ffffffffffff", LIMIT],
  ["one at a time", busy, 1],
])("a claim reads what it takes, and not what waits: %s", async (_, after, limit) => {
  // About 35 for each: its rows, their entries in indexes, and the looks for earlier ones and for its record.
  const pages = await pagesRead(store, (each) => claim(crowded, after, limit, each));
  expect(pages).toBeLessThan(100 + 80 * limit);
});
