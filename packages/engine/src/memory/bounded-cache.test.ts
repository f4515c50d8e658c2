import { expect, test } from "vitest";
import { createBoundedCache } from "./bounded-cache.ts";

const own = (value: string, cost: number, organizationId = "ada's") => ({
  organizationId,
  value,
  cost,
});

test("the least recently used values are dropped once all together cost too much", () => {
  const dropped: string[] = [];
  const cache = createBoundedCache<string>({ max: 10_000, maxPerOrganization: 10_000 }, (value) =>
    dropped.push(value),
  );
  cache.set("a", own("A", 4000));
  cache.set("b", own("B", 4000, "grace's"));
  expect(cache.get("a")).toBe("A");
  cache.set("c", own("C", 4000));
  expect(["a", "b", "c"].map(cache.get)).toEqual(["A", undefined, "C"]);
  expect(dropped).toEqual(["B"]);
  expect(cache.cost).toBeGreaterThan(8000);
  expect(cache.cost).toBeLessThan(10_000);
});

test("an organization beyond its part displaces only its own values", () => {
  const cache = createBoundedCache<string>({ max: 100_000, maxPerOrganization: 10_000 });
  cache.set("grace", own("G", 9000, "grace's"));
  for (let index = 0; index < 100; index++) cache.set(`${index}`, own("A", 2000));
  expect(cache.get("grace")).toBe("G");
  expect(cache.get("99")).toBe("A");
  expect(cache.get("0")).toBeUndefined();
  expect(cache.cost).toBeLessThan(20_000);
});

test("a value that alone is too large is not kept, and neither is the one before", () => {
  const dropped: string[] = [];
  const cache = createBoundedCache<string>({ max: 100_000, maxPerOrganization: 10_000 }, (value) =>
    dropped.push(value),
  );
  cache.set("a", own("small", 1000));
  cache.set("other", own("O", 1000));
  cache.set("a", own("large", 10_000));
  expect(cache.get("a")).toBeUndefined();
  expect(cache.get("other")).toBe("O");
  expect(dropped).toEqual(["small", "large"]);
});

test("many small values are charged for their places in the cache", () => {
  const cache = createBoundedCache<null>({ max: 100_000, maxPerOrganization: 100_000 });
  for (let index = 0; index < 1000; index++) {
    cache.set(`${index}`, { organizationId: `${index}`, value: null, cost: 0 });
  }
  const kept = Array.from({ length: 1000 }, (_, index) => cache.get(`${index}`));
  expect(kept.filter((value) => value === null).length).toBeLessThan(300);
});

test("nothing is left of values that were deleted", () => {
  const cache = createBoundedCache<string>({ max: 100_000, maxPerOrganization: 10_000 });
  cache.set("a", own("A", 1000));
  cache.delete("a");
  cache.delete("unknown");
  expect(cache.get("a")).toBeUndefined();
  expect(cache.cost).toBe(0);
});
