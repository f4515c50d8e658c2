import { randomUUID } from "node:crypto";
import type { Stamp } from "@keyhearth/engine/people/authenticate";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "./connect.ts";
import { createTestDatabase } from "./database.testing.ts";
import { dbOver } from "./db-over.ts";
import {
  findHolders,
  findHoldersNear,
  findHomes,
  hasCredential,
  isHeldSomewhere,
  lookupHash,
} from "./lookups.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = database.store;
});

afterAll(() => database?.drop());

const NOW_MS = 1_000_000;
const PAST = NOW_MS - 1;
const FUTURE = NOW_MS + 1;

const stampWith = (publicKey: string): Stamp => ({
  publicKey,
  scheme: "SIGNATURE_SCHEME_TK_API_P256",
  signature: "",
});

/** As if a user of the organization had the key. */
async function register(
  publicKey: string,
  {
    organizationId = randomUUID() as string,
    parentId = null as string | null,
    expiresAtMs = null as number | null,
    isFromParent = false,
    isStated = false,
  },
): Promise<string> {
  await store.run(
    "register-key",
    `INSERT INTO lookups (organization_id, kind, value_hash, subject_id, parent_organization_id, expires_at_ms, is_from_parent, is_stated)
     VALUES ($1::uuid, 'PUBLIC_KEY', $2::text, $3::uuid, $4::uuid, $5::bigint, $6::boolean, $7::boolean)`,
    [
      organizationId,
      lookupHash("PUBLIC_KEY", publicKey),
      randomUUID(),
      parentId,
      expiresAtMs,
      isFromParent,
      isStated,
    ],
  );
  return organizationId;
}

const sought = (publicKey: string) => ({ stamp: stampWith(publicKey), nowMs: NOW_MS });

const groupsOf = (parentId: string, publicKey: string) =>
  findHomes(store.db, parentId, { stamp: stampWith(publicKey), nowMs: NOW_MS });

/** The group that counts. */
const homesOf = async (parentId: string, publicKey: string) =>
  (await groupsOf(parentId, publicKey))[0] ?? [];

test("a key is at home where it is live, in the organization first", async () => {
  const parentId = randomUUID();
  expect(await homesOf(parentId, "a")).toEqual([]);
  const expired = await register("a", { parentId, expiresAtMs: PAST });
  await register("a", {});
  expect(await homesOf(parentId, "a")).toEqual([expired]);
  const live = await register("a", { parentId, expiresAtMs: FUTURE });
  expect(await homesOf(parentId, "a")).toEqual([live]);
  const lasting = await register("a", { parentId });
  expect((await homesOf(parentId, "a")).toSorted()).toEqual([live, lasting].toSorted());
  await register("a", { organizationId: parentId, expiresAtMs: PAST });
  expect(await homesOf(parentId, "a")).toHaveLength(2);
  await register("a", { organizationId: parentId });
  expect(await homesOf(parentId, "a")).toEqual([parentId]);
  for (let i = 0; i < 3; i++) await register("a", { parentId });
  expect((await groupsOf(parentId, "a"))[1]).toHaveLength(3);
});

test("what users of the organization registered alone, and their sessions, come after others", async () => {
  for (const alone of [{ isStated: true }, { expiresAtMs: FUTURE }]) {
    const parentId = randomUUID();
    const publicKey = JSON.stringify(alone);
    await register(publicKey, { organizationId: parentId, ...alone });
    await register(publicKey, { parentId, expiresAtMs: PAST });
    expect(await homesOf(parentId, publicKey)).toEqual([parentId]);
    const live = await register(publicKey, { parentId });
    expect(await homesOf(parentId, publicKey)).toEqual([live]);
    const given = await register(publicKey, { parentId, isFromParent: true });
    const [first, second, third] = await groupsOf(parentId, publicKey);
    expect(first).toEqual([given]);
    expect(second?.toSorted()).toEqual([live, given].toSorted());
    expect(third).toEqual([parentId]);
    await register(publicKey, { organizationId: parentId });
    expect(await homesOf(parentId, publicKey)).toEqual([parentId]);
  }
});

test("a key that two users of one sub-organization had has one home", async () => {
  const parentId = randomUUID();
  const organizationId = await register("b", { parentId, expiresAtMs: PAST });
  await register("b", { organizationId, parentId });
  expect(await homesOf(parentId, "b")).toEqual([organizationId]);
});

test("a key is at home where the parent gave it, unless that is in several places", async () => {
  const parentId = randomUUID();
  for (let i = 0; i < 3; i++) await register("d", { parentId });
  expect(await homesOf(parentId, "d")).toHaveLength(3);
  const old = await register("d", { parentId, isFromParent: true, expiresAtMs: PAST });
  expect(await homesOf(parentId, "d")).not.toContain(old);
  const given = await register("d", { parentId, isFromParent: true });
  expect(await homesOf(parentId, "d")).toEqual([given]);
  // Another parent's word says nothing here.
  await register("d", { parentId: randomUUID(), isFromParent: true });
  expect(await homesOf(parentId, "d")).toEqual([given]);
  await register("d", { organizationId: parentId });
  expect((await groupsOf(parentId, "d")).slice(0, 2)).toEqual([[parentId], [given]]);
  await register("d", { parentId, isFromParent: true });
  expect((await groupsOf(parentId, "d"))[1]).toHaveLength(3);
});

