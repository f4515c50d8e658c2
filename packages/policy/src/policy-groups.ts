import type { Expression, Operator } from "./ast.ts";
import type { CompiledPolicy, PolicyEvaluation } from "./compiled-policy.ts";
import type { Environment } from "./environment.ts";
import {
  type Compiled,
  evaluateDenialValue,
  evaluateValue,
  holds,
  prepare,
  type Work,
} from "./evaluate.ts";
import { type Failure, type Folded, folded, type Value } from "./values.ts";

/**
 * Policies that differ only in the values that their conditions compare something with, such as one
 * policy for each recipient. What they compare is read once for all of them.
 */
export type PolicyGroup = {
  /** Their places in the list of all policies. */
  readonly places: readonly number[];
  readonly first: Conditional;
  /** The result of each policy, which counts if its condition is false. */
  readonly unmatched: readonly PolicyEvaluation[];
  /** Operands of `&&` that all conditions have. */
  readonly same: readonly Compiled[];
  readonly compared: readonly Compared[];
};

type Conditional = CompiledPolicy & { readonly condition: Compiled };

/** An operand that compares the same in all conditions, with a literal of its own in each. */
type Compared = {
  readonly left: Compiled;
  readonly operator: Ordering;
  readonly literals: readonly (bigint | Folded)[];
};

type Ordering = Exclude<Operator, "in">;

/** Whether the condition of the policy at this index of `places` is true. */
export type Matcher = (index: number) => boolean;

const UNMATCHED = "OUTCOME_DENY_IMPLICIT" as const;

/** With fewer, it takes as long to find out what they have in common as to evaluate each. */
const MIN_GROUP = 4;

/** Comparing a longer text would take steps. */
const MAX_TEXT = 127;

/**
 * Once a decision has taken this many steps to find policies that do not match, it looks at no
 * further part. The part that passes the limit still ends.
 */
export const MAX_MATCHER_STEPS = 1000;

/** Finds the policies that are alike in a list of policies that were compiled together. */
export function groupPolicies(policies: readonly CompiledPolicy[]): PolicyGroup[] {
  const groups = new Map<string, number[]>();
  for (const [place, { effect, condition, consensus, time }] of policies.entries()) {
    // A decision evaluates equal conditions once as it is.
    if (!condition || condition.isShared) continue;
    const others = [effect, consensus?.source, time?.source];
    const pattern = JSON.stringify([...others, ...patternOf(condition)]);
    const group = groups.get(pattern);
    if (group) group.push(place);
    else groups.set(pattern, [place]);
  }
  return [...groups.values()]
    .filter((places) => places.length >= MIN_GROUP)
    .map((places) => groupAt(places, policies));
}

function groupAt(places: readonly number[], policies: readonly CompiledPolicy[]): PolicyGroup {
  const members = places.map((place) => policies[place] as Conditional);
  const [first] = members as [Conditional];
  const rows = members.map(({ condition }) => operandsOf(condition).map(comparisonOf));
  const part = (expression: Expression) => prepare({ ...first.condition, expression });
  const same: Compiled[] = [];
  const compared: Compared[] = [];
  for (const [i, operand] of operandsOf(first.condition).entries()) {
    const column = rows.flatMap((row) => row[i] ?? []);
    const [comparison] = column;
    const literals = column.map(({ literal }) => literal);
    if (!comparison || new Set(literals).size === 1) same.push(part(operand));
    else {
      const { left, operator } = comparison;
      compared.push({ left: part(left), operator, literals: literals.map(foldedIfText) });
    }
  }
  const unmatched = members.map(({ policyId }) => ({ policyId, outcome: UNMATCHED, failures: [] }));
  return { places, first, unmatched, same, compared };
}

/**
 * Says which conditions are true. Undefined if a part of them errs, or takes steps that depend on the
 * request, as reading a list does: each policy must then be evaluated. `work` counts the steps taken.
 */
export function matcherOf(
  { first: { effect }, same, compared }: PolicyGroup,
  environment: Environment,
  work: Work,
): Matcher | undefined {
  const evaluatePart = effect === "EFFECT_DENY" ? evaluateDenialValue : evaluateValue;
  const valueAtFixedCost = (part: Compiled) => {
    const before = work.steps;
    if (before > MAX_MATCHER_STEPS) return undefined;
    const value = evaluatePart(part, environment, work);
    return work.steps === before + part.steps ? value : undefined;
  };
  let isSameTrue = true;
  for (const operand of same) {
    const value = valueAtFixedCost(operand);
    if (typeof value !== "boolean") return undefined;
    isSameTrue &&= value;
  }
  const matchers: Matcher[] = [];
  for (const operand of compared) {
    const matcher = comparing(operand, valueAtFixedCost(operand.left));
    if (!matcher) return undefined;
    matchers.push(matcher);
  }
  const start: Matcher = () => isSameTrue;
  return matchers.reduce((all, next) => (index) => all(index) && next(index), start);
}

/** Undefined if the value is not of the type of the literals. */
function comparing(
  { operator, literals }: Compared,
  value: Value | Failure | undefined,
): Matcher | undefined {
  if (typeof literals[0] === "bigint") {
    if (typeof value !== "bigint") return undefined;
    return (index) => holds(value, operator, literals[index] as bigint);
  }
  const texts = literals as readonly Folded[];
  const isEqual = operator === "==";
  if (typeof value === "string") return (index) => (texts[index]?.text === value) === isEqual;
  if (typeof value !== "object" || value.kind !== "folded") return undefined;
  return (index) => (texts[index]?.lower === value.lower) === isEqual;
}

/** What conditions have in common that are alike. */
function patternOf(condition: Compiled) {
  const textOf = ({ start, end }: Expression) => condition.source.slice(start, end);
  return operandsOf(condition).map((operand) => {
    const comparison = comparisonOf(operand);
    if (!comparison) return textOf(operand);
    const { left, operator, literal } = comparison;
    return [textOf(left), operator, typeof literal];
  });
}

function operandsOf({ expression }: Compiled): readonly Expression[] {
  return expression.kind === "and" ? expression.operands : [expression];
}

type Comparison = {
  readonly left: Expression;
  readonly operator: Ordering;
  readonly literal: bigint | string;
};

/** Undefined for anything but a comparison with a literal. */
function comparisonOf(operand: Expression): Comparison | undefined {
  if (operand.kind !== "compare") return undefined;
  const { left, operator, right } = operand;
  if (operator === "in") return undefined;
  if (right.kind === "int") return { left, operator, literal: right.value };
  const isEquality = operator === "==" || operator === "!=";
  return isEquality && right.kind === "string" && right.value.length <= MAX_TEXT
    ? { left, operator, literal: right.value }
    : undefined;
}

function foldedIfText(literal: bigint | string) {
  return typeof literal === "string" ? folded(literal) : literal;
}
