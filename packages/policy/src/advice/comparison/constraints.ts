import type { Expression } from "../../ast.ts";
import { check } from "../../check.ts";
import { type Compiled, prepare } from "../../evaluate.ts";
import { parse } from "../../parse.ts";
import { hasRoot } from "./roots.ts";
import { type Constraint, firstBits } from "./solve.ts";
import type { ReadClause, Sentence } from "./terms.ts";
import { mapChildren } from "./tree.ts";

/**
 * What holds of every request that policies decide about: somebody submitted it, and the root
 * quorum is not complete.
 */
export function rulesFor(quorum: {
  readonly threshold: number;
  readonly userIds: readonly string[];
}): Compiled[] {
  const { threshold, userIds } = quorum;
  const submitted = parse("approvers.count() >= 1");
  if (threshold < 1 || userIds.length < threshold) return [consensus(submitted)];
  const below = parse(`approvers.filter(u, u.id in []).count() < ${threshold}`);
  // Put in as values, for an id may hold what a literal cannot.
  const fill = (node: Expression): Expression => {
    if (node.kind !== "list") return mapChildren(node, fill);
    const { start, end } = node;
    return { ...node, items: userIds.map((value) => ({ kind: "string", value, start, end })) };
  };
  return [consensus(submitted), consensus(fill(below))];
}

function consensus(expression: Expression): Compiled {
  return prepare(check("consensus", "", expression));
}

/** That a clause is true: what it reads is there, nothing in it errs, and it holds. */
export function isTrue({ sentence, occurrences, alwaysErrs }: ReadClause): Constraint {
  if (alwaysErrs) return { kind: "constant", value: false };
  const atoms = new Set(occurrences.map(({ atom }) => atom));
  const roots = new Set([...atoms].flatMap(({ term }) => term.roots));
  const isThere = [...roots].flatMap((root) => hasRoot(root) ?? []);
  const isDefined = [...atoms].flatMap(({ term: { variable, values }, definedValues }) => {
    if (definedValues === firstBits(values.length)) return [];
    return { kind: "within" as const, variable, values: definedValues };
  });
  return all([...isThere, ...isDefined, constraintOf(sentence)]);
}

function constraintOf(sentence: Sentence): Constraint {
  switch (sentence.kind) {
    case "constant":
      return sentence;
    case "atom": {
      const { term, trueValues } = sentence.atom;
      return { kind: "within", variable: term.variable, values: trueValues };
    }
    case "not":
      return { kind: "not", operand: constraintOf(sentence.operand) };
    case "and":
    case "or":
      return { kind: sentence.kind, operands: sentence.operands.map(constraintOf) };
    case "same":
      return {
        kind: "same",
        left: constraintOf(sentence.left),
        right: constraintOf(sentence.right),
      };
  }
}

export function all(operands: readonly Constraint[]): Constraint {
  return { kind: "and", operands };
}

/** The variables a constraint speaks of. */
export function variablesOf(constraint: Constraint): number[] {
  switch (constraint.kind) {
    case "constant":
      return [];
    case "within":
      return [constraint.variable];
    case "not":
      return variablesOf(constraint.operand);
    case "and":
    case "or":
      return constraint.operands.flatMap(variablesOf);
    case "same":
      return [constraint.left, constraint.right].flatMap(variablesOf);
  }
}
