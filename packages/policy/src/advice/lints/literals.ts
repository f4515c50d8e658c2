import type { Expression } from "../../ast.ts";
import { not } from "../../logic/formula.ts";
import type { Allowance } from "../../logic/reading-context.ts";
import { type Atom, holds, type Leaf, literalsOf, type Statement } from "../../logic/terms.ts";
import type { Value } from "../../values.ts";

// A clause as cases for lints to look through. Each case lists what the clause says about single
// values.

/** What a clause says about one value of a request, in a case in which it holds. */
export type Literal = {
  readonly statement: Statement;
  readonly atom: Atom;
  /** The value, as the language writes it. */
  readonly key: string;
  readonly isTrue: boolean;
  /** The comparison it comes from. */
  readonly node: Expression;
  /** It denies something, by `!=` or by an odd number of `!`. */
  readonly isNegative: boolean;
};

/** How many cases may be found, and the work left for finding them. */
type Limits = { readonly most: number; readonly budget: Allowance };

/**
 * The cases in which the statement holds: at least one applies whenever it does. Undefined if they
 * are too many, or take too much work: the sides of `same` are looked at twice, and so those of a
 * `same` inside of it four times.
 */
export function casesOf(
  statement: Statement,
  isTrue: boolean,
  limits: Limits,
): readonly Literal[][] | undefined {
  if (limits.budget.steps <= 0) return undefined;
  limits.budget.steps--;
  switch (statement.kind) {
    case "constant":
      return statement.value === isTrue ? [[]] : [];
    case "not":
      return casesOf(statement.operand, !isTrue, limits);
    case "and":
    case "or": {
      const { operands } = statement;
      const isEach = (statement.kind === "and") === isTrue;
      return isEach ? casesOfAll(operands, isTrue, limits) : casesOfAny(operands, isTrue, limits);
    }
    case "same":
      return casesOfSame(statement, isTrue, limits);
    case "leaf":
      return [[literalOf(statement, isTrue)]];
  }
}

function casesOfAny(operands: readonly Statement[], isTrue: boolean, limits: Limits) {
  const cases: Literal[][] = [];
  for (const operand of operands) {
    const inside = casesOf(operand, isTrue, limits);
    if (!inside || cases.length + inside.length > limits.most) return undefined;
    cases.push(...inside);
  }
  return cases;
}

function casesOfAll(operands: readonly Statement[], isTrue: boolean, limits: Limits) {
  const always: Literal[] = [];
  let cases: Literal[][] = [[]];
  for (const operand of operands) {
    const inside = casesOf(operand, isTrue, limits);
    if (!inside || cases.length * inside.length > limits.most) return undefined;
    const [only] = inside;
    if (inside.length === 1 && only) always.push(...only);
    else cases = cases.flatMap((one) => inside.map((more) => [...one, ...more]));
    if (cases.length === 0) return [];
  }
  return cases.map((one) => [...always, ...one]);
}

function casesOfSame(
  { left, right }: Statement & { kind: "same" },
  isTrue: boolean,
  limits: Limits,
): readonly Literal[][] | undefined {
  // It says no more than that it has a value.
  if (left === right) return isTrue ? [[]] : [];
  const [known, other] = left.kind === "constant" ? [left, right] : [right, left];
  if (known.kind === "constant" && other.kind === "leaf") {
    // `x == false` says what x is, as `x == 'a'` does.
    return [[{ ...literalOf(other, known.value === isTrue), isNegative: !isTrue }]];
  }
  if (known.kind === "constant") return casesOf(other, known.value === isTrue, limits);
  const both: Statement = { kind: "and", operands: [left, isTrue ? right : not(right)] };
  const none: Statement = { kind: "and", operands: [not(left), isTrue ? not(right) : right] };
  return casesOfAny([both, none], true, limits);
}

function literalOf(leaf: Leaf, isTrue: boolean): Literal {
  const { atom, node } = leaf;
  const statement = isTrue ? leaf : not(leaf);
  const isNegative = isTrue === saysOpposite(node);
  return { statement, atom, key: atom.term.key, isTrue, node, isNegative };
}

/** Whether the expression is true where its atom is false. */
function saysOpposite(node: Expression): boolean {
  if (node.kind === "compare") return node.operator === "<=" || node.operator === ">=";
  return node.kind === "quantifier" && node.name === "any";
}

export function saidBy({ statement }: Literal): Statement {
  return statement;
}

/** The values that the literal allows, if it lists them. */
export function valuesTold({ atom, isTrue }: Literal): readonly Value[] | undefined {
  const isEqual = atom.operator === "==" || atom.operator === "in";
  return isTrue && isEqual ? literalsOf(atom) : undefined;
}

/** Whether the literal is about a number of elements. */
export function isCount({ atom }: Literal): boolean {
  return atom.term.wholes !== undefined;
}

/** Whether the number that the literal is about is at least this large. */
export function isAtLeast({ atom, isTrue }: Literal, least: bigint): boolean {
  const bounds = literalsOf(atom).filter((bound) => typeof bound === "bigint");
  const less = [0n, least - 1n, ...bounds.flatMap((bound) => [bound - 1n, bound, bound + 1n])];
  return less.every((number) => number < 0n || number >= least || holds(atom, number) !== isTrue);
}
