import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { PAUSED_AFTER } from "../../store/webhook-deliveries.ts";
import { newOrganization, startTestServer, type TestServer } from "../../testing.ts";
import type { Timing } from "./batch.ts";
import { LIMITS, startDelivering } from "./deliver.ts";
import { type Answering, type Received, startReceiver } from "./receiver.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
});
afterAll(() => server?.stop());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  // The signer's clock never goes back, so these would all be due in the next test.
  await query("DELETE FROM webhook_targets");
  await query("DELETE FROM webhook_deliveries");
});

/** Other tests use the machine too. */
const poll = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });

const PAGE = { paginationOptions: { limit: "100" } };

const MINUTE_MS = 60_000;

/** What failed is tried again when the test moves the clock. */
const timing: Partial<Timing> = {
  idleMs: 10,
  retryMs: 2 * MINUTE_MS,
  maxRetryMs: 2 * MINUTE_MS,
  // Short enough that what is under way counts as busy.
  leaseMs: MINUTE_MS / 6,
};

function deliver(change: Partial<Timing> = {}, host = server.host, limits = LIMITS) {
  const delivering = startDelivering(host, { timing: { ...timing, ...change }, limits });
  closers.push(() => delivering.stop());
  return delivering;
}

const query = (text: string, ...values: unknown[]) => server.store.run("", text, values);

/** An organization with an endpoint for which so many deliveries wait. */
async function waiting(count: number, answer: Answering = () => 500) {
  const receiver = await startReceiver(answer);
  closers.push(receiver.close);
  const organization = await newOrganization(server);
  const { root } = organization;
  const { endpointId } = await root.createWebhookEndpoint({ url: receiver.url, name: "receiver" });
  const act = () => root.createUserTag({ userTagName: `a tag ${Math.random()}`, userIds: [] });
  await act();
  await query(
    `INSERT INTO webhook_deliveries (delivery_id, endpoint_id, owner_id, organization_id, activity_id,
       activity_version, event_type, may_change, bytes, state, attempts, next_attempt_at_ms, created_at_ms)
     SELECT gen_random_uuid(), endpoint_id, owner_id, organization_id, activity_id, activity_version, event_type,
       may_change, bytes, 'waiting', 0, created_at_ms, created_at_ms
     FROM (SELECT * FROM webhook_deliveries WHERE endpoint_id = $1::uuid ORDER BY created_at_ms DESC LIMIT 1) d,
       generate_series(1, $2::int - (SELECT count(*)::int FROM webhook_deliveries WHERE endpoint_id = $1::uuid))`,
    endpointId,
    count,
  );
  const counts = async () => {
    const [row] = await query(
      `SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) FILTER (WHERE held) AS held,
         count(*) FILTER (WHERE state = 'waiting' AND NOT held AND next_attempt_at_ms < $2::bigint) AS busy,
         count(*) FILTER (WHERE state = 'delivered') AS delivered,
         count(*) FILTER (WHERE state = 'exhausted') AS exhausted
       FROM webhook_deliveries WHERE endpoint_id = $1::uuid`,
      endpointId,
      server.host.now() + MINUTE_MS / 2,
    );
    return Object.fromEntries(
      Object.entries(row ?? {}).map(([name, value]) => [name, Number(value)]),
    );
  };
  const target = async () => {
    const text = "SELECT failures, retry_at_ms FROM webhook_targets WHERE endpoint_id = $1::uuid";
    const [row] = await query(text, endpointId);
    return row && { failures: Number(row.failures), retryAtMs: row.retry_at_ms };
  };
  return { ...organization, receiver, endpointId, act, counts, target };
}

type Waiting = Awaited<ReturnType<typeof waiting>>;

/** Waits until the endpoint is paused and no attempt is under way. What failed before it was paused may rest by itself. */
async function paused({ counts, target }: Waiting) {
  await poll(async () => (await target())?.failures).toBeGreaterThanOrEqual(PAUSED_AFTER);
  await poll(async () => (await counts()).busy).toBe(0);
  const soon = server.host.now() + MINUTE_MS / 2;
  await poll(async () => Number((await target())?.retryAtMs)).toBeGreaterThan(soon);
}

/** Pauses the endpoint before anything was tried, and holds what waits for it. */
async function pausedUntried(
  { endpointId, counts }: Waiting,
  { limits = LIMITS, host = server.host } = {},
) {
  await query(
    "UPDATE webhook_targets SET failures = $2, retry_at_ms = $3 WHERE endpoint_id = $1",
    endpointId,
    PAUSED_AFTER,
    server.host.now() + MINUTE_MS,
  );
  const { waiting } = await counts();
  deliver({}, host, limits);
  await poll(async () => (await counts()).held).toBe(waiting);
}

const pass = (milliseconds: number) => {
  server.clock.offsetMs += milliseconds;
};

/** The rows that rounds read or write, and how many statements they make. */
function counting() {
  const { store } = server.host;
  const counted = { rows: 0, looks: 0 };
  const run: typeof store.run = async (...of) => {
    const rows = await store.run(...of);
    counted.rows += rows.length;
    if (of[0] === "list-due-endpoints") counted.looks += 1;
    return rows;
  };
  return { counted, host: { ...server.host, store: { ...store, run } } };
}

