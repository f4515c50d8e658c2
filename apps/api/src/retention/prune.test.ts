import { randomBytes } from "node:crypto";
import { recordDigest } from "@keyhearth/engine/records/record";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sealSegments } from "../receipts/seal-segments.ts";
import { baseOf, readPastRecords } from "../store/past-documents.ts";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";
import { pruneSome, startPruning } from "./prune.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server?.stop());

async function pruneAll() {
  while ((await pruneSome(server.host)) > 0);
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

test("two differences lead to any version, and one of 256 is whole", () => {
  const versions = Array.from({ length: 1000 }, (_, i) => i + 1);
  const whole = versions.filter((version) => baseOf(version) === null);
  expect(whole).toEqual([1, 257, 513, 769]);
  for (const version of versions) {
    const base = baseOf(version);
    expect(base === null || base < version).toBe(true);
    const next = base === null ? null : baseOf(base);
    expect(next === null || baseOf(next) === null).toBe(true);
  }
});

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
  expect(after.slice(1, -1).map(({ version, base }) => base === baseOf(version))).toEqual(
    Array(after.length - 2).fill(true),
  );
  const sum = (sizes: typeof after) => sizes.reduce((total, { size }) => total + size, 0);
  expect(sum(after.slice(20, -1))).toBeLessThan(sum(before.slice(20, -1)) / 20);
  expect(await pruneSome(server.host)).toBe(0);
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

test("a version whose base is missing stays whole", async () => {
  const { organizationId } = await newHistory(8);
  const text =
    "DELETE FROM organization_documents WHERE organization_id = $1::uuid AND version = 1";
  await server.store.run("", text, [organizationId]);
  await pruneAll();
  const after = await sizesOf(organizationId);
  expect(after.every(({ base, version }) => base === null || version > 17)).toBe(true);
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
  expect(shrunk).toHaveLength(10);
});

test("pruning in the background takes what commits have replaced", async () => {
  const { organizationId } = await newHistory(3);
  const pruning = startPruning(server.host, 5);
  await expect
    .poll(async () => (await sizesOf(organizationId)).filter(({ base }) => base !== null).length)
    .toBe(12);
  await pruning.stop();
});
