import { parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import { parseAnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import { describe, expect, test } from "vitest";
import { heapSizeOf } from "./heap-size.ts";
import { measureHeap } from "./measure.testing.ts";

const uuid = (index: number) => `5f7c0c6a-1f2a-4f0e-9d2c-${String(index).padStart(12, "0")}`;
const times = { createdAtMs: 1_767_225_600_000, updatedAtMs: 1_767_225_600_000 };

function list<T>(length: number, one: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => one(index));
}

const apiKey = (index: number) => ({
  apiKeyId: uuid(index),
  apiKeyName: "k",
  credential: { publicKey: "02".repeat(33), type: "CREDENTIAL_TYPE_API_KEY_P256" },
  ...times,
});

/** JSON in the shapes of records, and in those that take the most memory for their length. */
const bodies: Record<string, unknown> = {
  users: list(100, (index) => ({ userId: uuid(index), apiKeys: list(10, apiKey), userTags: [] })),
  tags: list(100, () => ({ userTags: list(100, uuid) })),
  closed: list(2000, (index) => ({
    fingerprint: `sha256:${"ab".repeat(32)}`,
    untilMs: 2e12 + index,
  })),
  policies: list(100, (index) => ({
    policyId: uuid(index),
    condition: "true",
    notes: "",
    ...times,
  })),
  "empty objects": list(10_000, () => ({})),
  "empty lists": list(10_000, () => []),
  numbers: list(100_000, () => 1),
  fractions: list(100_000, () => 1.5),
  "short texts": list(10_000, (index) => `x${index}`),
  "text of one byte a character": "a".repeat(400_000),
  "text of two bytes a character": `${"a".repeat(400_000)}ā`,
  emoji: list(1000, (index) => "😀".repeat(100) + index),
};

const nested = (depth: number): object =>
  depth === 0
    ? { name: "", type: "tuple", components: list(5000, () => ({ name: "", type: "uint8" })) }
    : { name: "", type: "tuple", components: [nested(depth - 1)] };

const abis: Record<string, unknown> = {
  parameters: [{ name: "f", inputs: list(9000, () => ({ name: "", type: "uint8" })) }],
  functions: list(2000, (index) => ({ name: `f${index}`, inputs: [{ name: "a", type: "bytes" }] })),
  arrays: [{ name: "f", inputs: list(4000, () => ({ name: "", type: "uint8[][][][][][]" })) }],
  tuples: [{ name: "f", inputs: [nested(5)] }],
};

const idl = {
  instructions: list(2000, (index) => ({
    name: `i${index}`,
    accounts: [],
    args: [{ name: "a", type: "u8" }],
  })),
  types: [],
};

describe("the charge is at least what V8 takes, and not many times more", () => {
  test.each(Object.entries(bodies))("JSON: %s", (_, body) => {
    const text = JSON.stringify(body);
    const taken = measureHeap(() => JSON.parse(text));
    expect(heapSizeOf(JSON.parse(text))).toBeGreaterThan(0.97 * taken);
    expect(heapSizeOf(JSON.parse(text))).toBeLessThan(6 * taken);
  });

  test.each(Object.entries(abis))("interface: %s", (_, abi) => {
    const text = JSON.stringify(abi);
    const taken = measureHeap(() => parseContractAbi(text), 3);
    expect(heapSizeOf(parseContractAbi(text))).toBeGreaterThan(taken);
    expect(heapSizeOf(parseContractAbi(text))).toBeLessThan(6 * taken);
  });

  test("interface of a program", () => {
    const text = JSON.stringify(idl);
    const taken = measureHeap(() => parseAnchorIdl(text), 3);
    expect(heapSizeOf(parseAnchorIdl(text))).toBeGreaterThan(taken);
  });
});

test("values that JSON does not have are charged too", () => {
  expect(heapSizeOf(new Uint8Array(1000))).toBeGreaterThan(1000);
  expect(heapSizeOf(new Map([["key", 10n ** 30n]]))).toBeGreaterThan(100);
  expect(heapSizeOf(undefined)).toBe(0);
});
