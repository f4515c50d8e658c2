import { Transaction } from "ethers";
import fc from "fast-check";
import {
  encodeFunctionData,
  hashTypedData as hashWithViem,
  serializeTransaction,
  toFunctionSelector,
} from "viem";
import { expect, test } from "vitest";

import { keccak256 } from "#primitives";
import { concatBytes, decodeHex } from "../encoding/bytes.ts";
import { parseContractAbi } from "./abi.ts";
import { decodeCall } from "./abi-call.ts";
import { hashAuthorization, parseAuthorization } from "./eip-7702.ts";
import {
  argumentOf,
  bytesOfLength,
  callSample,
  hex,
  transactionSample,
  typedDataSample,
} from "./ethereum.testing.ts";
import { decodeEthereumTransaction, ethereumSigningDigest } from "./ethereum.ts";
import { MalformedError } from "./malformed.ts";
import { parseTypedData } from "./typed-data.ts";
import { hashTypedData } from "./typed-data-hash.ts";

// Samples with many changes, for a given time. Each is refused with our error, or read as a library
// reads it. If one fails, fast-check prints the seed and the smallest input.

const isLong = process.env.KEYHEARTH_LONG === "1";
const DURATION_MS = isLong ? 150_000 : 1_500;
const timeout = DURATION_MS + 30_000;
const endless = {
  numRuns: Number.MAX_SAFE_INTEGER,
  interruptAfterTimeLimit: DURATION_MS,
  markInterruptAsFailure: false,
};

type Outcomes = { read: number; refused: number };

/** The result of `parse`, or undefined if it throws a MalformedError. */
function tryTo<T>(outcomes: Outcomes, parse: () => T): T | undefined {
  try {
    const parsed = parse();
    outcomes.read++;
    return parsed;
  } catch (error) {
    if (!(error instanceof MalformedError)) throw error;
    expect(error.message.length).toBeLessThan(2000);
    outcomes.refused++;
    return undefined;
  }
}

function expectBoth({ read, refused }: Outcomes) {
  expect(read).toBeGreaterThan(20);
  expect(refused).toBeGreaterThan(20);
}

/** The result of a library, or undefined if it is stricter than we are. */
function ask<T>(library: () => T): T | undefined {
  try {
    return library();
  } catch {
    return undefined;
  }
}

// Positions in a sample are in thousandths of its length.
const place = fc.nat({ max: 1000 });
const edge = fc.constantFrom(
  ...[0, 1, 2, 3, 4, 0x1f, 0x20, 0x40, 0x60, 0x7f, 0x80, 0x81, 0x94, 0xa0, 0xb7, 0xb8, 0xb9],
  ...[0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xf9, 0xff],
);
const change = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), at: place, byte: fc.oneof(edge, fc.nat(255)) }),
  fc.record({ kind: fc.constant("flip" as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constant("add" as const), at: place, by: fc.constantFrom(-1, 1, -32, 32) }),
  fc.record({
    kind: fc.constant("insert" as const),
    at: place,
    bytes: fc.uint8Array({ maxLength: 40 }),
  }),
  fc.record({ kind: fc.constant("remove" as const), at: place, count: fc.nat({ max: 40 }) }),
  fc.record({
    kind: fc.constant("copy" as const),
    at: place,
    from: place,
    count: fc.nat({ max: 64 }),
  }),
);
const changes = fc.array(change, { maxLength: 4 });

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

function apply(bytes: Uint8Array, change: Change): Uint8Array {
  const at = Math.floor((change.at * bytes.length) / 1001);
  const head = bytes.subarray(0, at);
  const tail = bytes.subarray(at);
  const [byte = 0] = tail;
  const replaced = (value: number) => concatBytes(head, Uint8Array.of(value), tail.subarray(1));
  switch (change.kind) {
    case "set":
      return replaced(change.byte);
    case "flip":
      return replaced(byte ^ (1 << change.bit));
    case "add":
      return replaced(byte + change.by);
    case "insert":
      return concatBytes(head, change.bytes, tail);
    case "remove":
      return concatBytes(head, tail.subarray(change.count));
    case "copy": {
      const from = Math.floor((change.from * bytes.length) / 1001);
      return concatBytes(head, bytes.subarray(from, from + change.count), tail);
    }
  }
}

test("transactions", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  const random = fc.uint8Array({ maxLength: 60 });
  const changed = fc
    .tuple(transactionSample, changes)
    .map(([{ given }, list]) =>
      list.reduce(apply, decodeHex(serializeTransaction(given).slice(2))),
    );
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: changed }, random), (bytes) => {
      const transaction = tryTo(outcomes, () => decodeEthereumTransaction(bytes));
      if (transaction === undefined) return;
      const digest = ethereumSigningDigest(transaction);
      expect(digest).toEqual(keccak256(bytes));
      const other = ask(() => Transaction.from(hex(bytes)).unsignedHash);
      if (other !== undefined) expect(hex(digest)).toBe(other);
    }),
    endless,
  );
  expectBoth(outcomes);
});

