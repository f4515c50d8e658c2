import type { CompiledPolicy } from "../../decide.ts";
import { keyOf } from "../../logic/keys.ts";
import type { Vocabulary } from "../../logic/reading-context.ts";
import type { Constraint } from "../../logic/solve.ts";
import { type ReadClause, readClause } from "./constraints.ts";

// What to ask the solver. If no question has a solution, no more is allowed.

export type Side = "before" | "after";

/** A policy of one of the two sets, with its clauses as sentences about shared atoms. */
type PolicyClauses = {
  readonly policyId: string;
  readonly set: Side;
  readonly effect: CompiledPolicy["effect"];
  readonly clauses: readonly ReadClause[];
  /** Policies of the same text have the same effect, whatever they are called. */
  readonly key: string;
};

export type Policy = PolicyClauses & {
  /** Usable once the values of the terms are known. */
  readonly applies: Constraint;
};

/** Requests for which some policies apply and others do not. */
export type Question = { readonly apply: readonly Policy[]; readonly others: readonly Policy[] };

export function readPolicy(
  policy: CompiledPolicy,
  set: Side,
  vocabulary: Vocabulary,
): PolicyClauses {
  const { policyId, effect, condition, consensus, time } = policy;
  const present = [condition, consensus, time].filter((clause) => clause !== undefined);
  const clauses = present.map((clause) => readClause(clause, vocabulary, effect));
  const keys = present.map(({ clause, expression }) => `${clause} ${keyOf(expression)}`);
  return { policyId, set, effect, clauses, key: [effect, ...keys].join("\n") };
}

/**
 * The second set allows more if one of its ALLOWs applies, none of its DENYs does, and in the
 * first set either no ALLOW applies or some DENY does.
 */
export function questionsOf(policies: readonly Policy[]): Question[] {
  const pick = (set: Policy["set"], effect: Policy["effect"]) => {
    return policies.filter((policy) => policy.set === set && policy.effect === effect);
  };
  const lacks = (some: readonly Policy[], { key }: Policy) => some.every((one) => one.key !== key);
  const allowsBefore = pick("before", "EFFECT_ALLOW");
  const allowsAfter = pick("after", "EFFECT_ALLOW");
  const denysAfter = pick("after", "EFFECT_DENY");
  const newAllows = allowsAfter.filter((policy) => lacks(allowsBefore, policy));
  const lostDenys = pick("before", "EFFECT_DENY").filter((policy) => lacks(denysAfter, policy));
  return [
    ...newAllows.map((allow) => ({ apply: [allow], others: [...denysAfter, ...allowsBefore] })),
    ...lostDenys.flatMap((deny) => {
      return allowsAfter.map((allow) => ({ apply: [allow, deny], others: denysAfter }));
    }),
  ];
}
