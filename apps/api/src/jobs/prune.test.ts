import { randomBytes } from "node:crypto";
import { recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readPastRecords } from "../store/past-documents.ts";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { pruneSome, startPruning } from "./prune.ts";
import { sealSegments } from "./seal-segments.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

async function pruneAll() {
  while ((await pruneSome(server.host)).pruned > 0);
}

async function sizesOf(organizationId: string) {
  const rows = await server.store.run(
    "sizes-of-documents",
    `SELECT version, base, length(record) AS size FROM organization_documents
     WHERE organization_id = $1::uuid ORDER BY version`,
    [organizationId],
  );
  return rows.map(({ version, base, size }) => ({
    version: Number(version),
    base: base === null ? null : Number(base),
    size: Number(size),
  }));
}

/** Policies whose notes do not compress, and many changes of one name. */
async function newHistory(changes: number) {
  const organization = await newOrganization(server);
  const { root } = organization;
  const policyIds: string[] = [];
  for (let i = 0; i < 10; i++) {
    const notes = randomBytes(1000).toString("hex");
    const policy = { effect: "EFFECT_DENY", condition: "false", notes } as const;
    policyIds.push((await root.createPolicy({ policyName: `policy ${i}`, ...policy })).policyId);
  }
  for (let i = 0; i < changes; i++) {
    await root.updatePolicy({ policyId: policyIds[0] ?? "", policyName: `renamed ${i}` });
  }
  return { ...organization, policyIds };
}

test("old versions are stored as differences that give back the same bytes", async () => {
  const { organizationId } = await newHistory(40);
  const { db } = server.store;
  const before = await sizesOf(organizationId);
  const versions = before.map(({ version }) => version);
  const records = await readPastRecords(db, organizationId, versions);
  await pruneAll();

  const read = await readPastRecords(db, organizationId, versions);
  expect(read.map(({ version }) => version)).toEqual([...versions].reverse());
  expect(read.map(({ record }) => recordDigest(record))).toEqual(
    records.map(({ digest }) => digest),
  );
  const after = await sizesOf(organizationId);
  const current = after.at(-1);
  expect(current).toEqual(before.at(-1));
  const whole = new Set(after.flatMap(({ version, base }) => (base === null ? version : [])));
  for (const { version, base } of after) {
    expect(base === null || (base < version && whole.has(base))).toBe(true);
  }
  // While the document grows, versions differ too much. Later changes are small.
  expect(after.slice(12, -1).every(({ base }) => base !== null)).toBe(true);
  const sum = (sizes: typeof after) => sizes.reduce((total, { size }) => total + size, 0);
  expect(sum(after.slice(12, -1))).toBeLessThan(sum(before.slice(12, -1)) / 5);
  expect(await pruneSome(server.host)).toEqual({ pruned: 0, last: null });
});

test("what queries show of past decisions, and receipts, stay the same", async () => {
  const { root } = await newHistory(20);
  await sealSegments(server.host);
  const show = async () => {
    const { activities } = await root.listActivities({ paginationOptions: { limit: "100" } });
    const evaluations = await Promise.all(
      activities.map(({ id }) => root.getPolicyEvaluations({ activityId: id, includeTrace: true })),
    );
    return { activities, evaluations, receipts: await root.getReceipts({}) };
  };
  const before = await show();
  expect(before.activities.length).toBeGreaterThan(30);
  await pruneAll();
  expect(await show()).toEqual(before);
});

test("a damaged version does not keep others waiting", async () => {
  const damaged = await newHistory(1);
  await pruneAll();
  const text = "UPDATE organization_documents SET base = version WHERE organization_id = $1::uuid";
  await server.store.run("", text, [damaged.organizationId]);
  await server.store.run(
    "",
    "INSERT INTO past_documents (organization_id, version) VALUES ($1::uuid, 3)",
    [damaged.organizationId],
  );
  const { organizationId } = await newHistory(1);
  await pruneAll();
  const shrunk = (await sizesOf(organizationId)).filter(({ base }) => base !== null);
  expect(shrunk.length).toBeGreaterThan(5);
});

test("pruning in the background takes what commits have replaced", async () => {
  const { organizationId } = await newHistory(3);
  const pruning = startPruning(server.host, 5);
  await expect
    .poll(async () => (await sizesOf(organizationId)).filter(({ base }) => base !== null).length)
    .toBeGreaterThan(5);
  await pruning.stop();
});

test("organizations take turns, so that one that keeps changing does not keep the others' versions whole", async () => {
  await pruneAll();
  const made = [await newHistory(30), await newHistory(30)];
  const ids = made.map(({ organizationId }) => organizationId).sort();
  const first = await pruneSome(server.host);
  expect(first).toEqual({ pruned: 16, last: ids[0] });
  const second = await pruneSome(server.host, first.last);
  expect(second).toEqual({ pruned: 16, last: ids[1] });
  const third = await pruneSome(server.host, second.last);
  expect(third).toEqual({ pruned: 16, last: ids[0] });
});

test("very many rows that nobody needs are deleted a few thousand at a time, without long rests", async () => {
  const { store } = server;
  await store.run(
    "",
    `INSERT INTO request_counts (limit_name, key_hash, full_at_ms, spent_ms)
     SELECT 'test', 'key ' || n, 0, 0 FROM generate_series(1, 7000) n`,
    [],
  );
  const left = async () => {
    const [row] = await store.run(
      "",
      "SELECT count(*)::int AS rows FROM request_counts WHERE limit_name = 'test'",
      [],
    );
    return Number(row?.rows);
  };
  const restMs = 3000;
  const pruning = startPruning(server.host, restMs);
  const seen: number[] = [];
  const seenAll = async () => {
    const rows = await left();
    if (rows !== seen.at(-1)) seen.push(rows);
    return rows;
  };
  // Four rounds: with a long rest before each they would take this and more.
  await expect.poll(seenAll, { timeout: 4 * restMs, interval: 2 }).toBe(0);
  await pruning.stop();
  expect(seen.length).toBeGreaterThan(2);
});
