import { CLAUSES, type Clause } from "../ast.ts";
import type { PolicyText } from "../decide.ts";
import type { Allowance } from "../logic/reading-context.ts";
import { findInCondition } from "./lints/condition.ts";
import { findInConsensus } from "./lints/consensus.ts";
import { findConstants } from "./lints/constants.ts";
import { type Directories, directoriesOf, findNames } from "./lints/names.ts";
import { findBetweenPolicies, type Survey, surveyOf } from "./lints/policies.ts";
import {
  type LintCode as Code,
  type Finding,
  type Linted,
  newLogic,
  type Organization,
  prepareLints,
} from "./lints/subject.ts";

// Warnings for authors: policies that can be saved and may not mean what they say.

export type LintCode = Code;

/** A probable mistake in a policy that can be saved. */
export type Lint = {
  readonly code: LintCode;
  /** What is wrong, and what to write instead. */
  readonly message: string;
  readonly policyId: string;
  readonly clause: Clause;
  /** The place in the clause's text, in UTF-16 code units; both 0 where the clause is absent. */
  readonly start: number;
  readonly end: number;
};

export type LintContext = Organization;

/** Work for all policies together. Once it is used up, lints claim only what is already proved. */
export const MAX_LINT_WORK = 300_000;

/** The most characters of policies to look at. The policies to report on come first. */
const MAX_TEXT = 200_000;

/** The most lints of one code for a policy. */
const MAX_OF_CODE = 5;

/**
 * Hazards in policies that are valid in the language. Policies that do not compile are left out.
 * With `only`, all policies are looked at, but only those are reported on. Lints are in the order
 * of the policies, then of the places in them. The work is bounded, and several calls may share a
 * `budget`.
 */
export function lintPolicies(
  policies: readonly PolicyText[],
  context: LintContext = {},
  only?: readonly string[],
  budget: Allowance = { steps: MAX_LINT_WORK },
): Lint[] {
  const logic = newLogic(context, budget);
  const isReported = ({ policyId }: PolicyText) => only?.includes(policyId) ?? true;
  const all = withinText(policies, isReported).flatMap((policy) => {
    return prepareLints(policy, logic) ?? [];
  });
  const reported = all.filter(({ policy }) => isReported(policy));
  // Everything is read before the first question, since a new atom changes the values of its term.
  for (const { condition, consensus, time } of reported) {
    for (const clause of [condition, consensus, time]) clause?.holds;
  }
  const survey = surveyOf(all);
  const directories = directoriesOf(context);
  return reported.flatMap((linted) => lintsOf(linted, survey, directories));
}

/** The first policies, as many as fit into the limit on text. */
function withinText(
  policies: readonly PolicyText[],
  isFirst: (policy: PolicyText) => boolean,
): readonly PolicyText[] {
  let left = MAX_TEXT;
  const kept = new Set<PolicyText>();
  for (const isTurn of [isFirst, (policy: PolicyText) => !isFirst(policy)]) {
    for (const policy of policies.filter(isTurn)) {
      const { condition = "", consensus = "", time = "" } = policy;
      left -= condition.length + consensus.length + time.length;
      if (left >= 0) kept.add(policy);
    }
  }
  return policies.filter((policy) => kept.has(policy));
}

function lintsOf(linted: Linted, survey: Survey, directories: Directories): Lint[] {
  const { policyId } = linted.policy;
  const clauses = [linted.condition, linted.consensus, linted.time];
  const findings: Finding[] = [
    ...findInCondition(linted),
    ...findBetweenPolicies(linted, survey),
    ...findInConsensus(linted),
    ...findNames(linted, directories),
    ...clauses.flatMap((clause) => (clause ? findConstants(clause) : [])),
  ];
  // Once there is no work left, anything that might hold counts as holding.
  const isKnown = linted.logic.budget.steps > 0;
  const certain = isKnown ? findings : findings.filter(({ code }) => !UNCERTAIN.has(code));
  const lints = withoutEchoes(certain).map(({ code, message, clause, node }) => {
    const { start, end } = node ?? { start: 0, end: 0 };
    return { code, message, policyId, clause, start, end };
  });
  lints.sort((a, b) => {
    const byClause = CLAUSES.indexOf(a.clause) - CLAUSES.indexOf(b.clause);
    return byClause || a.start - b.start || a.end - b.end || (a.code < b.code ? -1 : 1);
  });
  return firstOfEach(lints);
}

/** Keeps the first lint of each code in a place, and not too many of one code. */
function firstOfEach(lints: readonly Lint[]): Lint[] {
  const counts = new Map<string, number>();
  return lints.filter(({ code, clause, start }, i) => {
    const before = lints[i - 1];
    if (before?.code === code && before.start === start && before.clause === clause) return false;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_OF_CODE;
  });
}

/** Lints that say what can happen. The others say what is written, or what cannot happen. */
const UNCERTAIN: ReadonlySet<LintCode> = new Set<LintCode>([
  "deny-can-error",
  "first-only",
  "index-unguarded",
  "no-short-circuit",
  "policy-writer",
  "raw-payload-bypass",
  "secret-key-missing",
  "sign-unscoped",
  "slice-may-overflow",
  "vacuous-all",
]);

/** Each fault is reported once, by the lint that says most about it. */
function withoutEchoes(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ code, clause }) => {
    const louder = ECHOES.get(code) ?? [];
    return !findings.some((other) => other.clause === clause && louder.includes(other.code));
  });
}

const ECHOES: ReadonlyMap<LintCode, readonly LintCode[]> = new Map([
  ["consensus-unreachable", ["unknown-user", "unknown-tag", "unknown-credential", "never-matches"]],
  ["always-matches", ["deny-everything", "consensus-any"]],
  ["deny-can-error", ["never-matches"]],
  ["no-short-circuit", ["never-matches"]],
  ["allow-shadowed", ["never-matches", "mixed-key-roots"]],
]);