test("a key in very many sub-organizations is found as quickly as one in a few", async () => {
  const parentId = randomUUID();
  await register("few", { parentId });
  await store.run(
    "register-many",
    `INSERT INTO lookups (organization_id, kind, value_hash, subject_id, parent_organization_id)
     SELECT gen_random_uuid(), 'PUBLIC_KEY', $1::text, gen_random_uuid(), $2::uuid
     FROM generate_series(1, 30000)`,
    [lookupHash("PUBLIC_KEY", "many"), parentId],
  );
  await store.run("analyze", "ANALYZE lookups", []);
  const finders = [
    (publicKey: string) => homesOf(parentId, publicKey),
    (publicKey: string) => findHolders(store.db, sought(publicKey), 4),
    (publicKey: string) => findHoldersNear(store.db, sought(publicKey), [parentId]),
  ];
  for (const find of finders) {
    expect(await find("many")).not.toEqual([]);
    const few = await leastMs(() => find("few"));
    expect(await leastMs(() => find("many"))).toBeLessThan(10 * few + 10);
  }
});

async function leastMs(work: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

test("of a credential's holders, those near a named organization are found, parents first", async () => {
  const parentId = randomUUID();
  const named = await register("c", { parentId });
  for (let i = 0; i < 5; i++) await register("c", { parentId: randomUUID() });
  const near = (id: string) => findHoldersNear(store.db, sought("c"), [randomUUID(), id]);
  expect(await near(named)).toEqual([named]);
  expect(await near(parentId)).toEqual([named]);
  expect(await near(randomUUID())).toEqual([]);
  await register("c", { organizationId: parentId });
  expect(await near(parentId)).toEqual([parentId, named]);
});

test("an organization whose credential has expired holds it no longer", async () => {
  const organizationId = await register("e", { expiresAtMs: PAST });
  const findAll = async () => [
    await findHolders(store.db, sought("e"), 4),
    await findHoldersNear(store.db, sought("e"), [organizationId]),
  ];
  expect(await findAll()).toEqual([[], []]);
  expect(await isHeldSomewhere(store.db, stampWith("e"))).toBe(true);
  expect(await isHeldSomewhere(store.db, stampWith("nobody's"))).toBe(false);
  const live = await register("e", { expiresAtMs: FUTURE });
  expect(await findHolders(store.db, sought("e"), 4)).toEqual([live]);
  expect(await findHoldersNear(store.db, sought("e"), [organizationId, live])).toEqual([live]);
});

test("an organization has a credential of its own and of its parent", async () => {
  const [parentId, organizationId, sibling] = [await found(null), randomUUID(), randomUUID()];
  await found(parentId, organizationId);
  await found(parentId, sibling);
  const has = (key: string) => hasCredential(store.db, organizationId, stampWith(key));
  await register("its own", { organizationId, parentId, expiresAtMs: PAST });
  await register("its parent's", { organizationId: parentId });
  await register("its sibling's", { organizationId: sibling, parentId });
  expect(await has("its own")).toBe(true);
  expect(await has("its parent's")).toBe(true);
  expect(await has("its sibling's")).toBe(false);
  expect(await hasCredential(store.db, parentId, stampWith("its parent's"))).toBe(true);
  expect(await hasCredential(store.db, parentId, stampWith("its own"))).toBe(false);
  expect(await hasCredential(store.db, randomUUID(), stampWith("its own"))).toBe(false);
});

test("whether an organization has a credential is found without reading all others that have it", async () => {
  const organizationId = await found(await found(null));
  const strangers = await found(null);
  await store.run("", "DELETE FROM lookups", []);
  // Values are rare, by the statistics.
  for (const kind of ["NAME", "USERNAME", "PUBLIC_KEY"])
    await registerMany(kind, "md5(n::text)", strangers);
  await store.run("", "ANALYZE", []);
  await registerMany("PUBLIC_KEY", `'${lookupHash("PUBLIC_KEY", "popular")}'`, strangers);
  const plans: Plan[] = [];
  const explaining = dbOver(
    async (text, parameters) => {
      const [row] = await store.run(
        "",
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
        parameters,
      );
      if (row) plans.push(...(row["QUERY PLAN"] as Plan[]));
      return [];
    },
    async () => {},
  );
  await hasCredential(explaining, organizationId, stampWith("popular"));
  const blocks = plans.map(({ Plan }) => Plan["Shared Hit Blocks"] + Plan["Shared Read Blocks"]);
  expect(blocks).toEqual([expect.any(Number)]);
  expect(blocks[0]).toBeLessThan(100);
});

type Plan = { Plan: { "Shared Hit Blocks": number; "Shared Read Blocks": number } };

/** An organization, of which there is nothing else. */
async function found(
  parentId: string | null,
  organizationId: string = randomUUID(),
): Promise<string> {
  await store.run(
    "found",
    `INSERT INTO organizations (organization_id, parent_organization_id, version, digest, organization_name, created_at_ms)
     VALUES ($1::uuid, $2::uuid, 1, '', '', 0)`,
    [organizationId, parentId],
  );
  return organizationId;
}

/** As if 5,000 sub-organizations had something with this digest. */
async function registerMany(kind: string, valueHash: string, parentId: string) {
  await store.run(
    "",
    `INSERT INTO lookups (organization_id, kind, value_hash, subject_id, parent_organization_id)
     SELECT gen_random_uuid(), '${kind}', ${valueHash}, gen_random_uuid(), '${parentId}'
     FROM generate_series(1, 5000) AS n`,
    [],
  );
}
