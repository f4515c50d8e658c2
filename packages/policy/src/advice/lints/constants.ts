import { childrenOf, type Expression } from "../../ast.ts";
import { quote } from "../../errors.ts";
import { newDenialReading, newReading, readPart } from "../../logic/clause-formulas.ts";
import { not } from "../../logic/formula.ts";
import { innerReading, type Reading } from "../../logic/reading-context.ts";
import { literalsOf, type Statement } from "../../logic/terms.ts";
import { type Finding, isPossible, type LintedClause } from "./subject.ts";

// Lints of parts that are the same for every request.

/** A search for parts that are the same for every request. */
type Search = {
  readonly clause: LintedClause;
  readonly verdicts: Map<Expression, boolean | undefined>;
  readonly findings: Finding[];
};

/** A part of a clause that is true or false, and what it says. */
type Part = { readonly node: Expression; readonly statement: Statement };

/** Parts of a clause that are the same for every request. Of nested parts, only the outermost. */
export function findConstants(clause: LintedClause): readonly Finding[] {
  const { checked, logic, isDenial, holds } = clause;
  const search: Search = { clause, verdicts: new Map(), findings: [] };
  const reading = (isDenial ? newDenialReading : newReading)(checked, logic.vocabulary);
  report({ node: checked.expression, statement: holds }, reading, search);
  return search.findings;
}

function report(part: Part, reading: Reading, search: Search) {
  const { node } = part;
  const verdict = verdictOf(part, search);
  if (verdict !== undefined) {
    const isWhole = node === search.clause.checked.expression;
    // An author who writes `true` or `false` means it.
    if (node.kind !== "bool" || isWhole) {
      search.findings.push(describe(culprit(part, verdict, search), verdict, search));
    }
  } else if (node.kind === "and" || node.kind === "or" || node.kind === "not") {
    for (const child of partsOf(part)) report(child, reading, search);
  } else reportWithin(node, reading, search);
}

/** The parts of `&&`, `||` or `!`. Its statement has theirs as operands, in the same order. */
function partsOf({ node, statement }: Part): Part[] {
  const operands = statement.kind === "not" ? [statement.operand] : [];
  const statements = "operands" in statement ? statement.operands : operands;
  return childrenOf(node).flatMap((child, i) => {
    const own = statements[i];
    return own ? { node: child, statement: own } : [];
  });
}

/** Predicates inside a part that is not a statement itself. */
function reportWithin(node: Expression, reading: Reading, search: Search) {
  if (search.clause.logic.budget.steps <= 0) return;
  if (node.kind === "quantifier") {
    const inner = innerReading(node, reading);
    report({ node: node.predicate, statement: readPart(node.predicate, inner) }, inner, search);
    reportWithin(node.object, reading, search);
  } else for (const child of childrenOf(node)) reportWithin(child, reading, search);
}

function describe(node: Expression, verdict: boolean, { clause: { checked } }: Search): Finding {
  const { clause, source, expression } = checked;
  const isWhole = node === expression;
  const what = isWhole ? `this ${clause}` : quote(source.slice(node.start, node.end));
  if (verdict) {
    const mend = isWhole ? "say what the policy is for, or leave it out" : advice(node);
    const message = `${what} is true of everything: ${mend}`;
    return { code: "always-matches", message, clause, node };
  }
  const rest = isWhole ? "or delete the policy" : "or leave it out";
  const mend = `${lengthAdvice(node) ?? "correct it"}, ${rest}`;
  return { code: "never-matches", message: `${what} can never be true: ${mend}`, clause, node };
}

/** The part that decides by itself, if there is one. */
function culprit(part: Part, verdict: boolean, search: Search): Expression {
  const { node } = part;
  if (node.kind !== (verdict ? "or" : "and")) return node;
  const only = partsOf(part).find((child) => verdictOf(child, search) === verdict);
  return only && only.node.kind !== "bool" ? culprit(only, verdict, search) : node;
}

function verdictOf(part: Part, search: Search): boolean | undefined {
  const { verdicts, clause } = search;
  if (!verdicts.has(part.node)) {
    const isAsked = clause.logic.budget.steps > 0;
    verdicts.set(part.node, isAsked ? verdictOn(part, search) : undefined);
  }
  return verdicts.get(part.node);
}

function verdictOn(part: Part, search: Search): boolean | undefined {
  const { node, statement } = part;
  const { logic } = search.clause;
  if (statement.kind === "constant") return statement.value;
  if (node.kind === "and" || node.kind === "or" || node.kind === "not") {
    const verdicts = partsOf(part).map((child) => verdictOf(child, search));
    const [only] = verdicts;
    if (node.kind === "not") return only === undefined ? undefined : !only;
    const decisive = node.kind === "or";
    if (verdicts.includes(decisive)) return decisive;
    if (verdicts.every((verdict) => verdict === !decisive)) return !decisive;
    const canBeOther = isPossible([decisive ? not(statement) : statement], logic);
    return canBeOther ? undefined : decisive;
  }
  if (isOpen(statement)) return undefined;
  if (!isPossible([statement], logic)) return false;
  return isPossible([not(statement)], logic) ? undefined : true;
}

/** Whether it compares a single value, so that it can be true or false. */
function isOpen(statement: Statement): boolean {
  if (statement.kind === "not") return isOpen(statement.operand);
  if (statement.kind !== "leaf") return false;
  const { term, isLowered } = statement.atom;
  return term.source.kind === "path" && !isLowered && literalsOf(statement.atom).length > 0;
}

function advice(node: Expression): string {
  const isExclusion = node.kind === "or" && node.operands.every(isNegative);
  return isExclusion ? "join tests that must all hold with `&&`" : "correct it, or leave it out";
}

/** The most frequent slip: a slice and its text differ in length. */
function lengthAdvice(node: Expression): string | undefined {
  if (node.kind !== "compare") return undefined;
  const [part, text] =
    node.left.kind === "slice" ? [node.left, node.right] : [node.right, node.left];
  if (part.kind !== "slice" || text.kind !== "string") return undefined;
  if (part.from.kind !== "int" || part.to.kind !== "int") return undefined;
  const [wanted, given] = [part.to.value - part.from.value, [...text.value].length];
  if (wanted === BigInt(given)) return undefined;
  return `compare ${wanted} characters with a text of ${wanted}, not of ${given}`;
}

function isNegative(node: Expression) {
  return node.kind === "not" || (node.kind === "compare" && node.operator === "!=");
}
