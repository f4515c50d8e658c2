import type { Statement } from "../../logic/terms.ts";
import { isPossible, isPossibleBeside, type Linted, type Logic } from "./subject.ts";

// Which requests a DENY covers, for lints of several policies.

/** A DENY that holds at any time and whoever approves, so that its condition decides alone. */
export type Denial = {
  readonly policyId: string;
  /** What its condition says; absent if it is true of everything. */
  readonly holds?: Statement;
};

export function denialOf({ policy, condition, consensus, time, logic }: Linted): Denial[] {
  if (policy.effect !== "EFFECT_DENY" || time) return [];
  if (consensus && isPossible([], logic, [consensus.holds])) return [];
  return [{ policyId: policy.policyId, holds: condition?.holds }];
}

/**
 * Whether a DENY denies every request for which all statements hold: its condition is then true, or
 * has no value because of an error.
 */
export function isDenied(
  { holds }: Denial,
  statements: readonly Statement[],
  logic: Logic,
): boolean {
  return holds === undefined || !isPossibleBeside(holds, statements, logic);
}
