import { childrenOf, type Expression } from "../ast.ts";
import { chains } from "../chains/index.ts";
import type { Checked } from "../check.ts";
import { evaluate, prepare, type Work } from "../evaluate.ts";
import type { Type } from "../types.ts";
import { digitsOf, noEntries, type Value } from "../values.ts";
import { type Formula, mapLeaves } from "./formula.ts";
import { type Constraint, within } from "./solve.ts";
import type { Order } from "./translate.ts";

// Terms are the values of a request that clauses mention. An atom says something about one term.

/** A field, a map's key or a list's position on the path to a value. */
export type Step = string | number;

/** What a term is in the request; it decides how an example is made from its value. */
export type Source =
  | { readonly kind: "path"; readonly steps: readonly Step[] }
  | { readonly kind: "size"; readonly steps: readonly Step[]; readonly element: Type }
  | { readonly kind: "member"; readonly steps: readonly Step[]; readonly item: Value }
  | {
      readonly kind: "slice";
      readonly steps: readonly Step[];
      readonly from: number;
      readonly to: number;
    }
  /**
   * How many votes are in a list that looks at each vote by itself. For a test of a DENY, one vote
   * is enough, even if the test errs for others.
   */
  | {
      readonly kind: "votes";
      readonly list: Checked;
      readonly inDenial?: "count" | "test";
    }
  /** All that is known is that the same text has the same value. */
  | { readonly kind: "opaque"; readonly part: Checked; readonly reads: () => Read[] };

/** A value that is present whenever its root is. */
export type Read = { readonly steps: readonly Step[]; readonly type: Type };

/** A part of an expression with a value of its own; all expressions share it by its key. */
export type Term = {
  /** As the language writes it, if it can. */
  readonly key: string;
  readonly source: Source;
  /** Also `dynamic` if the declared type does not say how its texts compare. */
  readonly type: Type;
  /** Roots without which it has no value. */
  readonly roots: readonly string[];
  /** It may have no value although its roots are present. */
  readonly mayErr: boolean;
  /** Number of its variable; the values are those of `values`, by their index. */
  readonly variable: number;
  /** For a number of elements: the keys of numbers that are at least as large. */
  readonly wholes?: readonly string[];
  readonly atoms: Atom[];
  /** One value of each kind that the atoms can tell apart; undefined means no value. */
  values: readonly (Value | undefined)[];
  /** Why there is no value, for each undefined at the end of the values. */
  lacks: readonly Lack[];
  /** How many atoms the values were made for. */
  told: number;
};

/** An absent root or field, or an error. */
export type Lack = "root" | "field" | "error";

/** A comparison of a term with a value. */
export type Atom = {
  readonly term: Term;
  readonly operator: Order | "in";
  /** Absent if it errs, and then the atom errs too. */
  readonly literal: Value | undefined;
  /** The term's lower case is compared. */
  readonly isLowered: boolean;
  /** Values of the term for which the atom is true, and for which it does not err. */
  trueValues: bigint;
  definedValues: bigint;
};

/** An atom at its place in a clause. */
export type Leaf = { readonly kind: "leaf"; readonly atom: Atom; readonly node: Expression };

/** A clause, or a part of one, as a formula over atoms. */
export type Statement = Formula<Leaf>;

/** The values the atom compares with; for a list, its items. */
export function literalsOf({ literal }: Atom): readonly Value[] {
  if (typeof literal === "object" && literal.kind === "list") return literal.items;
  return literal === undefined ? [] : [literal];
}

/** The numbers that an integer is compared with, if the literals are texts in decimal digits. */
export function digitsIn(atom: Atom): readonly bigint[] | undefined {
  const numbers = literalsOf(atom).map((text) => {
    return typeof text === "string" ? digitsOf(text) : undefined;
  });
  if (numbers.length === 0 || numbers.includes(undefined) || atom.isLowered) return undefined;
  // None is undefined.
  return numbers as bigint[];
}

/** Whether the atom holds for a value of its term; undefined if it errs. */
export function holds(atom: Atom, value?: Value, work?: Work) {
  const { operator, literal, isLowered } = atom;
  const numbers = typeof value === "bigint" ? digitsIn(atom) : undefined;
  if (numbers && (operator === "==" || operator === "in")) return numbers.includes(value as bigint);
  const entries = noEntries();
  entries.term = value;
  entries.literal = literal;
  const comparison = COMPARISONS[isLowered ? "lowered" : "plain"][operator];
  const truth = evaluate(comparison, { kind: "struct", entries }, work);
  return typeof truth === "boolean" ? truth : undefined;
}

const NOWHERE = { start: 0, end: 0 };
const TERM: Expression = { kind: "name", name: "term", ...NOWHERE };
const LITERAL: Expression = { kind: "name", name: "literal", ...NOWHERE };
const LOWERED: Expression = {
  kind: "call",
  name: "CaseInsensitiveString",
  nameSpan: NOWHERE,
  arguments: [TERM],
  ...NOWHERE,
};
const COMPARISONS = { plain: comparisonsOf(TERM), lowered: comparisonsOf(LOWERED) };

function comparisonsOf(left: Expression) {
  const compare = (operator: Atom["operator"]) => {
    const expression: Expression = { kind: "compare", operator, left, right: LITERAL, ...NOWHERE };
    return prepare({ clause: "condition", source: "", expression, types: new Map() });
  };
  return { "==": compare("=="), "<": compare("<"), ">": compare(">"), in: compare("in") };
}

/** The formula for the solver, once the values of its terms are known. */
export function constraintOf(statement: Statement): Constraint {
  return mapLeaves(statement, ({ atom }) => within(atom.term.variable, atom.trueValues));
}

/** The roots that an expression reads whatever its lists hold; for chains, with their field. */
export function rootsOf(node: Expression): string[] {
  switch (node.kind) {
    case "name":
      return [node.name];
    case "quantifier":
      return rootsOf(node.object);
    case "field": {
      const { object, name } = node;
      const isChain = object.kind === "name" && CHAINS.has(object.name);
      return isChain ? [`${object.name}.${name}`] : rootsOf(object);
    }
    default:
      return childrenOf(node).flatMap(rootsOf);
  }
}

const CHAINS: ReadonlySet<string> = new Set(chains.map(({ name }) => name));