test("5,000 deliveries that wait for a dead endpoint cost nothing until it is tried again, with one of them", async () => {
  const dead = await waiting(5000);
  const { counted, host } = counting();
  deliver({}, host);
  await paused(dead);
  const { received } = dead.receiver;
  const first = received.length;
  // What was sent before the first failures were noted.
  expect(first).toBeLessThan(100);

  counted.looks = 0;
  counted.rows = 0;
  await poll(() => counted.looks).toBeGreaterThan(20);
  expect(counted.rows).toBe(0);
  expect(received).toHaveLength(first);

  for (let tries = 1; tries <= 3; tries++) {
    pass(4 * MINUTE_MS);
    await poll(() => received.length).toBe(first + tries);
    await paused(dead);
  }
  expect(await dead.counts()).toMatchObject({ waiting: 5000, held: 5000 });
  const ids = received.slice(first).map(({ headers }) => headers["x-turnkey-event-id"]);
  expect(new Set(ids).size).toBe(3);
}, 60_000);

test("an endpoint that answers again gets all that waits", async () => {
  const endpoint = await waiting(40);
  deliver();
  await paused(endpoint);
  endpoint.receiver.state.answer = () => 200;
  await endpoint.act();
  await paused(endpoint);
  pass(4 * MINUTE_MS);
  await poll(endpoint.counts).toEqual({
    waiting: 0,
    held: 0,
    busy: 0,
    delivered: 41,
    exhausted: 0,
  });
  await poll(endpoint.target).toEqual({ failures: 0, retryAtMs: null });
});

test("a paused endpoint is tried by one of several processes", async () => {
  const endpoint = await waiting(20);
  for (let i = 0; i < 3; i++) deliver();
  await paused(endpoint);
  const { received } = endpoint.receiver;
  const first = received.length;
  pass(4 * MINUTE_MS);
  await poll(() => received.length).toBe(first + 1);
  await paused(endpoint);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(received).toHaveLength(first + 1);
});

const isOf = (id: unknown) => (each: Received) => each.headers["x-turnkey-event-id"] === id;

test("an event that the receiver cannot handle pauses nothing, however often it is tried", async () => {
  const endpoint = await waiting(1);
  deliver({ retryMs: 1, maxRetryMs: 1, maxAttempts: 1000 });
  await poll(() => endpoint.receiver.received.length).toBeGreaterThan(3 * PAUSED_AFTER);
  const bad = endpoint.receiver.received.map(({ headers }) => headers["x-turnkey-event-id"]);
  endpoint.receiver.state.answer = (each) => (isOf(bad[0])(each) ? 500 : 200);
  expect(new Set(bad).size).toBeLessThan(PAUSED_AFTER);
  expect((await endpoint.target())?.failures).toBeLessThan(PAUSED_AFTER);
  await endpoint.act();
  await poll(async () => (await endpoint.counts()).delivered).toBeGreaterThan(0);
});

test("a paused endpoint that refuses one event for good gets the others", async () => {
  const endpoint = await waiting(20);
  deliver();
  await paused(endpoint);
  const { received, state } = endpoint.receiver;
  const first = received.length;
  pass(4 * MINUTE_MS);
  await poll(() => received.length).toBe(first + 1);
  const bad = received.at(-1)?.headers["x-turnkey-event-id"];
  state.answer = (each) => (isOf(bad)(each) ? 500 : 200);
  await paused(endpoint);
  pass(4 * MINUTE_MS);
  await poll(async () => (await endpoint.counts()).delivered).toBe(19);
});

test.each([429, 503])("an endpoint that answers %i is paused", async (status) => {
  const endpoint = await waiting(30, () => status);
  deliver();
  await poll(async () => (await endpoint.target())?.failures).toBe(PAUSED_AFTER);
  await paused(endpoint);
  expect((await endpoint.counts()).held).toBeGreaterThan(0);
});

test.each([404, 410])("an endpoint that answers %i is not paused", async (status) => {
  const endpoint = await waiting(30, () => status);
  deliver();
  await poll(() => endpoint.receiver.received.length).toBe(30);
  await poll(async () => (await endpoint.counts()).waiting).toBe(0);
  expect((await endpoint.target())?.failures).toBe(0);
});

test("what is asked for again is tried at once, although its endpoint is paused", async () => {
  const endpoint = await waiting(20);
  const { root, receiver, endpointId } = endpoint;
  await pausedUntried(endpoint);
  const text = "SELECT delivery_id FROM webhook_deliveries WHERE endpoint_id = $1::uuid AND held";
  const deliveryId = String((await query(text, endpointId)).at(-1)?.delivery_id);
  const { deliveries } = await root.listWebhookDeliveries(PAGE);
  const held = deliveries.find((each) => each.deliveryId === deliveryId);
  // When the endpoint is tried again, not when the delivery is given up.
  const seconds = Number(held?.nextAttemptAt?.seconds) - server.host.now() / 1000;
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(10 * 60);

  const first = receiver.received.length;
  await root.resendWebhookDelivery({ deliveryId });
  // What was under way before the pause may arrive too.
  const triedSince = () =>
    receiver.received.slice(first).map(({ headers }) => headers["x-turnkey-event-id"]);
  await poll(triedSince).toContain(deliveryId);
  receiver.state.answer = () => 200;
  await paused(endpoint);
  await root.resendWebhookDelivery({ deliveryId });
  // With what was under way before the pause, when its own time has come.
  pass(4 * MINUTE_MS);
  await poll(async () => (await endpoint.counts()).delivered).toBe(22);
});