test("calls", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  fc.assert(
    fc.property(callSample, changes, ({ called, given }, list) => {
      const abi = parseContractAbi(JSON.stringify([called]));
      const original = decodeHex(encodeFunctionData({ abi: [called], args: given }).slice(2));
      // The selector is kept. Otherwise there would be nothing to read.
      const data = concatBytes(original.subarray(0, 4), list.reduce(apply, original.subarray(4)));
      const decoded = decodeCall(abi, data);
      outcomes[decoded?.kind === "decoded" ? "read" : "refused"]++;
      if (decoded?.kind !== "decoded") {
        expect(decoded).toMatchObject({ kind: "undecodable", functionName: "called" });
        return;
      }
      const read = decoded.arguments.map(({ value }) => argumentOf(value));
      const again = encodeFunctionData({ abi: [called], args: read });
      expect(again + hex(decoded.suffix).slice(2)).toBe(hex(data));
    }),
    endless,
  );
  expectBoth(outcomes);
});

// JSON is changed token by token. Otherwise almost nothing would be JSON afterwards.

const token = fc.oneof(
  fc.constantFrom(
    ...['""', '"type"', '"name"', '"inputs"', '"components"', '"function"', '"tuple"', '"uint8"'],
    ...['"uint"', '"bytes"', '"bytes32[2]"', '"string[]"', '"T0"', '"T1[]"', '"EIP712Domain"'],
    ...['"address"', '"m0"', '"__proto__"', '"constructor"', '"0x"', '"0x00"', '"-1"', '"0xA"'],
    ...[
      "0",
      "1",
      "-1",
      "1.5",
      "1e400",
      "-0",
      "null",
      "true",
      "{}",
      "[]",
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
    ],
  ),
  fc.string().map((text) => JSON.stringify(text)),
);
const tokenChange = fc.record({
  at: place,
  removed: fc.nat({ max: 2 }),
  inserted: fc.array(token, { maxLength: 2 }),
});
const tokenChanges = fc.array(fc.oneof(fc.record({ at: place, from: place }), tokenChange), {
  maxLength: 2,
});

function changeTokens(
  json: string,
  list: ({ at: number; from: number } | { at: number; removed: number; inserted: string[] })[],
): string {
  const tokens = json.match(/"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/gs) ?? [];
  for (const each of list) {
    const at = Math.floor((each.at * tokens.length) / 1001);
    if ("from" in each) {
      const other = tokens[Math.floor((each.from * tokens.length) / 1001)];
      tokens.splice(at, 1, other ?? "null");
    } else {
      tokens.splice(at, each.removed, ...each.inserted);
    }
  }
  return tokens.join("");
}

test("interfaces", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  const text = fc
    .tuple(fc.array(callSample, { maxLength: 3 }), tokenChanges)
    .map(([samples, list]) => {
      const entries = samples.map(({ called }, i) => ({ ...called, name: `called${i}` }));
      return changeTokens(JSON.stringify(entries), list);
    });
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: text }, fc.json()), (json) => {
      const abi = tryTo(outcomes, () => parseContractAbi(json));
      for (const [selector, { signature }] of abi?.functions ?? []) {
        expect(selector).toBe(toFunctionSelector(signature));
      }
    }),
    endless,
  );
  expectBoth(outcomes);
});

test("typed data", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  const text = fc
    .tuple(typedDataSample, tokenChanges)
    .map(([typedData, list]) => changeTokens(JSON.stringify(typedData), list));
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: text }, fc.json()), (json) => {
      const typedData = tryTo(outcomes, () => parseTypedData(json));
      if (typedData === undefined) return;
      const given = JSON.parse(json);
      // If viem derives the domain type, it leaves out members that do not have the type it
      // expects.
      const EIP712Domain = typedData.types
        .get("EIP712Domain")
        ?.map(({ name, type }) => ({ name, type: type.name }));
      const declared = { ...given, types: { ...given.types, EIP712Domain } };
      const digest = ask(() => hashWithViem(declared));
      if (digest !== undefined) expect(hex(hashTypedData(typedData))).toBe(digest);
    }),
    endless,
  );
  expectBoth(outcomes);
});

test("authorizations", { timeout }, () => {
  const outcomes = { read: 0, refused: 0 };
  const given = fc.record({
    address: bytesOfLength(20).map(hex),
    chainId: fc.oneof(fc.nat(), fc.bigInt(0n, 2n ** 256n - 1n).map(String)),
    nonce: fc.oneof(fc.nat(), fc.bigInt(0n, 2n ** 64n - 2n).map(String)),
  });
  const text = fc
    .tuple(given, tokenChanges)
    .map(([authorization, list]) => changeTokens(JSON.stringify(authorization), list));
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: text }, fc.json()), (json) => {
      const authorization = tryTo(outcomes, () => parseAuthorization(json));
      if (authorization === undefined) return;
      const { address, chainId, nonce } = JSON.parse(json);
      expect({ ...authorization, address: hex(authorization.address) }).toEqual({
        address: address.toLowerCase(),
        chainId: BigInt(chainId),
        nonce: BigInt(nonce),
      });
      expect(hashAuthorization(authorization)).toHaveLength(32);
    }),
    { ...endless, interruptAfterTimeLimit: DURATION_MS / 2 },
  );
  expectBoth(outcomes);
});
