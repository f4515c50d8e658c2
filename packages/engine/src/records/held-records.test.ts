import { expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { frozenKeyring } from "./frozen.testing.ts";
import { createHeldRecords } from "./held-records.ts";
import { notarize } from "./notarize.ts";
import { recordDigest } from "./record.ts";

const id = "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11";

function record(version: number, { type = "wallet", schema = 1, padding = 0 } = {}) {
  const header = { type, schema, organizationId: id, id, version };
  const bytes = notarize(frozenKeyring, header, { version, padding: "x".repeat(padding) });
  return { bytes, digest: recordDigest(bytes) };
}

test("a record is held by the digest of its bytes", () => {
  const held = createHeldRecords(frozenKeyring, 10_000);
  const { bytes, digest } = record(1);
  expect(held.get(digest)).toBeUndefined();
  const added = held.add(bytes);
  expect(added).toMatchObject({ digest, size: bytes.length, header: { version: 1 } });
  expect(held.get(digest)).toBe(added);
});

test("a record that does not verify is neither read nor held", () => {
  const held = createHeldRecords(frozenKeyring, 10_000);
  const { bytes } = record(1);
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
  expect(() => held.add(bytes)).toThrow(ApiError);
  expect(held.get(recordDigest(bytes))).toBeUndefined();
});

test("a body is held in the current shape, and one of a newer schema is refused", () => {
  const held = createHeldRecords(frozenKeyring, 10_000);
  const old = held.add(record(1, { type: "organization", schema: 1 }).bytes);
  expect(old.body).toMatchObject({ decided: [], decidedBeforeMs: 0 });
  const newer = record(1, { type: "wallet", schema: 2 });
  expect(() => held.add(newer.bytes)).toThrow("is newer than this version");
  expect(held.get(newer.digest)).toBeUndefined();
});

test("activities are read but not held", () => {
  const held = createHeldRecords(frozenKeyring, 10_000);
  const { bytes, digest } = record(1, { type: "activity", schema: 2 });
  expect(held.add(bytes).header.type).toBe("activity");
  expect(held.get(digest)).toBeUndefined();
});

test("held bytes are limited: the least recently used are dropped", () => {
  const [a, b, c] = [1, 2, 3].map((version) => record(version, { padding: 1000 })) as [
    ReturnType<typeof record>,
    ReturnType<typeof record>,
    ReturnType<typeof record>,
  ];
  const held = createHeldRecords(frozenKeyring, 2.5 * a.bytes.length);
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

test("a record that is added twice is counted once", () => {
  const [a, b] = [record(1, { padding: 1000 }), record(2, { padding: 1000 })];
  const held = createHeldRecords(frozenKeyring, 2.5 * a.bytes.length);
  for (let i = 0; i < 5; i++) held.add(a.bytes);
  held.add(b.bytes);
  expect([a, b].map(({ digest }) => held.get(digest) !== undefined)).toEqual([true, true]);
});

test("a record larger than the limit is read but not held", () => {
  const held = createHeldRecords(frozenKeyring, 500);
  const { bytes, digest } = record(1, { padding: 1000 });
  expect(held.add(bytes).header.version).toBe(1);
  expect(held.get(digest)).toBeUndefined();
});
