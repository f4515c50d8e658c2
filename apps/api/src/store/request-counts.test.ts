import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "./database.testing.ts";
import { addToRequestCounts } from "./request-counts.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

const LONGEST_MS = 600_000;

/** How long it takes until all of the allowance is there again, after this was spent. */
async function spend(keyHash: string, spentMs: number, ageMs = 0): Promise<number> {
  const limit = { name: "address", longestMs: LONGEST_MS };
  const counts = await addToRequestCounts(database.store, limit, [{ keyHash, spentMs, ageMs }]);
  return counts.get(keyHash) ?? Number.NaN;
}

/** As if everything so far had been spent earlier. */
async function wait(keyHash: string, milliseconds: number) {
  const text = "UPDATE request_counts SET full_at_ms = full_at_ms - $2 WHERE key_hash = $1";
  await database.store.run("", text, [keyHash, milliseconds]);
}

/** The time of the statements themselves passes too. */
function expectAbout(milliseconds: number, expected: number) {
  expect(milliseconds).toBeLessThanOrEqual(expected + 1);
  expect(milliseconds).toBeGreaterThan(expected - 10_000);
}

test("what several processes spend is added up", async () => {
  expectAbout(await spend("added", 100_000), 100_000);
  expectAbout(await spend("added", 50_000), 150_000);
  await wait("added", 120_000);
  expectAbout(await spend("added", 50_000), 80_000);
});

test("what was spent from an allowance that was full again is charged whole, however long ago that was", async () => {
  await spend("full again", 50_000);
  await wait("full again", 500_000);
  expectAbout(await spend("full again", 100_000), 100_000);
});

test("what has grown since it was spent is not charged", async () => {
  expectAbout(await spend("late", 100_000, 40_000), 60_000);
  await wait("late", 200_000);
  expectAbout(await spend("late", 100_000, 40_000), 60_000);
});

test("a debt never takes longer than the longest", async () => {
  expectAbout(await spend("debt", 2 * LONGEST_MS), LONGEST_MS);
  expectAbout(await spend("debt", 2 * LONGEST_MS), LONGEST_MS);
});
