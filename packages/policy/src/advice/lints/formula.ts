import type { Expression } from "../../ast.ts";

/**
 * What can be proved about clauses without a request. An evaluation that has a value has read
 * every part (nothing is skipped), so among those evaluations the operators are those of ordinary
 * logic over comparisons with constants. What is claimed here is about them: "never true" means
 * false or an error.
 */

export type Constant = string | bigint | boolean;

/** What a comparison speaks of. The same key is the same value within one evaluation. */
export type Subject = {
  readonly key: string;
  /**
   * How its text compares: exactly, without regard to case (constants are kept in lower case), in
   * one of the two ways that only the request tells, or as text that is in lower case.
   */
  readonly text: "exact" | "folded" | "unsure" | "lower";
  /** Characters it has, if it is text. */
  readonly length?: bigint;
  /** The text it is a part of. */
  readonly part?: { readonly of: string; readonly from: bigint; readonly to: bigint };
  /** Of a number of elements: at least 0, and at most the number it is counted from. */
  readonly count?: { readonly whole?: Subject };
};

export type Test =
  | { readonly kind: "among"; readonly values: ReadonlySet<Constant>; readonly is: boolean }
  | { readonly kind: "range"; readonly low?: bigint; readonly high?: bigint };

export type Literal = {
  readonly kind: "literal";
  readonly subject: Subject;
  readonly test: Test;
  /** The comparison it comes from, and the names bound around it. */
  readonly node: Expression;
  readonly scope: Scope;
  /** It says that something is not so: `!=`, or an odd number of `!`. */
  readonly isNegative: boolean;
};

/** Negations are inside the literals. */
export type Formula =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "and"; readonly parts: readonly Formula[] }
  | Choice
  | Literal;

export type Choice = { readonly kind: "or"; readonly parts: readonly Formula[] };

/** The names that quantifiers bind: to an element that has no constant, or to a constant. */
export type Scope = ReadonlyMap<string, Bound>;
export type Bound = { readonly key: string; readonly isTyped: boolean; readonly value?: Constant };

export const NO_SCOPE: Scope = new Map();

/** The terms of which one holds whenever the formula does; nothing if they are too many. */
export function termsOf(formula: Formula, most: number): readonly Literal[][] | undefined {
  switch (formula.kind) {
    case "constant":
      return formula.value ? [[]] : [];
    case "literal":
      return [[formula]];
    case "or": {
      const terms: Literal[][] = [];
      for (const part of formula.parts) {
        const inside = termsOf(part, most);
        if (!inside || terms.length + inside.length > most) return undefined;
        terms.push(...inside);
      }
      return terms;
    }
    case "and": {
      const always = formula.parts.filter((part) => part.kind === "literal");
      let terms: Literal[][] = [[]];
      for (const part of formula.parts) {
        if (part.kind === "literal") continue;
        const inside = termsOf(part, most);
        if (!inside || terms.length * inside.length > most) return undefined;
        terms = terms.flatMap((term) => inside.map((more) => [...term, ...more]));
      }
      return terms.map((term) => [...always, ...term]);
    }
  }
}

/** That a subject has one of these values. */
export function isOneOf(path: string, values: readonly string[]): Formula {
  const node: Expression = { kind: "name", name: path, start: 0, end: 0 };
  const subject: Subject = { key: path, text: "exact" };
  const test: Test = { kind: "among", values: new Set(values), is: true };
  return { kind: "literal", subject, test, node, scope: NO_SCOPE, isNegative: false };
}

export function junction(kind: "and" | "or", parts: readonly Formula[]): Formula {
  const decisive = kind === "or";
  const kept: Formula[] = [];
  for (const part of parts) {
    if (part.kind === "constant") {
      if (part.value === decisive) return part;
    } else if (part.kind === kind) kept.push(...part.parts);
    else kept.push(part);
  }
  const [only] = kept;
  if (!only) return constant(!decisive);
  return kept.length === 1 ? only : { kind, parts: kept };
}

export function constant(value: boolean): Formula {
  return { kind: "constant", value };
}

/** The same for formulas that say the same. */
export function formulaKey(formula: Formula): string {
  switch (formula.kind) {
    case "constant":
      return String(formula.value);
    case "and":
    case "or":
      return `(${formula.parts
        .map(formulaKey)
        .sort()
        .join(formula.kind === "and" ? " && " : " || ")})`;
    case "literal": {
      const { subject, test } = formula;
      if (test.kind === "range") return `${test.low ?? ""} <= ${subject.key} <= ${test.high ?? ""}`;
      const values = [...test.values].map(writeConstant).sort();
      return `${subject.key} ${test.is ? "in" : "not in"} [${values.join(", ")}]`;
    }
  }
}

export function writeConstant(value: Constant): string {
  return typeof value === "string" ? `'${value}'` : String(value);
}
