import { bit, bitsBetween, firstBits, indexesOf } from "./bits.ts";
import { type Formula, judge, not } from "./formula.ts";

/**
 * Finite-domain search. A variable is its number; a set of its values is a bit set, bit i for the
 * value with index i. Every branch splits the values of one variable, so the search ends.
 */

/** A statement that a variable has one of some values. */
export type Within = { readonly kind: "leaf"; readonly variable: number; readonly values: bigint };

/** What must hold of the variables. */
export type Constraint = Formula<Within>;

export function within(variable: number, values: bigint): Within {
  return { kind: "leaf", variable, values };
}

export function implies(premise: Constraint, conclusion: Constraint): Constraint {
  return { kind: "or", operands: [not(premise), conclusion] };
}

/**
 * The total of the parts. Its variable has the values 0 to `cap`, where `cap` means that number or
 * more, and one further value for an error.
 */
export type Sum = {
  readonly variable: number;
  readonly cap: number;
  /** An error counts only if no part adds anything. */
  readonly isTest: boolean;
  /** By index of the part's value. */
  readonly parts: readonly { readonly variable: number; readonly weights: readonly Weight[] }[];
};

export type Weight = number | "error";

export type Domains = readonly bigint[];

export type Problem = {
  readonly domains: Domains;
  readonly constraints: readonly Constraint[];
  readonly sums: readonly Sum[];
};

/** Statements looked at; shared by the searches of one comparison. */
export type Budget = { steps: number; readonly maxSteps: number };

/**
 * Looks for domains in which every choice of values meets all constraints, and passes them to
 * `accept` until it takes one. Returns "none" if there are no more, and "exhausted" if the budget
 * is used up.
 */
export function solve(
  { domains, constraints, sums }: Problem,
  budget: Budget,
  accept: (solution: Domains) => boolean,
): "found" | "none" | "exhausted" {
  const simple = simplify({ domains, constraints, sums }, budget);
  if (typeof simple === "string") return simple;
  const open = simple.constraints;
  const values = [...simple.domains];
  const split = choose(values, open, sums);
  if (!split) return accept(values) ? "found" : "none";
  const { variable, first } = split;
  const current = values[variable] ?? 0n;
  for (const part of [current & first, current & ~first]) {
    values[variable] = part;
    const result = solve({ domains: values, constraints: open, sums }, budget, accept);
    if (result !== "none") return result;
  }
  return "none";
}

/** Draws all simple conclusions, and keeps the constraints that still say something. */
export function simplify(
  { domains, constraints, sums }: Problem,
  budget: Budget,
): Problem | "none" | "exhausted" {
  const values = [...domains];
  const open = propagate(values, constraints, sums, budget);
  if (budget.steps > budget.maxSteps) return "exhausted";
  return open ? { domains: values, constraints: open, sums } : "none";
}

/** True if the variable has one of the values for every remaining choice, false if for none. */
function truthIn(domains: Domains, budget?: Budget) {
  return ({ variable, values }: Within): boolean | undefined => {
    if (budget) budget.steps++;
    const domain = domains[variable] ?? 0n;
    const inside = domain & values;
    return inside === 0n ? false : inside === domain ? true : undefined;
  };
}

/** Removes values until nothing more follows. Undefined if a constraint fails. */
function propagate(
  domains: bigint[],
  constraints: readonly Constraint[],
  sums: readonly Sum[],
  budget: Budget,
): readonly Constraint[] | undefined {
  let open = constraints;
  for (;;) {
    const before = [...domains];
    budget.steps += domains.length >> 3;
    const still: Constraint[] = [];
    for (const constraint of open) {
      const value = judge(constraint, truthIn(domains, budget));
      if (value === false || budget.steps > budget.maxSteps) return undefined;
      if (value === true) continue;
      demand(constraint, true, domains, budget);
      still.push(constraint);
    }
    for (const sum of sums) if (!tighten(sum, domains, budget)) return undefined;
    if (domains.includes(0n)) return undefined;
    open = still;
    if (domains.every((domain, i) => domain === before[i])) return open;
  }
}

/** Removes values for which the constraint could not have this truth. */
function demand(constraint: Constraint, truth: boolean, domains: bigint[], budget: Budget) {
  switch (constraint.kind) {
    case "constant":
      return;
    case "leaf": {
      const domain = domains[constraint.variable] ?? 0n;
      domains[constraint.variable] = domain & (truth ? constraint.values : ~constraint.values);
      return;
    }
    case "not":
      demand(constraint.operand, !truth, domains, budget);
      return;
    case "and":
    case "or": {
      if ((constraint.kind === "and") === truth) {
        for (const operand of constraint.operands) demand(operand, truth, domains, budget);
        return;
      }
      // Only one operand is left undecided, so it has to decide.
      const left = constraint.operands.filter((operand) => {
        return judge(operand, truthIn(domains, budget)) !== !truth;
      });
      const [last] = left;
      if (left.length === 1 && last) demand(last, truth, domains, budget);
      return;
    }
    case "same": {
      const { left, right } = constraint;
      for (const [known, other] of [
        [left, right],
        [right, left],
      ] as const) {
        const value = judge(known, truthIn(domains, budget));
        if (value !== undefined) demand(other, value === truth, domains, budget);
      }
    }
  }
}

