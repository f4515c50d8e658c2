import { expect, test } from "vitest";
import { createConcurrencyLimit } from "./concurrency-limit.ts";

const limits = { free: 2, most: 4, atOnce: 2 };
const yes = async () => true;
const no = async () => false;
const soon = () => new Promise((resolve) => setImmediate(resolve));

function workers() {
  const ends: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => ends.push(resolve));
  return { work, ends };
}

test("an organization with too many requests is refused, and the others are not", async () => {
  const places = createConcurrencyLimit(limits);
  const { work, ends } = workers();
  const all = [1, 2, 3, 4].map(() => places.run("busy", yes, work));
  await expect(places.run("busy", yes, work)).rejects.toMatchObject({ reason: "RATE_LIMITED" });
  const other = places.run("other", no, work);
  await soon();
  expect(ends).toHaveLength(3);
  while (ends.length > 0) {
    ends.shift()?.();
    await soon();
  }
  await Promise.all([...all, other]);
  const again = places.run("busy", no, async () => "free again");
  expect(await again).toBe("free again");
});

test("requests that are not genuine fill only the free places", async () => {
  const places = createConcurrencyLimit(limits);
  const { work, ends } = workers();
  const forged = [1, 2].map(() => places.run("victim", no, work));
  for (let i = 0; i < 5; i++) {
    await expect(places.run("victim", no, work)).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
    });
  }
  const own = [1, 2].map(() => places.run("victim", yes, work));
  await soon();
  for (let i = 0; i < 4; i++) {
    ends.shift()?.();
    await soon();
  }
  await Promise.all([...forged, ...own]);
});

test("a place is given back when the work fails", async () => {
  const places = createConcurrencyLimit({ free: 1, most: 1, atOnce: 1 });
  const fail = () => Promise.reject(new Error("it failed"));
  for (let i = 0; i < 3; i++)
    await expect(places.run("one", no, fail)).rejects.toThrow("it failed");
});

test("a request that waits too long for its turn is refused, and the next one gets the place", async () => {
  const places = createConcurrencyLimit({ free: 4, most: 4, atOnce: 1, waitMs: 50 });
  const { work, ends } = workers();
  const first = places.run("one", yes, work);
  const late = { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" };
  await expect(places.run("one", yes, work)).rejects.toMatchObject(late);
  expect(places.taken("one")).toBe(1);
  const next = places.run("one", yes, async () => "in turn");
  ends[0]?.();
  await first;
  expect(await next).toBe("in turn");
});
