import type { Clause } from "./ast.ts";
import type { Compiled } from "./evaluate.ts";
import type { Failure } from "./values.ts";

export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

export type CompiledPolicy = {
  readonly policyId: string;
  readonly effect: Effect;
  readonly condition?: Compiled;
  readonly consensus?: Compiled;
  readonly time?: Compiled;
};

export type PolicyOutcome =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_ERROR"
  | "OUTCOME_TIME_INACTIVE";

export type PolicyEvaluation = {
  readonly policyId: string;
  readonly outcome: PolicyOutcome;
  /** The clauses without a value, and why. They made an ALLOW err, or a DENY deny or be skipped. */
  readonly failures: readonly { readonly clause: Clause; readonly failure: Failure }[];
};
