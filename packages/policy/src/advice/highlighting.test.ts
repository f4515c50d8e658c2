import { expect, test } from "vitest";
import { highlight } from "./highlighting.ts";

test("each part of a clause has its colour, and nothing is coloured twice", () => {
  const source = "eth.tx.value <= 10 && approvers.any(user, user.id == 'bob') && true";
  const shown = highlight(source).map(({ start, end, kind }) => [source.slice(start, end), kind]);
  expect(shown).toEqual([
    ...[
      ["eth", "name"],
      ["tx", "name"],
      ["value", "name"],
      ["<=", "punctuation"],
    ],
    ...[
      ["10", "number"],
      ["&&", "punctuation"],
      ["approvers", "name"],
      ["any", "function"],
    ],
    ...[
      ["user", "name"],
      ["user", "name"],
      ["id", "name"],
      ["==", "punctuation"],
    ],
    ...[
      ["'bob'", "string"],
      ["&&", "punctuation"],
      ["true", "keyword"],
    ],
  ]);
});

test("a text that has no end yet is coloured to the end of the clause", () => {
  const source = "user.id == 'bob && true";
  const last = highlight(source).at(-1);
  expect(last).toEqual({ start: 11, end: source.length, kind: "string" });
});