test("what is asked for again while a round looks is what its paused endpoint is tried with", async () => {
  const endpoint = await waiting(20);
  const { root, receiver, endpointId } = endpoint;
  const { store } = server.host;
  let ask: (() => Promise<unknown>) | null = null;
  // It is stored while the question which endpoints are due waits for its turn.
  const run: typeof store.run = async (name, text, [nowMs, ...values] = []) => {
    const asked = name === "list-retries" ? ask : null;
    if (!asked) return store.run(name, text, [nowMs, ...values]);
    ask = null;
    await asked();
    return store.run(name, text, [server.host.now(), ...values]);
  };
  await pausedUntried(endpoint, { host: { ...server.host, store: { ...store, run } } });
  const text = "SELECT delivery_id FROM webhook_deliveries WHERE endpoint_id = $1::uuid AND held";
  const deliveryId = String((await query(text, endpointId)).at(-1)?.delivery_id);
  ask = () => root.resendWebhookDelivery({ deliveryId });
  await poll(() => receiver.received.length).toBe(1);
  expect(receiver.received[0]?.headers["x-turnkey-event-id"]).toBe(deliveryId);
});

test("what waited for seven hours is given up, and what was asked for again since is not", async () => {
  const endpoint = await waiting(20);
  const { root, receiver, endpointId } = endpoint;
  await pausedUntried(endpoint);
  const hourMs = 60 * MINUTE_MS;
  const [again] = await query(
    `UPDATE webhook_deliveries SET created_at_ms = created_at_ms - $2::bigint,
       next_attempt_at_ms = next_attempt_at_ms - $2::bigint
     WHERE endpoint_id = $1::uuid AND attempts = 0 RETURNING delivery_id`,
    endpointId,
    7 * hourMs - 5 * MINUTE_MS,
  );
  await root.resendWebhookDelivery({ deliveryId: String(again?.delivery_id) });
  await paused(endpoint);
  expect((await endpoint.counts()).exhausted).toBe(0);
  const sent = receiver.received.length;
  pass(6 * MINUTE_MS);
  await poll(async () => (await endpoint.counts()).exhausted).toBeGreaterThan(0);
  const { deliveries } = await root.listWebhookDeliveries(PAGE);
  const given = deliveries.filter(({ status }) => status === "WEBHOOK_DELIVERY_STATUS_EXHAUSTED");
  expect(given.length).toBeGreaterThan(0);
  for (const each of given) {
    // One may have been tried in between.
    if (each.attempts === 0) {
      expect(each.lastError).toBe("not tried, because the endpoint failed other deliveries");
    }
    expect(each.deliveryId).not.toBe(again?.delivery_id);
  }
  expect(receiver.received.length - sent).toBeLessThan(3);
});

test("a paused endpoint is tried with a large event at their pace, and with a small one first", async () => {
  const endpoint = await waiting(3);
  const { endpointId, receiver } = endpoint;
  await query("UPDATE webhook_deliveries SET bytes = 100000 WHERE endpoint_id = $1", endpointId);
  // The first large event is followed by a rest that is longer than the test.
  await pausedUntried(endpoint, {
    limits: { ...LIMITS, large: { perSecond: 1, atOnce: 1000 } },
  });
  pass(2 * MINUTE_MS);
  await poll(() => receiver.received.length).toBe(1);
  await paused(endpoint);
  pass(10 * MINUTE_MS);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(receiver.received).toHaveLength(1);
  const { activity } = await endpoint.act();
  await poll(() => receiver.received.length).toBe(2);
  expect(receiver.received[1]?.activity.id).toBe(activity.id);
});

test("what waits for a paused endpoint goes to its new URL, and is cancelled with it", async () => {
  const endpoint = await waiting(20);
  const { root, endpointId } = endpoint;
  const next = await startReceiver();
  closers.push(next.close);
  deliver();
  await paused(endpoint);
  await root.updateWebhookEndpoint({ endpointId, url: next.url });
  // With what was under way before the pause, when its own time has come.
  pass(4 * MINUTE_MS);
  await poll(async () => (await endpoint.counts()).delivered).toBe(21);
  next.state.answer = () => 500;
  for (let i = 0; i < PAUSED_AFTER; i++) await endpoint.act();
  await paused(endpoint);
  await root.deleteWebhookEndpoint({ endpointId });
  await poll(async () => (await endpoint.counts()).waiting).toBe(0);
  expect(await endpoint.target()).toBe(undefined);
});
