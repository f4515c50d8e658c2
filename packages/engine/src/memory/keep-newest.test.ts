import { expect, test } from "vitest";
import { keepNewest } from "./keep-newest.ts";

test("beyond the bound, what was kept longest ago is forgotten", () => {
  const map = new Map<string, number>();
  for (const [at, key] of ["a", "b", "a", "c", "d"].entries()) keepNewest(map, 3, key, at);
  expect([...map]).toEqual([
    ["a", 2],
    ["c", 3],
    ["d", 4],
  ]);
  keepNewest(map, 1, "d", 5);
  expect([...map]).toEqual([["d", 5]]);
});
