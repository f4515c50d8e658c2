import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuTime } from "./cpu-time.testing.ts";
import { digitsOf, type Fields, folded, lowerCase, show, type Value } from "./values.ts";

function fields(kind: Fields["kind"], entries: Record<string, Value | undefined>): Value {
  return { kind, entries: Object.assign(Object.create(null), entries) };
}

describe("a value is shown as an author would write it", () => {
  test.each<[string, Value]>([
    ["'Text'", "Text"],
    ["'aB'", folded("aB")],
    ["true", true],
    ["-5", -5n],
    ["(why)", { kind: "unusable", reason: "why" }],
    ["[]", { kind: "list", items: [] }],
    ["[1, 'a', [true]]", { kind: "list", items: [1n, "a", { kind: "list", items: [true] }] }],
    ["{ a: 1, b: 'x' }", fields("struct", { a: 1n, b: "x" })],
    ["{ a: , b: { c: 1 } }", fields("map", { a: undefined, b: fields("map", { c: 1n }) })],
    ["1970-01-01T00:00:00Z", { kind: "instant", nanoseconds: 0n }],
    ["1970-01-01T00:00:00.5Z", { kind: "instant", nanoseconds: 500_000_000n }],
    ["1970-01-01T00:00:01.000000001Z", { kind: "instant", nanoseconds: 1_000_000_001n }],
    ["1970-01-01T00:00:00.00000012Z", { kind: "instant", nanoseconds: 120n }],
    ["1969-12-31T23:59:59.999999999Z", { kind: "instant", nanoseconds: -1n }],
    ["1969-12-31T23:59:59Z", { kind: "instant", nanoseconds: -1_000_000_000n }],
  ])("%s", (text, value) => {
    expect(show(value)).toBe(text);
  });

  test("cut to a limit, which has room for the dots", () => {
    expect(show("x".repeat(8), 10)).toBe("'xxxxxxxx'");
    expect(show("x".repeat(9), 10)).toBe("'xxxxxx...");
    expect(show(folded("x".repeat(9)), 10)).toBe("'xxxxxx...");
    expect(show({ kind: "list", items: [1n, 22n, 333n, 4444n] }, 10)).toBe("[1, 22,...");
    expect(show(fields("map", { a: 1n, b: "x".repeat(50), c: 2n }), 12)).toBe("{ a: 1, b...");
    expect(show("x".repeat(118))).toBe(`'${"x".repeat(118)}'`);
    expect(show("x".repeat(119))).toBe(`'${"x".repeat(116)}...`);
  });

  test("without a look at what is beyond the limit", () => {
    const items: Value[] = Array.from({ length: 100 }, () => 1n);
    Object.defineProperty(items, 60, {
      get() {
        throw new Error("too far");
      },
    });
    expect(show({ kind: "list", items }, 30)).toBe("[1, 1, 1, 1, 1, 1, 1, 1, 1,...");
  });
});

describe("text", () => {
  test.each([
    ["0", 0n],
    ["7", 7n],
    ["-7", -7n],
    ["10", 10n],
    ["1".repeat(78), BigInt("1".repeat(78))],
    [`-${"9".repeat(78)}`, -BigInt("9".repeat(78))],
    ["1".repeat(79), undefined],
    ["-0", undefined],
    ["01", undefined],
    ["-01", undefined],
    ["+1", undefined],
    ["1.0", undefined],
    ["x1", undefined],
    ["1x", undefined],
    ["1\n", undefined],
    ["-", undefined],
    ["", undefined],
  ])("%o as digits: %o", (text, expected) => {
    expect(digitsOf(text)).toBe(expected);
  });

  test.each([
    ["", ""],
    ["aBcZ@[`{\0\x7f", "abcz@[`{\0\x7f"],
    // A to Z only, so the length never changes.
    ["AÉÀB\u212aİZZ", "aÉÀb\u212aİzz"],
    ["\u{1f511}AB", "\u{1f511}ab"],
  ])("%o in lower case: %o", (text, lower) => {
    expect(lowerCase(text)).toBe(lower);
    expect(folded(text)).toEqual({ kind: "folded", text, lower });
  });

  test("of any letters has the lower case of A to Z, letter by letter", () => {
    const plain = (text: string) =>
      Array.from({ length: text.length }, (_, i) => {
        const letter = text.charAt(i);
        return letter >= "A" && letter <= "Z" ? letter.toLowerCase() : letter;
      }).join("");
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (text) => {
        expect(lowerCase(text)).toBe(plain(text));
      }),
    );
    const long = `${"aB\ud800É".repeat(10_000)}`;
    expect(lowerCase(long)).toBe(plain(long));
  });

  test("has its lower case soon, with one letter outside of ASCII too", () => {
    const timeOf = (text: string) => {
      const times = Array.from({ length: 5 }, () => {
        const worked = cpuTime();
        for (let i = 0; i < 20; i++) lowerCase(text);
        return worked();
      });
      return Math.min(...times);
    };
    // As many calls as there are capitals would take about five times as long.
    expect(timeOf(`${"aB".repeat(15_000)}é`)).toBeLessThan(2 * timeOf(`${"ab".repeat(15_000)}é`));
  });
});
