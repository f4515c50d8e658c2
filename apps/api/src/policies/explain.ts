import { setImmediate } from "node:timers/promises";
import { shorten } from "@keyhearth/engine/errors";
import { decisionInput, type Question } from "@keyhearth/engine/policies/authorize";
import type { PolicyEvaluation } from "@keyhearth/engine/policies/evaluations";
import { neededApprovals } from "@keyhearth/policy/advice/approvals";
import { type TraceStep, trace, traceDenial } from "@keyhearth/policy/advice/trace";
import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import {
  type CompiledPolicy,
  type DecisionInput,
  decide,
  environmentsOf,
  type Decision as PolicyDecision,
  votesOf,
} from "@keyhearth/policy/decide";
import type { Work } from "@keyhearth/policy/evaluate";
import { isFailure } from "@keyhearth/policy/values";
import { createPauses } from "./pauses.ts";

export type Explanation = {
  outcome: PolicyDecision["outcome"];
  reason: PolicyDecision["reason"];
  /** Sets of user ids, each of which would complete the approval; empty if no approval is needed. */
  neededApprovals: string[][];
  /** Whether there may be more sets than the listed ones. */
  hasMoreApprovals: boolean;
  evaluations: ExplainedEvaluation[];
};

export type ExplainedEvaluation = PolicyEvaluation & { trace: ClauseTrace[] };

/** Why one clause of a policy has the value that it has. */
export type ClauseTrace = {
  clause: Clause;
  /** Absent if the clause has no value. */
  value?: boolean;
  error?: string;
  steps: Step[];
  /** Whether further steps were left out. */
  isCut: boolean;
};

/** A part of the expression that decided its value. Steps lead from the whole inwards. */
export type Step = {
  /** UTF-16 positions in the clause's text. */
  start: number;
  end: number;
  /** How many deciding parts enclose it. */
  depth: number;
  text: string;
  value?: string;
  error?: string;
  bindings?: Record<string, string>;
};

/** Limit on the steps of all traces in one answer. */
const MAX_STEPS = 5000;

/** Limit on the work of all decisions and traces in one answer, as evaluations count it. */
const MAX_WORK = 3_000_000;

/** To compile a character takes as long as so many steps of an evaluation. */
const STEPS_A_CHARACTER = 8;

/** The effort spent on explanations in one answer. Beyond its limits nothing is explained. */
export type Effort = { steps: number; readonly work: Work };

export function newEffort(): Effort {
  return { steps: 0, work: { steps: 0 } };
}

/** The decision about a question, with the reasons. It only explains; the core decides. */
export async function explain(
  question: Question,
  input = decisionInput(question),
): Promise<Explanation> {
  const effort = newEffort();
  const { outcome, reason, evaluations } = decide(input, effort.work);
  await setImmediate();
  const { sets, isCut } = neededApprovals(input);
  await setImmediate();
  return {
    outcome,
    reason,
    neededApprovals: sets.map((set) => [...set]),
    hasMoreApprovals: isCut,
    evaluations: await tracesOf(question, input, { evaluations, effort }),
  };
}

/** The outcome of each policy, with the reasons; none once the answer has reached its limits. */
export async function explainEvaluations(
  question: Question,
  effort: Effort,
): Promise<ExplainedEvaluation[]> {
  for (const { condition, consensus, time } of question.organization.document.policies) {
    // Compiling the clauses is work too, and it grows with their length.
    for (const text of [condition, consensus, time]) {
      effort.work.steps += STEPS_A_CHARACTER * (text?.length ?? 0);
    }
  }
  if (isSpent(effort)) return [];
  const input = decisionInput(question);
  const { evaluations } = decide(input, effort.work);
  return tracesOf(question, input, { evaluations, effort });
}

export function isSpent({ steps, work }: Effort): boolean {
  return steps >= MAX_STEPS || work.steps > MAX_WORK;
}

async function tracesOf(
  { organization: { document } }: Question,
  input: DecisionInput,
  { evaluations, effort }: { evaluations: readonly PolicyEvaluation[]; effort: Effort },
): Promise<ExplainedEvaluation[]> {
  if (evaluations.length === 0) return [];
  const environmentOf = environmentsOf(input, votesOf(input));

  function traceClause(policy: CompiledPolicy, clause: Clause, source: string): ClauseTrace[] {
    const compiled = policy[clause];
    if (!compiled) return [];
    if (isSpent(effort)) return [{ clause, steps: [], isCut: true }];
    const traceClauses = policy.effect === "EFFECT_DENY" ? traceDenial : trace;
    const { value, steps, isCut } = traceClauses(compiled, environmentOf(clause), effort.work);
    const kept = steps.slice(0, MAX_STEPS - effort.steps);
    effort.steps += kept.length;
    return [
      {
        clause,
        ...(isFailure(value) ? { error: value.reason } : { value }),
        steps: kept.map((step) => stepOf(step, source)),
        isCut: isCut || kept.length < steps.length,
      },
    ];
  }

  const explained: ExplainedEvaluation[] = [];
  const pause = createPauses(effort.work);
  for (const [index, policy] of input.policies.entries()) {
    const evaluation = evaluations[index];
    const texts = document.policies[index];
    if (!evaluation || !texts) continue;
    const traces = CLAUSES.flatMap((clause) => traceClause(policy, clause, texts[clause] ?? ""));
    explained.push({ policyId: policy.policyId, outcome: evaluation.outcome, trace: traces });
    await pause();
  }
  return explained;
}

function stepOf({ start, end, depth, value, error, bindings }: TraceStep, source: string): Step {
  return {
    start,
    end,
    depth,
    text: shorten(source.slice(start, end), 200),
    ...(value !== undefined && { value }),
    ...(error !== undefined && { error }),
    ...(bindings && { bindings: { ...bindings } }),
  };
}
