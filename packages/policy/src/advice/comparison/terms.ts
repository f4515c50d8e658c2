import { type Clause, childrenOf, type Expression, type Span } from "../../ast.ts";
import type { Checked } from "../../check.ts";
import { type Compiled, evaluate, evaluateValue, prepare, type Work } from "../../evaluate.ts";
import type { Type } from "../../types.ts";
import { type Fields, isFailure, noEntries, type Value } from "../../values.ts";

/** A field, a map's key or a list's position on the way to a value. */
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
  /** How many votes are in a list that looks at each vote by itself. */
  | { readonly kind: "votes"; readonly list: Checked }
  /** Nothing is known but that the same text has the same value. */
  | { readonly kind: "opaque"; readonly part: Checked; readonly reads: readonly Read[] };

/** A value that is there whenever its root is. */
export type Read = { readonly steps: readonly Step[]; readonly type: Type };

/** A part of an expression with a value of its own; all expressions share it by its key. */
export type Term = {
  readonly key: string;
  readonly source: Source;
  readonly type: Type;
  /** Roots without which it has no value. */
  readonly roots: readonly string[];
  /** It can lack a value although its roots are there. */
  readonly mayErr: boolean;
  /** Number of its variable; the values are those of `values`, by their index. */
  readonly variable: number;
  /** What it is compared with; of lists, their elements. */
  readonly literals: Value[];
  /** What its lower case is compared with. */
  readonly lowered: string[];
  readonly atoms: Atom[];
  /** One value of each kind that the atoms can tell apart; undefined stands for none. */
  values: readonly (Value | undefined)[];
};

/** A statement about one term, which stands in it as the name `TERM`. */
export type Atom = {
  readonly term: Term;
  readonly statement: Compiled;
  /** The texts it is true of, or of all but which, if it asks for nothing else. */
  readonly plain?: { readonly texts: readonly string[]; readonly isNegated: boolean };
  /** Values of the term with which it is true, and with which it is no error. */
  trueValues: bigint;
  definedValues: bigint;
};

/** A clause as a sentence about atoms; a constant's value does not matter where the clause errs. */
export type Sentence =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "not"; readonly operand: Sentence }
  | { readonly kind: "and" | "or"; readonly operands: readonly Sentence[] }
  | { readonly kind: "same"; readonly left: Sentence; readonly right: Sentence };

/** Where an atom stands in a clause. */
export type Occurrence = Span & { readonly atom: Atom };

export type ReadClause = {
  readonly clause: Clause;
  /** Of its text. */
  readonly length: number;
  readonly sentence: Sentence;
  readonly occurrences: readonly Occurrence[];
  /** A part that reads nothing has no value. */
  readonly alwaysErrs: boolean;
};

/** No name of the language looks like it. */
export const TERM = "$";

/** The value of a part that reads nothing; undefined if it errs. */
export function closedValue(part: Checked): Value | undefined {
  const value = evaluateValue(prepare(part), withTerm(undefined));
  return isFailure(value) ? undefined : value;
}

/** Whether the atom holds for a value of its term; undefined if it errs. */
export function holds({ statement }: Atom, value: Value | undefined, work?: Work) {
  const truth = evaluate(statement, withTerm(value), work);
  return typeof truth === "boolean" ? truth : undefined;
}

function withTerm(value: Value | undefined): Fields {
  const entries = noEntries();
  entries[TERM] = value;
  return { kind: "struct", entries };
}

/** The roots that an expression reads whatever its lists hold; of chains, with their field. */
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

const CHAINS = new Set(["eth", "solana", "tron", "bitcoin", "tempo"]);
