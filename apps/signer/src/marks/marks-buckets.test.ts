import { decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { expect, test } from "vitest";
import { decodeBucket, encodeBucket, toBytes } from "./marks-buckets.ts";

const [a, b, c] = ["aa", "bb", "cc"].map((byte) => byte.repeat(32)) as [string, string, string];
const idOf = (digit: number) => decodeHex(`abcd000${digit}111141118111111111111111`);
const [one, two, three] = [idOf(1), idOf(2), idOf(3)] as [Uint8Array, Uint8Array, Uint8Array];

const both = { document: { number: 5, digest: a }, segment: { number: 2 ** 40 + 1, digest: b } };
const onlyDocument = { document: { number: 1, digest: c }, segment: null };
const onlySegment = { document: null, segment: { number: 7, digest: c } };
const none = { document: null, segment: null };

/** Three organizations, in the order in which they came. */
function threeEntries(): Uint8Array {
  let content = encodeBucket(null, one, both);
  content = encodeBucket(content, two, onlyDocument);
  return encodeBucket(content, three, onlySegment);
}

test("an id is 16 bytes, of which the first two are the bucket's number", () => {
  const { id, bucket } = toBytes("abcdef01-2345-4789-8abc-def012345678");
  expect(encodeHex(id)).toBe("abcdef01234547898abcdef012345678");
  expect(bucket).toBe(0xabcd);
  for (const text of ["", "abcdef01-2345-4789-8abc-def0123456", `${"abcdef01".repeat(4)}00`]) {
    expect(() => toBytes(text)).toThrow("an organization's id has 16 bytes");
  }
  expect(() => toBytes("not hex")).toThrow("malformed hex");
});

test("a bucket has one entry after the other, as it is on disk", () => {
  const number = (text: string) => text.padStart(16, "0");
  const absent = "00".repeat(40);
  const entries = [
    `${encodeHex(one)}${number("5")}${a}${number("10000000001")}${b}`,
    `${encodeHex(two)}${number("1")}${c}${absent}`,
    `${encodeHex(three)}${absent}${number("7")}${c}`,
  ];
  expect(encodeHex(threeEntries())).toBe(entries.join(""));
});

test("each organization finds its own entry, also where the bucket is part of a row", () => {
  const content = threeEntries();
  const row = new Uint8Array(content.length + 36).fill(0xee);
  row.set(content, 4);
  for (const bucket of [content, row.subarray(4, -32)]) {
    expect(decodeBucket(bucket, one)).toEqual(both);
    expect(decodeBucket(bucket, two)).toEqual(onlyDocument);
    expect(decodeBucket(bucket, three)).toEqual(onlySegment);
    expect(decodeBucket(bucket, idOf(4))).toEqual(none);
  }
  expect(decodeBucket(new Uint8Array(0), one)).toEqual(none);
  expect(decodeBucket(null, one)).toEqual(none);
});

test("an id is not found in the middle of an entry", () => {
  const content = encodeBucket(null, one, {
    document: { number: 1, digest: encodeHex(two).repeat(2) },
    segment: null,
  });
  expect(decodeBucket(content, two)).toEqual(none);
});

test("a new entry takes the place of the one before, and changes no other", () => {
  const entries: [Uint8Array, object][] = [
    [one, both],
    [two, onlyDocument],
    [three, onlySegment],
  ];
  const next = { document: { number: 9, digest: b }, segment: { number: 8, digest: a } };
  for (const [changed] of entries) {
    const before = threeEntries();
    const after = encodeBucket(before, changed, next);
    expect(after.length).toBe(before.length);
    for (const [id, known] of entries) {
      expect(decodeBucket(after, id)).toEqual(id === changed ? next : known);
    }
    // What is in memory stays as it is until the disk has the new one.
    expect(before).toEqual(threeEntries());
  }
});