type Range = { low: number; high: number; mayErr: boolean; mustErr: boolean };

/** Makes a sum and its parts agree; false if they cannot. */
function tighten(sum: Sum, domains: bigint[], budget: Budget): boolean {
  const { variable, cap, parts } = sum;
  const error = bit(cap + 1);
  const total = domains[variable] ?? 0n;
  // A sum that nothing asks about needs no work.
  if (total === firstBits(cap + 2)) return true;
  budget.steps += parts.length;
  const { low, high } = rangeOf(sum, domains);
  const left = total & totalsOf(sum, domains);
  domains[variable] = left;
  if (left === 0n) return false;
  if ((left & error) !== 0n) return true;
  const numbers = [...indexesOf(left)];
  const least = numbers[0] ?? 0;
  const last = numbers.at(-1) ?? 0;
  const most = last === cap ? Number.POSITIVE_INFINITY : last;
  for (const part of parts) {
    const own = rangeOfPart(part, domains, sum.isTest);
    let kept = 0n;
    for (const i of indexesOf(domains[part.variable] ?? 0n)) {
      const given = part.weights[i] ?? 0;
      if (given === "error" && !sum.isTest) continue;
      const [weight, atLeast] = given === "error" ? [0, Math.max(least, 1)] : [given, least];
      if (low - own.low + weight <= most && high - own.high + weight >= atLeast) kept |= bit(i);
    }
    domains[part.variable] = kept;
    if (kept === 0n) return false;
  }
  return true;
}

/** The totals that the parts can still give, as values of the sum's variable. */
function totalsOf(sum: Sum, domains: Domains): bigint {
  const { cap, isTest } = sum;
  const { low, high, mayErr, mustErr } = rangeOf(sum, domains);
  const error = mayErr && (!isTest || low === 0) ? bit(cap + 1) : 0n;
  if (mustErr && !isTest) return error;
  const least = Math.max(low, mustErr ? 1 : 0);
  return least > high ? error : error | bitsBetween(Math.min(least, cap), Math.min(high, cap));
}

function rangeOf({ parts, isTest }: Sum, domains: Domains): Range {
  const range: Range = { low: 0, high: 0, mayErr: false, mustErr: false };
  for (const part of parts) {
    const { low, high, mayErr, mustErr } = rangeOfPart(part, domains, isTest);
    range.low += low;
    range.high += high;
    range.mayErr ||= mayErr;
    range.mustErr ||= mustErr;
  }
  return range;
}

function rangeOfPart(
  { variable, weights }: Sum["parts"][number],
  domains: Domains,
  isTest: boolean,
): Range {
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let mayErr = false;
  let mustErr = true;
  for (const i of indexesOf(domains[variable] ?? 0n)) {
    const weight = weights[i] ?? 0;
    if (weight === "error") mayErr = true;
    else {
      mustErr = false;
      low = Math.min(low, weight);
      high = Math.max(high, weight);
    }
  }
  return { low: mustErr || (isTest && mayErr) ? 0 : low, high, mayErr, mustErr };
}

/** The next split: a variable and the values to try first. */
function choose(domains: Domains, open: readonly Constraint[], sums: readonly Sum[]) {
  for (const constraint of open) {
    const { variable, values } = undecided(constraint, domains) ?? {};
    if (variable !== undefined && values !== undefined) return { variable, first: values };
  }
  for (const sum of sums) {
    if (isSettled(sum, domains)) continue;
    const error = bit(sum.cap + 1);
    const total = domains[sum.variable] ?? 0n;
    if ((total & error) !== 0n && total !== error) return { variable: sum.variable, first: ~error };
    for (const { variable } of sum.parts) {
      const domain = domains[variable] ?? 0n;
      const [least, second] = indexesOf(domain);
      if (least !== undefined && second !== undefined) return { variable, first: bit(least) };
    }
  }
  return undefined;
}

/** An undecided statement about one variable, inside an undecided constraint. */
function undecided(constraint: Constraint, domains: Domains): Within | undefined {
  if (judge(constraint, truthIn(domains)) !== undefined) return undefined;
  switch (constraint.kind) {
    case "constant":
      return undefined;
    case "leaf":
      return constraint;
    case "not":
      return undecided(constraint.operand, domains);
    case "and":
    case "or":
      for (const operand of constraint.operands) {
        const found = undecided(operand, domains);
        if (found) return found;
      }
      return undefined;
    case "same":
      return undecided(constraint.left, domains) ?? undecided(constraint.right, domains);
  }
}

/** Whether every choice of values for the parts gives an allowed total. */
function isSettled(sum: Sum, domains: Domains): boolean {
  const { variable, cap } = sum;
  const total = domains[variable] ?? 0n;
  if (total === firstBits(cap + 2)) return true;
  return (totalsOf(sum, domains) & ~total) === 0n;
}
