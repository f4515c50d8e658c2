import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { createCompiledPolicies } from "./compiled-policies.ts";
import { frozenKeyring } from "./frozen.testing.ts";
import { createHeldRecords } from "./held-records.ts";
import { notarize } from "./notarize.ts";
import { recordDigest } from "./record.ts";

const id = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

type Given = {
  type?: string;
  schema?: number;
  padding?: number;
  id?: string;
  organizationId?: string;
};

function record(version: number, given: Given = {}) {
  const { type = "wallet", schema = 1, padding = 0 } = given;
  const header = { type, schema, version, ...pick(given) };
  const bytes = notarize(frozenKeyring, header, { version, padding: "x".repeat(padding) });
  return { bytes, digest: recordDigest(bytes) };
}

function pick({ id: recordId = id, organizationId = id }: Given) {
  return { id: recordId, organizationId };
}

function createHeld(max: number, maxPerOrganization = max) {
  const policies = createCompiledPolicies({ max: 1e6, maxPerOrganization: 1e6 });
  return createHeldRecords(frozenKeyring, policies, { max, maxPerOrganization });
}

/** A record of 1,000 characters takes between 2,500 and 4,000 bytes. */
const room = { ofOne: 4000, ofTwo: 8000 };

test("a record is held by the digest of its bytes", () => {
  const held = createHeld(10_000);
  const { bytes, digest } = record(1);
  expect(held.get(digest)).toBeUndefined();
  const added = held.add(bytes);
  expect(added).toMatchObject({ digest, header: { version: 1 } });
  expect(held.get(digest)).toBe(added);
});

test("a record that does not verify is neither read nor held", () => {
  const held = createHeld(10_000);
  const { bytes } = record(1);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(() => held.add(bytes)).toThrow(ApiError);
  expect(held.get(recordDigest(bytes))).toBeUndefined();
});

test("a body is held in the current shape, and one of a newer schema is refused", () => {
  const held = createHeld(10_000);
  const old = held.add(record(1, { type: "organization", schema: 1 }).bytes);
  expect(old.body).toMatchObject({ waiting: [] });
  const newer = record(1, { type: "wallet", schema: 3 });
  expect(() => held.add(newer.bytes)).toThrow("is newer than this version");
  expect(held.get(newer.digest)).toBeUndefined();
});

test("activities are read but not held", () => {
  const held = createHeld(10_000);
  const { bytes, digest } = record(1, { type: "activity", schema: 6 });
  expect(held.add(bytes).header.type).toBe("activity");
  expect(held.get(digest)).toBeUndefined();
});

test("a record that is held is not verified again", () => {
  const held = createHeld(10_000);
  const { bytes } = record(1);
  const added = held.add(bytes);
  expect(held.add(bytes)).toBe(added);
});

test("held memory is limited: the least recently used are dropped", () => {
  const [a, b, c] = ["a", "b", "c"].map((id) => record(1, { id, padding: 1000 })) as [
    ReturnType<typeof record>,
    ReturnType<typeof record>,
    ReturnType<typeof record>,
  ];
  const held = createHeld(room.ofTwo);
  held.add(a.bytes);
  held.add(b.bytes);
  held.get(a.digest);
  held.add(c.bytes);
  expect([a, b, c].map(({ digest }) => held.get(digest) !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

test("an organization with many records does not displace those of others", () => {
  const held = createHeld(10 * room.ofTwo, room.ofTwo);
  const other = record(1, { organizationId: "grace's", padding: 1000 });
  held.add(other.bytes);
  const own = Array.from({ length: 50 }, (_, index) =>
    record(1, { id: `${index}`, padding: 1000 }),
  );
  for (const { bytes } of own) held.add(bytes);
  expect(held.get(other.digest)).toBeDefined();
  expect(own.filter(({ digest }) => held.get(digest)).length).toBeGreaterThan(0);
  expect(held.cost).toBeLessThan(2 * room.ofTwo);
});

test("only the newest version of a record is held", () => {
  const held = createHeld(100_000);
  const [first, second, fork] = [record(1), record(2), record(2, { padding: 1 })];
  held.add(first.bytes);
  const { cost } = held;
  held.add(second.bytes);
  expect(held.get(first.digest)).toBeUndefined();
  expect(held.add(first.bytes).header.version).toBe(1);
  expect(held.get(first.digest)).toBeUndefined();
  expect(held.get(second.digest)).toBeDefined();
  // Of two proposals with one number, the last one that was brought.
  held.add(fork.bytes);
  expect(held.get(second.digest)).toBeUndefined();
  expect(held.get(fork.digest)).toBeDefined();
  expect(held.cost).toBeLessThan(cost + 10);
});

test("a record larger than the limit is read but not held, and the one before is dropped", () => {
  const held = createHeld(room.ofOne);
  const [small, large] = [record(1), record(2, { padding: 3000 })];
  held.add(small.bytes);
  expect(held.add(large.bytes).header.version).toBe(2);
  expect(held.get(large.digest)).toBeUndefined();
  expect(held.get(small.digest)).toBeUndefined();
  expect(held.cost).toBe(0);
});
