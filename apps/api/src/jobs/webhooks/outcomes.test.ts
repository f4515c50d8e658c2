import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../../store/connect.ts";
import { createTestDatabase } from "../../store/database.testing.ts";
import type { Ended } from "../../store/webhook-deliveries.ts";
import { createOutcomes } from "./outcomes.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

const claimedUntilMs = 2000;

function ended(deliveryId: string, isOurs = true): Ended {
  const claimed = {
    deliveryId,
    endpointId: randomUUID(),
    organizationId: randomUUID(),
    activityId: randomUUID(),
    eventType: "ACTIVITY_UPDATES",
    attempts: 0,
    claimedUntilMs: isOurs ? claimedUntilMs : 1000,
    bytes: 0,
    failures: 0,
    record: null,
  };
  const last = { lastStatusCode: 200, lastError: null };
  return {
    claimed,
    outcome: { state: "delivered", attempts: 1, nextAttemptAtMs: 3000, ...last },
    endpoint: { isDown: false, retryAtMs: 3000 },
  };
}

async function insertClaimed(count: number): Promise<string[]> {
  const rows = await database.store.run(
    "",
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
       activity_version, event_type, state, attempts, next_attempt_at_ms, created_at_ms)
     SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(),
       1, 'ACTIVITY_UPDATES', 'waiting', 0, ${claimedUntilMs}, 0
     FROM generate_series(1, ${count}) RETURNING delivery_id`,
    [],
  );
  return rows.map(({ delivery_id }) => String(delivery_id));
}

async function stateOf(deliveryId: string) {
  const text = "SELECT state, attempts FROM webhook_deliveries WHERE delivery_id = $1::uuid";
  const [row] = await database.store.run("", text, [deliveryId]);
  return [row?.state, Number(row?.attempts)];
}

test("many outcomes share a statement, and one that another process has taken since is left", async () => {
  let statements = 0;
  const run: Store["run"] = (...of) => {
    statements += 1;
    return database.store.run(...of);
  };
  const { note } = createOutcomes({ ...database.store, run }, { warn() {} });
  const [taken = "", ...ids] = await insertClaimed(301);
  await Promise.all([note(ended(taken, false)), ...ids.map((id) => note(ended(id)))]);
  expect(statements).toBe(1);
  expect(await stateOf(taken)).toEqual(["waiting", 0]);
  const states = await Promise.all(ids.map(stateOf));
  expect(new Set(states.map(String))).toEqual(new Set(["delivered,1"]));
});

test("without the database nobody waits forever, and later outcomes are noted", async () => {
  let isDown = true;
  const run: Store["run"] = async (...of) => {
    if (isDown) throw new Error("the database is down");
    return database.store.run(...of);
  };
  let warnings = 0;
  const log = {
    warn() {
      warnings += 1;
    },
  };
  const { note } = createOutcomes({ ...database.store, run }, log);
  const [first = "", second = ""] = await insertClaimed(2);
  await note(ended(first));
  expect(warnings).toBe(1);
  expect(await stateOf(first)).toEqual(["waiting", 0]);
  isDown = false;
  await note(ended(second));
  expect(await stateOf(second)).toEqual(["delivered", 1]);
});
