import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Store } from "../store/connect.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { createFamilyStorage } from "./family-storage.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await createTestDatabase();
  store = database.store;
});

afterAll(() => database?.drop());

test("what a family stores is read when it could be full since, and once a second at most", async () => {
  const familyId = randomUUID();
  let nowMs = 0;
  const storage = createFamilyStorage(store, null, () => nowMs);
  const SECOND = 1000 * 64 * 1024;
  expect(await storage.bytesOf(familyId, SECOND)).toBe(0);
  const insert = "INSERT INTO organization_storage VALUES ($1::uuid, 5000)";
  await store.run("", insert, [familyId]);
  nowMs = 999;
  expect(await storage.bytesOf(familyId, SECOND)).toBe(0);
  nowMs = 1000;
  const both = [storage.bytesOf(familyId, 10 * SECOND), storage.bytesOf(familyId, 10 * SECOND)];
  expect(both[0]).toBe(both[1]);
  expect(await both[0]).toBe(5000);
  await store.run("", "UPDATE organization_storage SET bytes = 6000", []);
  nowMs += 9000;
  expect(await storage.bytesOf(familyId, 1000 * SECOND)).toBe(5000);
  nowMs += 1000;
  expect(await storage.bytesOf(familyId, 1000 * SECOND)).toBe(6000);
  nowMs += 60_000;
  await store.run("", "UPDATE organization_storage SET bytes = 7000", []);
  expect(await storage.bytesOf(familyId, 1000 * SECOND)).toBe(7000);
});

test("a sum that could not be read is read again", async () => {
  const storage = createFamilyStorage(store, null);
  const failed = storage.bytesOf("no uuid", 1);
  await expect(failed).rejects.toThrow();
  const again = storage.bytesOf("no uuid", 1);
  expect(again).not.toBe(failed);
  await expect(again).rejects.toThrow();
});
