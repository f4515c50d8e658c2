import { secretBytes } from "@keyhearth/crypto/secret-bytes";
import { expect, test } from "vitest";
import { createUnsealedKeys } from "./unsealed-keys.ts";

let nowMs = 0;

function create() {
  return createUnsealedKeys({ max: 8, maxPerOrganization: 4, maxAgeMs: 1000, now: () => nowMs });
}

const keyOf = (byte: number) => ({
  curve: "CURVE_ED25519" as const,
  bytes: secretBytes(Uint8Array.of(byte)),
});
const make = (byte: number) => () => keyOf(byte);

test("a key in use is unsealed once, until it is too old", () => {
  const keys = create();
  const key = keys.get("ada's", "a", make(1));
  expect(keys.get("ada's", "a", make(2))).toBe(key);
  nowMs += 1000;
  expect(keys.get("ada's", "a", make(2))).toEqual(keyOf(2));
  expect(key).toEqual(keyOf(0));
});

test("an organization with many keys displaces only its own", () => {
  const keys = create();
  const grace = keys.get("grace's", "g", make(1));
  const own = Array.from({ length: 20 }, (_, index) => keys.get("ada's", `${index}`, make(2)));
  expect(keys.get("grace's", "g", make(3))).toBe(grace);
  // The dropped ones are wiped.
  expect(own.map(({ bytes: [byte] }) => byte).filter((byte) => byte === 2)).toHaveLength(4);
});

test("all keys together are limited, and the oldest are dropped first", () => {
  const keys = create();
  const all = Array.from({ length: 9 }, (_, index) => keys.get(`${index}'s`, `${index}`, make(1)));
  expect(all.map(({ bytes: [byte] }) => byte)).toEqual([0, 1, 1, 1, 1, 1, 1, 1, 1]);
});

test("keys that are too old are wiped when the next request comes, whatever it is", () => {
  const keys = create();
  const old = keys.get("ada's", "a", make(1));
  nowMs += 500;
  const young = keys.get("grace's", "g", make(1));
  nowMs += 500;
  keys.dropOld();
  expect([old, young]).toEqual([keyOf(0), keyOf(1)]);
});

test("keys that are too old are wiped with the next use of another", () => {
  const keys = create();
  const old = keys.get("ada's", "a", make(1));
  nowMs += 2000;
  keys.get("grace's", "g", make(1));
  expect(old).toEqual(keyOf(0));
});

test("keys that are too old are wiped although no request comes, and the time of the core stands still", async () => {
  const keys = createUnsealedKeys({
    ...{ max: 8, maxPerOrganization: 4 },
    maxAgeMs: 60,
    now: () => 0,
  });
  const first = keys.get("ada's", "a", make(1));
  await new Promise((resolve) => setTimeout(resolve, 30));
  const second = keys.get("grace's", "g", make(1));
  expect([first, second]).toEqual([keyOf(1), keyOf(1)]);
  await expect.poll(() => [first, second], { interval: 5 }).toEqual([keyOf(0), keyOf(1)]);
  await expect.poll(() => second).toEqual(keyOf(0));
  // The next ones are watched as well.
  const third = keys.get("ada's", "a", make(1));
  await expect.poll(() => third).toEqual(keyOf(0));
});
