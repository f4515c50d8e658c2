import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalJson } from "./canonical.ts";

test("keys are sorted by UTF-16 code units, as RFC 8785, 3.2.3, shows", () => {
  const value = {
    "\u20ac": 1,
    "\r": 2,
    "\ufb33": 3,
    "1": 4,
    "\u{1f600}": 5,
    "\u0080": 6,
    "\u00f6": 7,
  };
  expect(canonicalJson(value)).toBe(
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\u{1f600}":5,"\ufb33":3}',
  );
});

test("strings are escaped as RFC 8785, 3.2.2.2, says", () => {
  expect(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/')).toBe(
    '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"',
  );
});

test("there is no white space and order of members does not matter", () => {
  expect(canonicalJson({ b: [1, null, { d: true, c: "x" }], a: -5 })).toBe(
    '{"a":-5,"b":[1,null,{"c":"x","d":true}]}',
  );
  expect(canonicalJson(-0)).toBe("0");
});

test("an object of texts and numbers is written alike, whatever the order of its members", () => {
  const member = fc.oneof(fc.string({ unit: "binary" }), fc.maxSafeInteger());
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: "binary" }), member), (given) => {
      const entries = Object.entries(given);
      const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
      const [text, ...others] = [sorted, sorted.toReversed(), entries].map((each) =>
        canonicalJson(Object.fromEntries(each)),
      );
      // Beside a list, no member is written the short way.
      const nested = canonicalJson([Object.fromEntries(sorted)]);
      expect([...others, nested.slice(1, -1)]).toEqual([text, text, text]);
    }),
  );
});

test("a written value reads back as itself, and is written the same again", () => {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.string({ unit: "binary" }),
      fc.maxSafeInteger().map((n) => n + 0),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(fc.string({ unit: "binary" }), tie("value"), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    ),
  }));
  fc.assert(
    fc.property(value, (original) => {
      const text = canonicalJson(original);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(original)));
    }),
  );
});

test.each([
  1.5,
  2 ** 53,
  Number.NaN,
  1n,
  undefined,
  { a: undefined },
  // biome-ignore lint/suspicious/noSparseArray: the hole is the case
  [1, , 2],
  new Date(0),
  new Map(),
  "\ud800",
  { "\ud800": 1 },
  () => 1,
  Symbol("a"),
])("case %#: what JSON would change or drop is refused", (value) => {
  expect(() => canonicalJson(value)).toThrow(/^value has no canonical form$/);
});

test("a value that contains itself is refused", () => {
  const value: unknown[] = [];
  value.push(value);
  expect(() => canonicalJson(value)).toThrow(/^value has no canonical form$/);
});
