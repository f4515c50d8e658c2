import { expect, test } from "vitest";
import { createCache } from "./cache.ts";

const record = (digest: string, length = 10) => ({ digest, bytes: new Uint8Array(length) });

test("signing records are kept by organization and by the id or address that names the key", () => {
  const cache = createCache();
  const want = { type: "signing-key" as const, signWith: "0xab" };
  cache.keepRecords("a", want, [record("account"), record("wallet")]);
  expect(cache.findRecords("a", want)?.map(({ digest }) => digest)).toEqual(["account", "wallet"]);
  expect(cache.findRecords("b", want)).toBeUndefined();
  expect(cache.findRecords("a", { ...want, signWith: "0xcd" })).toBeUndefined();
});

test("two different wants never share a cache key", () => {
  const cache = createCache();
  cache.keepRecords("a", { type: "signing-key", signWith: "id" }, [record("key")]);
  const want = { type: "smart-contract-interface" as const, smartContractInterfaceId: "id" };
  expect(cache.findRecords("a", want)).toBeUndefined();
});

test("sessions are never kept, because they change", () => {
  const cache = createCache();
  const want = { type: "sessions" as const, userId: "ada" };
  cache.keepRecords("a", want, [record("sessions")]);
  expect(cache.findRecords("a", want)).toBeUndefined();
});

test("interfaces are bounded by their bytes, and the oldest are dropped first", () => {
  const cache = createCache();
  const want = (index: number) => ({
    type: "smart-contract-interface" as const,
    smartContractInterfaceId: `interface ${index}`,
  });
  const size = 12 * 1024 * 1024;
  for (const index of [1, 2, 2, 2, 3]) cache.keepRecords("a", want(index), [record("i", size)]);
  const kept = [1, 2, 3].map((index) => cache.findRecords("a", want(index)) !== undefined);
  expect(kept).toEqual([false, true, true]);
});

test("signing records are bounded by number", () => {
  const cache = createCache();
  const want = (index: number) => ({ type: "signing-key" as const, signWith: String(index) });
  for (let index = 0; index <= 20_000; index++)
    cache.keepRecords("a", want(index), [record("k", 1)]);
  expect(cache.findRecords("a", want(0))).toBeUndefined();
  expect(cache.findRecords("a", want(1))).toHaveLength(1);
  expect(cache.findRecords("a", want(20_000))).toHaveLength(1);
});
