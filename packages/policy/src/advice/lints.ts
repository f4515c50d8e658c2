import type { Clause } from "../ast.ts";
import type { PolicyText } from "../decide.ts";
import { type ConditionFinding, findInCondition } from "./lints/condition.ts";
import { type ConsensusCode, findInConsensus } from "./lints/consensus.ts";
import { type ConstantCode, findConstants } from "./lints/constants.ts";
import { type Directories, directoriesOf, findNames, type NameCode } from "./lints/names.ts";
import { findBetweenPolicies, type PolicyCode, type Survey, surveyOf } from "./lints/policies.ts";
import type { Budget } from "./lints/solve.ts";
import { type Finding, type Linted, type Organization, prepareLints } from "./lints/subject.ts";

export type LintCode =
  | ConditionFinding["code"]
  | ConsensusCode
  | ConstantCode
  | NameCode
  | PolicyCode;

/** What is probably not meant, in a policy that can be saved. */
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

/** Work for all policies together; when it is used up, what is not yet proved is not claimed. */
const MAX_WORK = 300_000;

/** Characters of the policies that are looked at; those to report on come first. */
const MAX_TEXT = 200_000;

/** Lints of one code that a policy is given. */
const MAX_OF_CODE = 5;

/**
 * What is hazardous in policies that are right by the rules of the language. Policies that do not
 * compile are left out. With `only`, all policies are looked at and those reported on. The order
 * is that of the policies, then of the places in them. Ends soon whatever it is given.
 */
export function lintPolicies(
  policies: readonly PolicyText[],
  context: LintContext = {},
  only?: readonly string[],
): Lint[] {
  const budget: Budget = { steps: MAX_WORK };
  const isReported = ({ policyId }: PolicyText) => only?.includes(policyId) ?? true;
  const all = withinText(policies, isReported).flatMap((policy, i) => {
    return prepareLints(policy, `${i}`, budget, context) ?? [];
  });
  const survey = surveyOf(all, budget, context);
  const directories = directoriesOf(context);
  return all.flatMap((linted) => {
    if (!isReported(linted.policy)) return [];
    return lintsOf(linted, survey, directories, budget, context);
  });
}

/** As many of the policies, in their order, as are not too much text. */
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

function lintsOf(
  linted: Linted,
  survey: Survey,
  directories: Directories,
  budget: Budget,
  context: LintContext,
): Lint[] {
  const { policyId } = linted.policy;
  const clauses = [linted.condition, linted.consensus, linted.time];
  const findings: Finding<LintCode>[] = [
    ...findInCondition(linted, budget, context),
    ...findBetweenPolicies(linted, survey, budget, context),
    ...findInConsensus(linted, budget, context),
    ...findNames(linted, directories),
    ...clauses.flatMap((clause) => (clause ? findConstants(clause, budget, context) : [])),
  ];
  // What might be so counts as being so once there is no work left to find out.
  const isKnown = budget.steps > 0;
  const certain = isKnown ? findings : findings.filter(({ code }) => !UNCERTAIN.has(code));
  const lints = withoutEchoes(certain).map(({ code, message, clause, node }) => {
    const { start, end } = node ?? { start: 0, end: 0 };
    return { code, message, policyId, clause, start, end };
  });
  lints.sort((a, b) => {
    const byClause = CLAUSES.indexOf(a.clause) - CLAUSES.indexOf(b.clause);
    return byClause || a.start - b.start || a.end - b.end || (a.code < b.code ? -1 : 1);
  });
  const counts = new Map<string, number>();
  return lints.filter(({ code }, i) => {
    const before = lints[i - 1];
    const isRepeated = before?.code === code && before.start === lints[i]?.start;
    if (isRepeated && before.clause === lints[i]?.clause) return false;
    const count = (counts.get(code) ?? 0) + 1;
    counts.set(code, count);
    return count <= MAX_OF_CODE;
  });
}

/** Lints that say what can happen; the others say what is written, or what cannot. */
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

const CLAUSES: readonly Clause[] = ["condition", "consensus", "time"];

/** One fault is told once, by the lint that says most about it. */
function withoutEchoes(findings: readonly Finding<LintCode>[]): readonly Finding<LintCode>[] {
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
