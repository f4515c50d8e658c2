import fc from "fast-check";
import { fromRlp, toRlp } from "viem";
import { describe, expect, test } from "vitest";

import { decodeHex, encodeHex, encodeUtf8 } from "../encoding/bytes.ts";
import { bytesOfLength, hex } from "./ethereum.testing.ts";
import { MalformedError } from "./malformed.ts";
import { decodeInteger, decodeRlp, encodeInteger, encodeRlp, type RlpItem } from "./rlp.ts";

const decode = (text: string) => decodeRlp(decodeHex(text), { subject: "transaction" });
const cat = encodeUtf8("cat");
const dog = encodeUtf8("dog");
const lorem = "Lorem ipsum dolor sit amet, consectetur adipisicing elit";

/** Lists at most six deep, with strings around the lengths where prefixes change. */
const { item } = fc.letrec<{ item: RlpItem }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 6 },
    fc.uint8Array({ maxLength: 3 }),
    fc.constantFrom(54, 55, 56, 255, 256).chain(bytesOfLength),
    fc.array(tie("item"), { maxLength: 4 }),
  ),
}));

type HexItem = `0x${string}` | HexItem[];

function hexOf(item: RlpItem): HexItem {
  return item instanceof Uint8Array ? hex(item) : item.map(hexOf);
}

const published: [name: string, item: RlpItem, encoded: string][] = [
  ["a string", dog, "83646f67"],
  ["a list", [cat, dog], "c88363617483646f67"],
  ["the empty string", new Uint8Array(0), "80"],
  ["the empty list", [], "c0"],
  ["a small byte", Uint8Array.of(15), "0f"],
  ["two bytes", Uint8Array.of(4, 0), "820400"],
  ["the number three of set theory", [[], [[]], [[], [[]]]], "c7c0c1c0c3c0c1c0"],
  ["a long string", encodeUtf8(lorem), `b838${encodeHex(encodeUtf8(lorem))}`],
];

test.each(published)("%s of the specification", (_, item, encoded) => {
  expect(encodeHex(encodeRlp(item))).toBe(encoded);
  expect(decode(encoded)).toEqual(item);
});

test("an item is encoded as viem encodes it, and decodes to itself", () => {
  fc.assert(
    fc.property(item, (value) => {
      const encoded = encodeRlp(value);
      expect(hex(encoded)).toBe(toRlp(hexOf(value)));
      expect(decodeRlp(encoded, { subject: "transaction" })).toEqual(value);
    }),
  );
});

test("bytes are refused, or are the only encoding of what viem decodes", () => {
  const outcomes = { read: 0, refused: 0 };
  const prefix = fc.constantFrom(0x00, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf8, 0xff);
  const bytes = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: 12 }),
    fc.array(prefix, { minLength: 1, maxLength: 8 }).map((list) => Uint8Array.from(list)),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      let decoded: RlpItem;
      try {
        decoded = decodeRlp(given, { subject: "transaction" });
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedError);
        outcomes.refused++;
        return;
      }
      outcomes.read++;
      expect(encodeRlp(decoded)).toEqual(given);
      expect(fromRlp(given, "hex")).toEqual(hexOf(decoded));
    }),
    { numRuns: 3000 },
  );
  expect(Math.min(outcomes.read, outcomes.refused)).toBeGreaterThan(50);
});

describe("a second encoding is refused", () => {
  test.each([
    [
      "a small byte with a prefix",
      "8101",
      "byte 0: a single byte below 0x80 must not have a prefix",
    ],
    [
      "a short string with a long length",
      "b803646f67",
      "byte 0: its length must be part of the prefix",
    ],
    ["a short list with a long length", "f801c0", "byte 0: its length must be part of the prefix"],
    [
      "the longest of short strings with a long length",
      `b837${"00".repeat(55)}`,
      "byte 0: its length must be part of the prefix",
    ],
    [
      "a length with a leading zero",
      `b90038${"00".repeat(56)}`,
      "byte 0: its length has a leading zero",
    ],
    ["bytes behind the item", "c000", "byte 1: 1 bytes too many"],
  ])("%s", (_, encoded, reason) => {
    expect(() => decode(encoded)).toThrow(new MalformedError(`transaction, ${reason}`));
  });
});

describe("bytes without a value are refused", () => {
  test.each([
    ["nothing", "", "byte 0: ends where an item should start"],
    ["a string that is cut off", "83646f", "byte 0: needs 3 more bytes, but has only 2"],
    ["a list that is cut off", "c2c0", "byte 0: needs 2 more bytes, but has only 1"],
    ["an item that leaves its list", "c1830000", "byte 1: needs 3 more bytes, but has only 0"],
    ["a length that is cut off", "b9ff", "byte 0: its length is cut off"],
    ["a length of five bytes", "fc0100000000", "byte 0: longer than any input"],
    ["a length of eight bytes", "bfffffffffffffffff", "byte 0: longer than any input"],
    ["nine lists", "c8c7c6c5c4c3c2c1c0", "byte 8: more than 8 nested lists"],
  ])("%s", (_, encoded, reason) => {
    expect(() => decode(encoded)).toThrow(new MalformedError(`transaction, ${reason}`));
  });

  test("eight lists are not too many", () => {
    expect(encodeHex(encodeRlp(decode("c7c6c5c4c3c2c1c0")))).toBe("c7c6c5c4c3c2c1c0");
  });
});

test("integers have the fewest bytes, and zero has none", () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 300n), (value) => {
      const bytes = encodeInteger(value);
      expect(decodeInteger(bytes)).toBe(value);
      expect(bytes[0]).not.toBe(0);
      expect(decodeInteger(Uint8Array.of(0, 0, ...bytes))).toBe(value);
    }),
  );
  expect(encodeInteger(0n)).toEqual(new Uint8Array(0));
  expect(encodeInteger(255n)).toEqual(Uint8Array.of(255));
  expect(encodeInteger(256n)).toEqual(Uint8Array.of(1, 0));
  expect(() => encodeInteger(-1n)).toThrow("negative integer");
});
