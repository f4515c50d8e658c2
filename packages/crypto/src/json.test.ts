import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { parseStrictJson } from "./json.ts";

const jsonValue = () => fc.jsonValue({ maxDepth: 6, stringUnit: "binary" });

describe("text with one meaning", () => {
  test("has the value that JSON.parse gives it", () => {
    fc.assert(
      fc.property(jsonValue(), fc.constantFrom(undefined, 1, "\t"), (value, indentation) => {
        const text = JSON.stringify(value, null, indentation);
        fc.pre(!text.includes('"__proto__"'));
        expect(parseStrictJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: 300 },
    );
  });

  test("without keys, is accepted exactly if JSON.parse accepts it", () => {
    const noise = fc.string({ unit: fc.constantFrom(...'[],"\\un01eE+-. \ntrue'), maxLength: 12 });
    fc.assert(
      fc.property(noise, (text) => {
        const parsed = attempt(() => JSON.parse(text));
        fc.pre(!JSON.stringify(parsed ?? null).includes("\\ud"));
        expect(attempt(() => parseStrictJson(text))).toEqual(parsed);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    '{"a":1,"b":{"a":1}}',
    '[{"a":1},{"a":1}]',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a\\\\":1,"a":2}',
    '{"":1," ":2}',
    '{":":":"}',
    '{"1":1,"0":0}',
    '"\\ud83d\\ude00"',
    '{"constructor":1,"toString":2}',
    " 1 ",
  ])("%s", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

describe("text that parsers read differently is refused", () => {
  test("a duplicate key, anywhere and in any spelling", () => {
    const key = fc.string({ unit: fc.constantFrom("a", "b", '"', "\\", ":", "{") });
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 5 }),
        fc.nat(3),
        fc.boolean(),
        (keys, depth, isEscaped) => {
          const name = (text: string) => (isEscaped ? escapeAll(text) : JSON.stringify(text));
          const members = keys.map(
            (text, i) => `${i % 2 ? name(text) : JSON.stringify(text)}:${i}`,
          );
          const text = `${'[{"x":'.repeat(depth)}{${members.join(",")}}${"}]".repeat(depth)}`;
          const isUnique = new Set(keys).size === keys.length;
          expect(attempt(() => parseStrictJson(text)) !== undefined).toBe(isUnique);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    '{"a":1,"a":1}',
    '{"a":1,"\\u0061":1}',
    '{"x":[{"a":{"b":1,"b":2}}]}',
    '{"__proto__":1}',
    '{"a":{"\\u005f_proto__":{}}}',
    '"\\ud800"',
    '"\\ude00\\ud83d"',
    '{"\\udfff":1}',
    '["\ud800"]',
    "{} {}",
    "[1]]",
    "1,",
    "\ufeff{}",
    "",
    "{'a':1}",
    "{a:1}",
    "[01]",
    "NaN",
  ])("%j", (text) => {
    expect(() => parseStrictJson(text)).toThrow(/^malformed json$/);
  });

  test("nesting beyond the limit, and none below it", () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    expect(parseStrictJson(nested(32))).toEqual(JSON.parse(nested(32)));
    expect(() => parseStrictJson(nested(33))).toThrow(/^malformed json$/);
    expect(() => parseStrictJson(nested(100_000))).toThrow(/^malformed json$/);
    expect(() => parseStrictJson('{"a":{}}', { maxDepth: 1 })).toThrow(/^malformed json$/);
    expect(parseStrictJson('{"a":1}', { maxDepth: 1 })).toEqual({ a: 1 });
    expect(parseStrictJson("1", { maxDepth: 0 })).toBe(1);
  });
});

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function escapeAll(text: string): string {
  const escapes = [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escapes.join("")}"`;
}
