import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type NeededApprovals, neededApprovals } from "@keyhearth/policy/advice/approvals";
import { lintPolicies } from "@keyhearth/policy/advice/lints";
import { type Trace, trace, traceDenial } from "@keyhearth/policy/advice/trace";
import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import {
  compilePolicies,
  type Decision,
  decide,
  environmentsOf,
  type PolicyOutcome,
  type PolicyText,
  votesOf,
} from "@keyhearth/policy/decide";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import type { Draft } from "./read-policies.ts";
import type { Request } from "./read-request.ts";

/** A clause that the service would refuse. */
export type ClauseProblem = Pick<PolicyError, "message" | "start" | "end">;

export type Problems = Partial<Record<Clause, ClauseProblem>>[];

/** How policies decide a request, and why. */
export type Explanation = {
  decision: Decision;
  /** The policies whose outcome is that of the whole, by their position. */
  deciding: number[];
  policies: ExplainedPolicy[];
  needed: NeededApprovals;
};

export type ExplainedPolicy = {
  /** Absent if the root quorum decided before any policy was asked. */
  outcome?: PolicyOutcome;
  traces: ({ clause: Clause; source: string } & Trace)[];
};

/** What is wrong with each policy, by its position. */
export function problemsOf(drafts: readonly Draft[]): Problems {
  return drafts.map((draft) => {
    const problems: Problems[number] = {};
    for (const clause of CLAUSES) {
      const problem = draft[clause] === "" ? null : problemOf(clause, draft[clause]);
      if (problem) problems[clause] = problem;
    }
    return problems;
  });
}

function problemOf(clause: Clause, source: string): ClauseProblem | null {
  try {
    compile(clause, source);
    return null;
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const { message, start, end } = error;
    return { message, start, end };
  }
}

/** The policies must be without problems. Their positions are their ids, because names need not differ while one types. */
export function explain(drafts: readonly Draft[], request: Request): Explanation {
  const policies = compilePolicies(textsOf(drafts));
  const input = { ...request, policies };
  const decision = decide(input);
  const environmentOf = environmentsOf(input, votesOf(input));
  const explained = policies.map((policy, index): ExplainedPolicy => {
    const outcome = decision.evaluations[index]?.outcome;
    const traceClause = policy.effect === "EFFECT_DENY" ? traceDenial : trace;
    const traces = CLAUSES.flatMap((clause) => {
      const compiled = policy[clause];
      if (!compiled) return [];
      return { clause, source: compiled.source, ...traceClause(compiled, environmentOf(clause)) };
    });
    return { ...(outcome && { outcome }), traces };
  });
  const deciding = explained.flatMap(({ outcome }, index) => {
    return decision.reason === "policies" && outcome === decision.outcome ? index : [];
  });
  return { decision, deciding, policies: explained, needed: neededApprovals(input) };
}

export type Warning = { position: number; clause: Clause; code: string; message: string };

/** What may not mean what it says, in this order: of policies, then of places. */
export function warningsOf(drafts: readonly Draft[], users?: Request["users"]): Warning[] {
  const context = { activities: activityKinds, ...(users && { users }) };
  return lintPolicies(textsOf(drafts), context).map(({ policyId, clause, code, message }) => {
    return { position: Number(policyId), clause, code, message };
  });
}

function textsOf(drafts: readonly Draft[]): PolicyText[] {
  return drafts.map(({ effect, condition, consensus, time }, index) => ({
    policyId: String(index),
    effect,
    ...(condition !== "" && { condition }),
    ...(consensus !== "" && { consensus }),
    ...(time !== "" && { time }),
  }));
}
