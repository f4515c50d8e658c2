import { childrenOf, type Expression } from "../../ast.ts";
import { quote } from "../../errors.ts";
import { NO_SCOPE, type Scope } from "./formula.ts";
import { type Budget, canHold, type World } from "./solve.ts";
import type { Finding, LintedClause } from "./subject.ts";

export type ConstantCode = "never-matches" | "always-matches";

/** Parts of a clause that are the same for every request; of nested ones the outermost. */
export function findConstants(
  { checked, translation }: LintedClause,
  budget: Budget,
  world: World,
): Finding<ConstantCode>[] {
  const { clause, source, expression } = checked;
  const findings: Finding<ConstantCode>[] = [];
  const verdicts = new Map<Expression, boolean | undefined>();
  report(expression, NO_SCOPE);
  return findings;

  function report(node: Expression, scope: Scope) {
    const verdict = verdictOf(node, scope);
    if (verdict !== undefined) {
      // Whoever writes `true` or `false` knows what it is.
      if (node.kind !== "bool" || node === expression) add(culprit(node, verdict, scope), verdict);
      return;
    }
    if (node.kind === "quantifier") {
      report(node.predicate, translation.inner(node, scope));
      reportWithin(node.object, scope);
    } else if (isJunction(node)) {
      for (const child of childrenOf(node)) report(child, scope);
    } else reportWithin(node, scope);
  }

  /** Predicates inside what is no statement itself. */
  function reportWithin(node: Expression, scope: Scope) {
    if (node.kind === "quantifier") {
      report(node.predicate, translation.inner(node, scope));
      reportWithin(node.object, scope);
    } else for (const child of childrenOf(node)) reportWithin(child, scope);
  }

  function add(node: Expression, verdict: boolean) {
    const isWhole = node === expression;
    const what = isWhole ? `this ${clause}` : quote(source.slice(node.start, node.end));
    if (verdict) {
      const mend = isWhole ? "say what the policy is for, or leave it out" : advice(node);
      findings.push({
        code: "always-matches",
        message: `${what} is true of everything: ${mend}`,
        clause,
        node,
      });
    } else {
      const rest = isWhole ? "or delete the policy" : "or leave it out";
      const mend = `${lengthAdvice(node) ?? "correct it"}, ${rest}`;
      findings.push({
        code: "never-matches",
        message: `${what} can never be true: ${mend}`,
        clause,
        node,
      });
    }
  }

  /** The part that decides by itself, if there is one. */
  function culprit(node: Expression, verdict: boolean, scope: Scope): Expression {
    if (node.kind !== (verdict ? "or" : "and")) return node;
    const parts = childrenOf(node).filter((part) => verdictOf(part, scope) === verdict);
    const [only] = parts;
    return only && only.kind !== "bool" ? culprit(only, verdict, scope) : node;
  }

  function verdictOf(node: Expression, scope: Scope): boolean | undefined {
    if (!verdicts.has(node)) verdicts.set(node, judge(node, scope));
    return verdicts.get(node);
  }

  function judge(node: Expression, scope: Scope): boolean | undefined {
    if (node.kind === "bool") return node.value;
    if (node.kind === "not") {
      const verdict = verdictOf(node.operand, scope);
      return verdict === undefined ? undefined : !verdict;
    }
    if (node.kind === "and" || node.kind === "or") {
      const decisive = node.kind === "or";
      const verdicts = node.operands.map((operand) => verdictOf(operand, scope));
      if (verdicts.includes(decisive)) return decisive;
      if (verdicts.every((verdict) => verdict === !decisive)) return !decisive;
      return can(node, !decisive, scope) ? undefined : decisive;
    }
    const holds = translation.formula(node, true, scope);
    if (holds.kind === "constant") return holds.value;
    // A comparison by itself can come out either way; only counts have bounds from the start.
    if (holds.kind === "literal" && !holds.subject.count) return undefined;
    if (!canHold([holds], budget, world)) return false;
    return can(node, false, scope) ? undefined : true;
  }

  function can(node: Expression, isTrue: boolean, scope: Scope) {
    return canHold([translation.formula(node, isTrue, scope)], budget, world);
  }
}

function isJunction({ kind }: Expression) {
  return kind === "and" || kind === "or" || kind === "not";
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
