import { expect, test } from "vitest";
import { heapSizeOf } from "./heap-size.ts";
import { resultOfThread } from "./measure.testing.ts";
import type { Measured } from "./measure-shapes.testing.ts";

test("the charge is at least what V8 takes, and not many times more", async () => {
  const program = new URL("./measure-shapes.testing.ts", import.meta.url);
  const { json, abis, idls } = await resultOfThread<Measured>(program);
  expect(json).toHaveLength(12);
  for (const { shape, taken, charged } of json) {
    expect(charged, shape).toBeGreaterThan(0.97 * taken);
    expect(charged, shape).toBeLessThan(6 * taken);
  }
  expect(abis).toHaveLength(4);
  for (const { shape, taken, charged } of abis) {
    expect(charged, shape).toBeGreaterThan(taken);
    expect(charged, shape).toBeLessThan(6 * taken);
  }
  expect(idls).toHaveLength(1);
  for (const { taken, charged } of idls) expect(charged).toBeGreaterThan(taken);
});

test("values that JSON does not have are charged too", () => {
  expect(heapSizeOf(new Uint8Array(1000))).toBeGreaterThan(1000);
  expect(heapSizeOf(new Map([["key", 10n ** 30n]]))).toBeGreaterThan(100);
  expect(heapSizeOf(undefined)).toBe(0);
});
