import { describe, expect, test } from "vitest";
import { PolicyError } from "./errors.ts";
import { compile, evaluate } from "./evaluate.ts";
import { parse } from "./parse.ts";
import { print } from "./print.ts";
import { bare, type ExpressionCase, environmentOf, vectors } from "./vectors.testing.ts";

describe("published cases", () => {
  test.each(vectors.cases)("$name", (example) => {
    expect(outcomeOf(example)).toBe(example.expected);
  });

  const parsed = vectors.cases.filter(
    ({ expected, expression }) => expected !== "error(parse)" && expression !== "",
  );
  test.each(parsed)("$name reads back as the same tree", ({ expression }) => {
    const tree = parse(expression);
    expect(bare(parse(print(tree)))).toEqual(bare(tree));
  });
});

function outcomeOf({ kind, expression, context }: ExpressionCase) {
  // An empty text is not an expression. In a policy it means that the clause is absent.
  if (expression === "") return true;
  try {
    const value = evaluate(compile(kind, expression), environmentOf(context));
    return typeof value === "boolean" ? value : "error(runtime)";
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return error.code === "POLICY_PARSE" ? "error(parse)" : "error(type)";
  }
}
