import { parseStrictJson } from "@keyhearth/crypto/encoding/json";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { whyUnreadable } from "./unreadable-json.ts";

test.each([
  ["", "it is empty; expected a JSON object"],
  [" \n", "it is empty; expected a JSON object"],
  ["hello", "expected a JSON value, got `h`, at line 1, column 1"],
  ["{", "it ends too early: expected a key in double quotes, at line 1, column 2"],
  ['{"a":1', "it ends too early: expected `,` or `}`, at line 1, column 7"],
  ['{"a":1} {}', "the JSON ends, but more text follows, at line 1, column 9"],
  ['{"a":1,}', "expected a key in double quotes, got `}`, at line 1, column 8"],
  ["[1,]", "expected a JSON value, got `]`, at line 1, column 4"],
  ["{a:1}", "expected a key in double quotes, got `a`, at line 1, column 2"],
  ['{"a" 1}', "expected `:`, got `1`, at line 1, column 6"],
  ['{"a":01}', "expected `,` or `}`, got `1`, at line 1, column 7"],
  ['\ufeff{"a":1}', "it starts with a byte order mark; send the JSON without it"],
  ['{"a":1,\n "a":2}', "the key `a` is given twice, at line 2, column 2"],
  ['{"a":{"b":1,"\\u0062":2}}', "the key `b` is given twice, at line 1, column 13"],
  ['{"__proto__":{}}', "the key `__proto__` is not allowed, at line 1, column 2"],
  [
    '{"a":1,"\\n":1}',
    "a key contains a quotation mark, a backslash or a control character, which keys here must not, at line 1, column 8",
  ],
  ['{"a":"\\ud800"}', "a string contains half of a surrogate pair, at line 1, column 6"],
  ['{"a":"\\x"}', "a string contains an escape that JSON does not have, at line 1, column 7"],
  ['{"a":"\t"}', "a string contains an unescaped control character, at line 1, column 7"],
  ['{"a":"b', "a string has no end, at line 1, column 6"],
  [`{"a":${"[".repeat(32)}`, "it is nested more than 32 levels deep, at line 1, column 37"],
])("%j: %s", (text, why) => {
  expect(whyUnreadable(text)).toBe(why);
});

test("a million brackets take no deeper a stack, and a message never quotes a control character", () => {
  expect(whyUnreadable("[".repeat(1_000_000))).toContain("nested more than 32 levels");
  expect(whyUnreadable('{"\\u202e":1,"\\u202e":2}')).toContain(
    "the key `\\u{202e}` is given twice",
  );
  expect(whyUnreadable("\u0007")).toBe("expected a JSON value, got `\\u{7}`, at line 1, column 1");
});

test("a text has an explanation if, and only if, the strict parser refuses it", () => {
  const pieces = fc.constantFrom(
    ...'{}[]:,"\\ \n0-1.eEtruefalsnl_\ud83d\ude00\ud800',
    '"a"',
    '"b":',
    '"__proto__":',
    "true",
    "null",
    "\\ud83d",
    "\\ude00",
    "\\u0061",
  );
  const broken = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(""));
  const nested = fc.json({ maxDepth: 40 });
  fc.assert(
    fc.property(fc.oneof(broken, nested, fc.string()), (text) => {
      let isRefused = false;
      try {
        parseStrictJson(text);
      } catch {
        isRefused = true;
      }
      expect(whyUnreadable(text) !== null).toBe(isRefused);
    }),
    { numRuns: 3000 },
  );
});
