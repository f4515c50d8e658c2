import { compileAll } from "@keyhearth/engine/records/compiled-policies";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { createOrganization } from "@keyhearth/engine/records/organization-index";
import { expect, test } from "vitest";
import type { StoredDocument } from "../store/organizations.ts";
import { createCache, type DocumentName } from "./cache.ts";

const a: DocumentName = { organizationId: "a", digest: "document" };
const b: DocumentName = { organizationId: "b", digest: "document" };
const record = (digest: string, length = 10) => ({ digest, bytes: new Uint8Array(length) });

test("signing records are kept by organization and by the id or address that names the key", () => {
  const cache = createCache();
  const want = { type: "signing-key" as const, signWith: "0xab" };
  cache.keepRecords(a, want, [record("account"), record("wallet")]);
  expect(cache.findRecords(a, want)?.map(({ digest }) => digest)).toEqual(["account", "wallet"]);
  expect(cache.findRecords(b, want)).toBeUndefined();
  expect(cache.findRecords(a, { ...want, signWith: "0xcd" })).toBeUndefined();
});

test("signing records are kept for one version of the document, and interfaces for all", () => {
  const cache = createCache();
  const next = { ...a, digest: "next document" };
  const want = { type: "signing-key" as const, signWith: "0xab" };
  cache.keepRecords(a, want, [record("account")]);
  cache.keepRecords(a, interfaceWant(1), [record("interface")]);
  expect(cache.findRecords(next, want)).toBeUndefined();
  expect(cache.findRecords(next, interfaceWant(1))).toHaveLength(1);
});

test("two different wants never share a cache key", () => {
  const cache = createCache();
  cache.keepRecords(a, { type: "signing-key", signWith: "id" }, [record("key")]);
  const want = { type: "smart-contract-interface" as const, smartContractInterfaceId: "id" };
  expect(cache.findRecords(a, want)).toBeUndefined();
});

test("sessions are never kept, because they change", () => {
  const cache = createCache();
  const want = { type: "sessions" as const, userId: "ada" };
  cache.keepRecords(a, want, [record("sessions")]);
  expect(cache.findRecords(a, want)).toBeUndefined();
});

const interfaceWant = (index: number) => ({
  type: "smart-contract-interface" as const,
  smartContractInterfaceId: `interface ${index}`,
});
const MB = 1024 * 1024;

test("records are bounded by their bytes, and those that were not used for long are dropped", () => {
  const cache = createCache();
  for (const index of [1, 2, 1, 3]) {
    if (!cache.findRecords(a, interfaceWant(index))) {
      cache.keepRecords(a, interfaceWant(index), [record("i", 3 * MB)]);
    }
  }
  const kept = [1, 2, 3].map((index) => cache.findRecords(a, interfaceWant(index)) !== undefined);
  expect(kept).toEqual([true, false, true]);
});

test("an organization with many records does not displace those of others", () => {
  const cache = createCache();
  cache.keepRecords(a, interfaceWant(1), [record("i", 3 * MB)]);
  for (let index = 2; index < 20; index++) {
    cache.keepRecords(b, interfaceWant(index), [record("i", 3 * MB)]);
  }
  expect(cache.findRecords(a, interfaceWant(1))).toHaveLength(1);
});

test("a record that is a part of a larger buffer is kept without the rest", () => {
  const cache = createCache();
  const bytes = new Uint8Array(MB).subarray(10, 20);
  cache.keepRecords(a, interfaceWant(1), [{ digest: "i", bytes }]);
  const [kept] = cache.findRecords(a, interfaceWant(1)) ?? [];
  expect(kept?.bytes.buffer.byteLength).toBe(10);
});

test("small records are bounded too", () => {
  const cache = createCache();
  const want = (index: number) => ({ type: "signing-key" as const, signWith: String(index) });
  for (let index = 0; index <= 50_000; index++) cache.keepRecords(a, want(index), [record("k", 1)]);
  expect(cache.findRecords(a, want(0))).toBeUndefined();
  expect(cache.findRecords(a, want(50_000))).toHaveLength(1);
});

const policies = [{ policyId: "p", effect: "EFFECT_ALLOW", condition: "true" }];

function stored(digest: string, version = 1): StoredDocument {
  // The members that the cache reads.
  const document = { organizationId: "a", users: [], policies } as unknown as OrganizationDocument;
  const organization = createOrganization(document, compileAll);
  const bytes = new Uint8Array(10);
  return { organizationId: "a", version, digest, bytes, document, organization };
}

test("a document replaces the one before, and its policies are compiled once", () => {
  const cache = createCache();
  const first = cache.keepDocument(stored("first"));
  expect(first.organization.policies()).toBe(first.organization.policies());
  cache.keepDocument(stored("second"));
  expect(cache.document("a")?.digest).toBe("second");
  cache.forgetDocument("a");
  expect(cache.document("a")).toBeUndefined();
});

test("a document that was read late does not replace a newer one", () => {
  const cache = createCache();
  cache.keepDocument(stored("sixth", 6));
  expect(cache.keepDocument(stored("fifth", 5)).version).toBe(5);
  expect(cache.document("a")?.version).toBe(6);
  cache.forgetDocument("a");
  cache.keepDocument(stored("fifth", 5));
  expect(cache.document("a")?.version).toBe(5);
});

test("a document is fresh for half a minute after the database was seen to hold it", () => {
  let nowMs = 0;
  const cache = createCache(undefined, () => nowMs);
  cache.keepDocument(stored("fifth", 5));
  nowMs = 29_999;
  expect(cache.freshDocument("a")?.version).toBe(5);
  nowMs = 30_000;
  expect(cache.freshDocument("a")).toBeUndefined();
  expect(cache.document("a")?.version).toBe(5);
  cache.refreshDocument("a");
  expect(cache.freshDocument("a")?.version).toBe(5);
});
