import { childrenOf, type Expression } from "../../ast.ts";
import { quote } from "../../errors.ts";
import { not } from "../../logic/formula.ts";
import { innerReading, newReading, type Reading, read } from "../../logic/read.ts";
import { literalsOf, type Statement } from "../../logic/terms.ts";
import { type Finding, isPossible, type LintedClause } from "./subject.ts";

/** A search for parts that are the same for every request. */
type Search = {
  readonly clause: LintedClause;
  readonly verdicts: Map<Expression, boolean | undefined>;
  readonly findings: Finding[];
};

/** Parts of a clause that are the same for every request; of nested ones the outermost. */
export function findConstants(clause: LintedClause): readonly Finding[] {
  const { checked, logic } = clause;
  const search: Search = { clause, verdicts: new Map(), findings: [] };
  report(checked.expression, newReading(checked, logic.vocabulary), search);
  return search.findings;
}

function report(node: Expression, reading: Reading, search: Search) {
  const verdict = verdictOf(node, reading, search);
  if (verdict !== undefined) {
    const isWhole = node === search.clause.checked.expression;
    // Whoever writes `true` or `false` knows what it is.
    if (node.kind !== "bool" || isWhole) {
      search.findings.push(describe(culprit(node, verdict, reading, search), verdict, search));
    }
  } else if (node.kind === "and" || node.kind === "or" || node.kind === "not") {
    for (const child of childrenOf(node)) report(child, reading, search);
  } else reportWithin(node, reading, search);
}

/** Predicates inside what is no statement itself. */
function reportWithin(node: Expression, reading: Reading, search: Search) {
  if (node.kind === "quantifier") {
    report(node.predicate, innerReading(node, reading), search);
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
function culprit(node: Expression, verdict: boolean, reading: Reading, search: Search): Expression {
  if (node.kind !== (verdict ? "or" : "and")) return node;
  const parts = childrenOf(node).filter((part) => verdictOf(part, reading, search) === verdict);
  const [only] = parts;
  return only && only.kind !== "bool" ? culprit(only, verdict, reading, search) : node;
}

function verdictOf(node: Expression, reading: Reading, search: Search): boolean | undefined {
  const { verdicts, clause } = search;
  if (!verdicts.has(node)) {
    const verdict = clause.logic.budget.steps > 0 ? verdictOn(node, reading, search) : undefined;
    verdicts.set(node, verdict);
  }
  return verdicts.get(node);
}

function verdictOn(node: Expression, reading: Reading, search: Search): boolean | undefined {
  const { logic } = search.clause;
  if (node.kind === "bool") return node.value;
  if (node.kind === "not") {
    const verdict = verdictOf(node.operand, reading, search);
    return verdict === undefined ? undefined : !verdict;
  }
  if (node.kind === "and" || node.kind === "or") {
    const decisive = node.kind === "or";
    const verdicts = node.operands.map((operand) => verdictOf(operand, reading, search));
    if (verdicts.includes(decisive)) return decisive;
    if (verdicts.every((verdict) => verdict === !decisive)) return !decisive;
    const statement = read(node, reading);
    const canBeOther = isPossible([decisive ? not(statement) : statement], logic);
    return canBeOther ? undefined : decisive;
  }
  const statement = read(node, reading);
  if (isOpen(statement)) return undefined;
  if (!isPossible([statement], logic)) return false;
  return isPossible([not(statement)], logic) ? undefined : true;
}

/** Whether it compares a value by itself, which can come out either way. */
function isOpen(statement: Statement): boolean {
  if (statement.kind === "not") return isOpen(statement.operand);
  if (statement.kind !== "leaf") return false;
  const { term, isLowered } = statement.atom;
  return term.source.kind === "path" && !isLowered && literalsOf(statement.atom).length > 0;
}

function advice(node: Expression): string {
  const isExclusion = node.kind === "or" && node.operands.every(isNegative);
  return isExclusion ? "join what must all be so with `&&`" : "correct it, or leave it out";
}

/** The most frequent slip: bounds that cut out another number of characters. */
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
