import type { Clause, Expression } from "../../ast.ts";
import { check } from "../../check.ts";
import type { Effect } from "../../decide.ts";
import { type Compiled, prepare } from "../../evaluate.ts";
import { firstBits } from "../../logic/bits.ts";
import { newDenialReading, newReading, readPart } from "../../logic/clause-formulas.ts";
import { denies, hasNoAbsentRoot } from "../../logic/denial.ts";
import { constant, leavesOf } from "../../logic/formula.ts";
import { mapChildren } from "../../logic/keys.ts";
import type { Vocabulary } from "../../logic/reading-context.ts";
import { type Constraint, within } from "../../logic/solve.ts";
import { constraintOf, type Leaf, type Statement } from "../../logic/terms.ts";
import { parse } from "../../parse.ts";
import { hasRoot } from "./roots.ts";

// Clauses of compared policies as constraints for the solver.

/**
 * What holds for every request that policies decide about: somebody submitted it, and the root
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
  // The ids are inserted as values, since an id may hold characters that a literal cannot.
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

/** A clause as a formula; a constant's value does not matter where the clause errs. */
export type ReadClause = {
  readonly clause: Clause;
  /** Of its text. */
  readonly length: number;
  readonly statement: Statement;
  /** All that it says of terms, in the order of its text. */
  readonly leaves: readonly Leaf[];
  /** A part that reads nothing has no value. */
  readonly alwaysErrs: boolean;
};

export function readClause(
  compiled: Compiled,
  vocabulary: Vocabulary,
  effect: Effect = "EFFECT_ALLOW",
): ReadClause {
  const { clause, source, expression } = compiled;
  const newOne = effect === "EFFECT_DENY" ? newDenialReading : newReading;
  const reading = newOne(compiled, vocabulary);
  const statement = readPart(expression, reading);
  const leaves = leavesOf(statement);
  return { clause, length: source.length, statement, leaves, alwaysErrs: reading.fault.errs };
}

/**
 * Constraints that make a clause true: what it reads is there, nothing in it errs, and it holds.
 */
export function isTrue({ statement, leaves, alwaysErrs }: ReadClause): Constraint {
  if (alwaysErrs) return constant(false);
  const atoms = new Set(leaves.map(({ atom }) => atom));
  const isThere = rootsOf(leaves);
  const isDefined = [...atoms].flatMap(({ term: { variable, values }, definedValues }) => {
    if (definedValues === firstBits(values.length)) return [];
    return within(variable, definedValues);
  });
  return all([...isThere, ...isDefined, constraintOf(statement)]);
}

/** Constraints that make a DENY deny: the roots that it reads are there, and it holds or errs. */
export function isDenying(clauses: readonly ReadClause[]): Constraint {
  const leaves = clauses.flatMap((clause) => clause.leaves);
  const terms = new Set(leaves.map(({ atom }) => atom.term));
  const hasRoots = [...terms].map((term) => hasNoAbsentRoot(term, term.variable));
  const statements = clauses.map(({ statement }) => statement);
  return all([...rootsOf(leaves), ...hasRoots, denies(statements, ({ variable }) => variable)]);
}

function rootsOf(leaves: readonly Leaf[]): Constraint[] {
  const roots = new Set(leaves.flatMap(({ atom }) => atom.term.roots));
  return [...roots].flatMap((root) => hasRoot(root) ?? []);
}

export function all(operands: readonly Constraint[]): Constraint {
  return { kind: "and", operands };
}
