import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type LintContext, lintPolicies } from "@keyhearth/policy/advice/lints";
import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import type { NamedText } from "./draft.ts";
import type { Mark } from "./editor.ts";

export type Advice = Record<Clause, (Mark & { message: string })[]>;

/** What is wrong with the clauses of one of the policies, or what they may not mean if nothing is. */
export function adviceOn(
  policies: readonly NamedText[],
  policyId: string,
  context: Omit<LintContext, "activities">,
): Advice {
  const advice: Advice = { condition: [], consensus: [], time: [] };
  const policy = policies.find((each) => each.policyId === policyId);
  if (!policy) return advice;
  for (const clause of CLAUSES) {
    const source = policy[clause];
    const problem = source === undefined ? undefined : problemIn(clause, source);
    if (problem) advice[clause].push(problem);
  }
  if (CLAUSES.some((clause) => advice[clause].length > 0)) return advice;
  const known = { ...context, activities: activityKinds };
  for (const { clause, start, end, message } of lintPolicies(policies, known, [policyId])) {
    advice[clause].push({ start, end, message: sentence(message), tone: "warned" });
  }
  return advice;
}

function problemIn(clause: Clause, source: string): Advice[Clause][number] | undefined {
  try {
    compile(clause, source);
    return undefined;
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const { message, start, end, expected } = error;
    const more =
      expected !== undefined && !message.includes(expected) ? ` (expected ${expected})` : "";
    return { start, end, tone: "wrong", message: sentence(`${message}${more}`) };
  }
}

function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
