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
        const isPlain = keysOf(value).every((key) => JSON.stringify(key) === `"${key}"`);
        if (isPlain) expect(parseStrictJson(text)).toEqual(JSON.parse(text));
        else expect(() => parseStrictJson(text)).toThrow(/^malformed json$/);
      }),
      { numRuns: 300 },
    );
  });

  test("has the same value if its keys are escaped without need", () => {
    const keys = fc.uniqueArray(fc.string({ unit: fc.constantFrom(..."ab/é🔥_:") }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(keys, fc.nat(3), (keys, depth) => {
        const members = keys.map((key, i) => `${i % 2 ? escapeAll(key) : `"${key}"`} :\n"\\"${i}"`);
        const text = `${'[{"x":'.repeat(depth)}{${members.join(",")}}${"}]".repeat(depth)}`;
        let value = parseStrictJson(text);
        for (let i = 0; i < depth; i++) value = (value as [{ x: unknown }])[0].x;
        expect(value).toEqual(Object.fromEntries(keys.map((key, i) => [key, `"${i}`])));
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
    '{"":1," ":2}',
    '{":":":"}',
    '{"1":1,"0":0}',
    '"\\ud83d\\ude00"',
    '{"constructor":1,"toString":2}',
    '{"\\u0061":1,"b\\/":"\\\\"}',
    '{"a":"\\\\","b":":"}',
    " 1 ",
  ])("%s", (text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });
});

describe("text that parsers read differently is refused", () => {
  test("an escaped key is never taken for the escape that was read before it", () => {
    for (const spelling of ["u0062", "u0061", "/"]) {
      // Nothing of ours parses this, but the process may have.
      JSON.parse(`{"a":1,"\\\\":1,"\\\\${spelling}":1}`);
      JSON.parse(`{"a":1,"\\\\${spelling}":1}`);
      JSON.parse('{"a":1,"\\\\":1}');
    }
    expect(parseStrictJson('{"a":1,"\\u0062":2}')).toEqual({ a: 1, b: 2 });
    expect(parseStrictJson('{"a":1,"\\/":2}')).toEqual({ a: 1, "/": 2 });
    expect(() => parseStrictJson('{"a":1,"\\u0061":2}')).toThrow(/^malformed json$/);
  });

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
          const isPlain = !/["\\]/.test(keys.join(""));
          expect(attempt(() => parseStrictJson(text)) !== undefined).toBe(isUnique && isPlain);
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
    '{"\\"":1}',
    '{"a\\\\":1,"a":2}',
    '{"\\n":1}',
    '{"\\u0000":1}',
    '{"a\\u0022:1,\\u0022b":1}',
    '{"\\x":1}',
    '{"\\u006',
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

function keysOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

function attempt(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

function escapeAll(text: string): string {
  const escapes = text.split("").map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return `"${escapes.join("")}"`;
}
