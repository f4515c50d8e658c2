import { parentPort } from "node:worker_threads";
import { parseContractAbi } from "@keyhearth/crypto/transactions/abi";
import { parseAnchorIdl } from "@keyhearth/crypto/transactions/anchor-idl";
import { heapSizeOf } from "./heap-size.ts";
import { measureHeap } from "./measure.testing.ts";

// Measures what values take in a thread, whose small heap is collected in milliseconds.

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
    ? { name: "", type: "tuple", components: list(4900, () => ({ name: "", type: "uint8" })) }
    : { name: "", type: "tuple", components: [nested(depth - 1)] };

const abis: Record<string, unknown> = {
  parameters: [{ name: "f", inputs: list(4900, () => ({ name: "", type: "uint8" })) }],
  functions: list(1000, (index) => ({ name: `f${index}`, inputs: [{ name: "a", type: "bytes" }] })),
  arrays: [{ name: "f", inputs: list(700, () => ({ name: "", type: "uint8[][][][][][]" })) }],
  tuples: [{ name: "f", inputs: [nested(5)] }],
};

const idl = {
  instructions: list(1000, (index) => ({
    name: `i${index}`,
    accounts: [],
    args: [{ name: "a", type: "u8" }],
  })),
  types: [],
};

/** What the values that a parser makes take, and what is charged for one of them, in bytes. */
function measure(values: Record<string, unknown>, parse: (text: string) => unknown, count: number) {
  return Object.entries(values).map(([shape, value]) => {
    const text = JSON.stringify(value);
    const taken = measureHeap(() => parse(text), count);
    return { shape, taken, charged: heapSizeOf(parse(text)) };
  });
}

export type Measured = ReturnType<typeof measureAll>;

function measureAll() {
  return {
    json: measure(bodies, JSON.parse, 3),
    abis: measure(abis, parseContractAbi, 1),
    idls: measure({ idl }, parseAnchorIdl, 1),
  };
}

parentPort?.postMessage(measureAll());
