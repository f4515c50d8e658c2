import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { InputError } from "./errors.ts";
import { parseJson, plainValue } from "./json.ts";

function read(source: string) {
  return plainValue(parseJson("a.json", source));
}

function errorOf(source: string): InputError {
  try {
    parseJson("a.json", source);
  } catch (error) {
    if (error instanceof InputError) return error;
    throw error;
  }
  throw new Error(`${source} has no error`);
}

describe("a file", () => {
  test("is parsed as by JSON.parse", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, isIndented) => {
        const source = JSON.stringify(value, undefined, isIndented ? 2 : undefined);
        // Here -0 is an integer without a sign, and numbers beyond 2^53 have a special form.
        fc.pre(!/-0(?![.\d])/.test(source) && !/(?<![.eE+\d])-?\d{16}/.test(source));
        expect(JSON.stringify(read(source))).toBe(JSON.stringify(JSON.parse(source)));
      }),
    );
  });

  test("is refused if JSON.parse refuses it", () => {
    const pieces = [
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"a"',
      '"b',
      "1",
      "-",
      "0",
      "1e5",
      "true",
      " ",
      "\n",
      "/*",
      "//",
      "\\u12",
      "'",
      "\u0001",
    ];
    const soup = fc
      .array(fc.constantFrom(...pieces), { maxLength: 12 })
      .map((some) => some.join(""));
    fc.assert(
      fc.property(fc.oneof(soup, fc.string()), (source) => {
        let isJson = true;
        try {
          JSON.parse(source);
        } catch {
          isJson = false;
        }
        try {
          parseJson("a.json", source);
          expect(isJson).toBe(true);
        } catch (error) {
          if (!(error instanceof InputError)) throw error;
          expect(isJson && !error.message.endsWith("is given twice")).toBe(false);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test("keeps integers of any size", () => {
    expect(read("[9007199254740991, 9007199254740992, -9007199254740993]")).toEqual([
      9007199254740991,
      { $int: "9007199254740992" },
      { $int: "-9007199254740993" },
    ]);
    const large = (2n ** 127n).toString();
    expect(read(`{ "a": ${large} }`)).toEqual({ a: { $uint: large } });
  });

  test("may have members of any name", () => {
    const value = read('{ "__proto__": { "x": 1 }, "constructor": 2 }') as object;
    expect(Object.entries(value)).toEqual([
      ["__proto__", { x: 1 }],
      ["constructor", 2],
    ]);
    expect(Object.getPrototypeOf(value)).toBe(null);
  });
});

describe("an error", () => {
  test("points to the place", () => {
    const error = errorOf('{\n  "grüße 🔑": 1,\n  "b" 2\n}');
    expect(error.message).toBe("a.json:3:7: the file is not JSON: `:` was expected");
    expect(error.details).toEqual({
      file: "a.json",
      line: 3,
      column: 7,
      excerpt: ['  "b" 2', "      ^"],
    });
  });

  test("counts characters, not code units", () => {
    expect(errorOf('["🔑🔑" 1]').details).toMatchObject({ line: 1, column: 7 });
    expect(errorOf("\n\n[1 2]").details).toMatchObject({ line: 3, column: 4 });
  });

  test("shows a part of a long line", () => {
    const { excerpt = [] } = errorOf(`[${"1, ".repeat(100_000)}]`).details;
    expect(excerpt.length).toBeLessThan(6);
    expect(excerpt.every((line) => line.length <= 100)).toBe(true);
  });

  test("about a member that is given twice says which one", () => {
    expect(errorOf('[{"a":{"b":1,"b":2}}]').message).toBe("a.json:1:18: `[0].a.b` is given twice");
    expect(errorOf('{"a b":1,"a b":2}').message).toBe('a.json:1:16: `["a b"]` is given twice');
  });

  test("about deep nesting is not a stack overflow", () => {
    expect(errorOf("[".repeat(1_000_000)).message).toContain("nested deeper than 256 levels");
    expect(errorOf('{"a":'.repeat(300)).message).toContain("nested deeper than 256 levels");
    expect(() => parseJson("a.json", `"${"[".repeat(10_000_000)}"`)).not.toThrow();
    expect(() => parseJson("a.json", `"${"\\n[".repeat(2_000_000)}"`)).not.toThrow();
  });
});
