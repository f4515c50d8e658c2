import { type Trace, trace, traceDenial } from "@keyhearth/policy/advice/trace";
import { CLAUSES } from "@keyhearth/policy/ast";
import type { Credential, User } from "@keyhearth/policy/consensus";
import {
  compilePolicies,
  type Decision,
  type DecisionInput,
  decide,
  environmentsOf,
  votesOf,
} from "@keyhearth/policy/decide";
import { inputFromJson, makeEnvironment } from "@keyhearth/policy/environment";
import { isFailure } from "@keyhearth/policy/values";
import type { PolicyOutcome, PolicyTrace } from "@keyhearth/sdk";
import type { NamedText } from "./draft.ts";

/** Everything that a decision depends on except the policies, in JSON: what a case of `keyhearth policy test` has. */
export type Situation = {
  users: readonly User[];
  rootQuorum: { threshold: number; userIds: readonly string[] };
  approvedBy: readonly string[];
  /** What they approved with, by user. Some policies count a passkey only. */
  credentials?: Readonly<Record<string, Credential>>;
  now: string;
  context: Readonly<Record<string, unknown>>;
  ownCredentialChange?: boolean;
  isRootQuorumOnly?: boolean;
};

export type Decided = Pick<Decision, "outcome" | "reason"> & { outcomes: PolicyOutcome[] };

/** What the policies decide, by the engine that the service has. Throws a PolicyError for a clause that cannot be read. */
export function decideOn(policies: readonly NamedText[], situation: Situation): Decided {
  const input = inputOf(policies, situation);
  const { outcome, reason, evaluations } = decide(input);
  return {
    outcome,
    reason,
    outcomes: evaluations.map(({ policyId, outcome: own }) => ({ policyId, outcome: own })),
  };
}

/** The same, with the parts of each clause that decided. */
export function explain(policies: readonly NamedText[], situation: Situation): Decided {
  const input = inputOf(policies, situation);
  const { outcome, reason, evaluations } = decide(input);
  const environmentOf = environmentsOf(input, votesOf(input));
  const outcomes = evaluations.map(({ policyId, outcome: own }): PolicyOutcome => {
    const policy = input.policies.find((each) => each.policyId === policyId);
    const traceClause = policy?.effect === "EFFECT_DENY" ? traceDenial : trace;
    const traces = CLAUSES.flatMap((clause) => {
      const compiled = policy?.[clause];
      if (!compiled) return [];
      return shownTrace(clause, compiled.source, traceClause(compiled, environmentOf(clause)));
    });
    return { policyId, outcome: own, trace: traces };
  });
  return { outcome, reason, outcomes };
}

function inputOf(policies: readonly NamedText[], situation: Situation): DecisionInput {
  const { users, rootQuorum, approvedBy, credentials = {}, now, context } = situation;
  const roots = Object.entries(context).map(([name, root]) => [name, inputFromJson(root)] as const);
  return {
    policies: compilePolicies(policies),
    environment: makeEnvironment(Object.fromEntries(roots)),
    users,
    approvals: approvedBy.map((userId) => {
      const credential = credentials[userId];
      return { userId, ...(credential && { credential }) };
    }),
    rootQuorum,
    now,
    ...(situation.ownCredentialChange && { isOwnCredentialChange: true }),
    ...(situation.isRootQuorumOnly && { isRootQuorumOnly: true }),
  };
}

/** As the service answers it. */
function shownTrace(
  clause: PolicyTrace["clause"],
  source: string,
  { value, steps, isCut }: Trace,
): PolicyTrace {
  return {
    clause,
    ...(isFailure(value) ? { error: value.reason } : { value }),
    isCut,
    steps: steps.map(({ start, end, depth, value: shown, error, bindings }) => ({
      start,
      end,
      depth,
      text: source.slice(start, end),
      ...(shown !== undefined && { value: shown }),
      ...(error !== undefined && { error }),
      ...(bindings && { bindings }),
    })),
  };
}
