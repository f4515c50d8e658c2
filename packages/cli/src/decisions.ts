import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import {
  type CompiledPolicy,
  compilePolicy,
  type Decision,
  type DecisionInput,
  decide,
  environmentsOf,
  type PolicyOutcome,
  votesOf,
} from "@keyhearth/policy/decide";
import { PolicyError } from "@keyhearth/policy/errors";
import type { Request } from "./cases.ts";
import { InputError } from "./errors.ts";
import { count, indent, join, oneLine, type Paint, plain, pointAt, wrap } from "./output.ts";
import { type Policy, titleOf } from "./policies.ts";
import { paintValue, type Traced, traceJson, traceOf, traceText } from "./traces.ts";

/** A decision and how it was reached. */
export type Explanation = {
  readonly decision: Decision;
  readonly policies: readonly ExplainedPolicy[];
};

export type ExplainedPolicy = {
  readonly policy: Policy;
  /** Undefined if the policy was not evaluated. */
  readonly outcome: PolicyOutcome | undefined;
  readonly clauses: readonly (Traced & { readonly clause: Clause })[];
};

/** A clause that cannot be parsed. */
export type ClauseError = {
  readonly policy: Policy;
  readonly clause: Clause;
  readonly source: string;
  readonly error: PolicyError;
};

/**
 * Every clause that is wrong. `compilePolicy` stops at the first one, so each is parsed separately.
 */
export function clauseErrors(policies: readonly Policy[]): ClauseError[] {
  return policies.flatMap((policy) =>
    CLAUSES.flatMap((clause) => {
      const source = policy[clause];
      if (source === undefined) return [];
      const { policyId, effect } = policy;
      try {
        compilePolicy({ policyId, effect, [clause]: source });
        return [];
      } catch (error) {
        if (!(error instanceof PolicyError)) throw error;
        return { policy, clause, source, error };
      }
    }),
  );
}

/** Compiles the policies of a file. Throws an InputError that lists every clause that is wrong. */
export function compileAll(file: string, policies: readonly Policy[]): CompiledPolicy[] {
  const errors = clauseErrors(policies);
  if (errors.length === 0) return policies.map(compilePolicy);
  const excerpt = errors.flatMap((one) => clauseErrorText(one, (_, text) => text));
  throw new InputError(`${file}: ${count(errors.length, "clause")} cannot be parsed`, {
    file,
    excerpt,
  });
}

/** Decides, and traces every clause of every policy that was evaluated. */
export function explain(
  policies: readonly Policy[],
  compiled: readonly CompiledPolicy[],
  request: Request,
): Explanation {
  const input: DecisionInput = { ...request, policies: compiled };
  const decision = decide(input);
  const environmentOf = environmentsOf(input, votesOf(input));
  const outcomes = new Map(decision.evaluations.map((one) => [one.policyId, one.outcome]));
  const explained = policies.map((policy, i) => {
    const clauses = CLAUSES.flatMap((clause) => {
      const expression = compiled[i]?.[clause];
      return expression
        ? { clause, ...traceOf(policy.effect, expression, environmentOf(clause)) }
        : [];
    });
    return { policy, outcome: outcomes.get(policy.policyId), clauses };
  });
  return { decision, policies: explained };
}

export function policyText({ policy, outcome, clauses }: ExplainedPolicy, paint: Paint): string[] {
  const title = paint("bold", plain(titleOf(policy)));
  const verdict = outcome === undefined ? "" : ` -> ${paintOutcome(outcome, paint)}`;
  const lines = [`${title} (${policy.effect === "EFFECT_DENY" ? "DENY" : "ALLOW"})${verdict}`];
  if (clauses.length === 0) lines.push("  without clauses: always applies");
  for (const clause of clauses) {
    const { value } = clause;
    const shown =
      typeof value === "boolean"
        ? paintValue(String(value), paint)
        : paint("red", `error: ${plain(value.reason)}`);
    lines.push(`  ${clause.clause}: ${shown}`, ...indent(traceText(clause, paint), 4));
  }
  const consequence = consequenceOf(policy, outcome, clauses);
  if (consequence) lines.push(`  ${paint("yellow", consequence)}`);
  return lines;
}

/** What an error means for the policy. */
function consequenceOf(
  { effect }: Policy,
  outcome: PolicyOutcome | undefined,
  clauses: ExplainedPolicy["clauses"],
): string | undefined {
  if (outcome === "OUTCOME_ERROR") {
    return effect === "EFFECT_DENY"
      ? "skipped, because it reads what this kind of request does not have"
      : "skipped, so this ALLOW allows nothing";
  }
  const errs = clauses.some(({ value }) => typeof value === "object");
  const denies = outcome === "OUTCOME_DENY_EXPLICIT" && errs;
  return denies ? "this DENY denies because of the error" : undefined;
}

export function policyJson({ policy, outcome, clauses }: ExplainedPolicy) {
  return {
    policyId: policy.policyId,
    policyName: policy.policyName,
    effect: policy.effect,
    outcome,
    clauses: Object.fromEntries(clauses.map((one) => [one.clause, traceJson(one)])),
  };
}

/** A clause that cannot be parsed: its policy, what is wrong and where. */
export function clauseErrorText({ policy, clause, source, error }: ClauseError, paint: Paint) {
  const { line, column } = error;
  return [
    `${paint("bold", oneLine(titleOf(policy)))}, ${clause}, line ${line}, column ${column}:`,
    ...indent(policyErrorText(error, source, paint)),
  ];
}

/** The message, the place in the expression and what was expected there. */
export function policyErrorText(error: PolicyError, source: string, paint: Paint): string[] {
  const { message, start, end, expected } = error;
  const excerpt = pointAt(source, [{ start, end }]).map((line) => {
    return /^[ ^]+$/.test(line) ? paint("red", line) : line;
  });
  const lines = [...wrap(plain(message)), ...indent(excerpt)];
  if (expected !== undefined && !message.includes(expected)) {
    lines.push(...wrap(`expected ${expected}`));
  }
  return lines;
}

export function policyErrorJson(error: PolicyError) {
  const { code, message, line, column, start, end, expected, suggestion } = error;
  return { code, message, line, column, start, end, expected, suggestion };
}

export function paintOutcome(outcome: string, paint: Paint): string {
  switch (outcome) {
    case "OUTCOME_ALLOW":
      return paint("green", outcome);
    case "OUTCOME_REQUIRES_CONSENSUS":
      return paint("yellow", outcome);
    case "OUTCOME_DENY_EXPLICIT":
    case "OUTCOME_ERROR":
      return paint("red", outcome);
    default:
      return outcome;
  }
}

/** What decided the outcome. */
export function reasonText({ decision, policies }: Explanation): string {
  const { outcome, reason } = decision;
  const decisive = policies.filter((policy) => policy.outcome === outcome);
  const names = join(decisive.map(({ policy }) => oneLine(policy.policyName ?? policy.policyId)));
  switch (reason) {
    case "rootQuorum":
      if (outcome === "OUTCOME_ALLOW") return "the root quorum approved, so no policy is evaluated";
      if (outcome === "OUTCOME_DENY_IMPLICIT") return "only the root quorum can allow it";
      return "approvals of root users can still complete the root quorum";
    case "ownCredentials":
      return "users may change their own credentials unless a policy denies it";
    case "default":
      return "no policy allows it";
    case "policies":
      if (outcome === "OUTCOME_ALLOW") return `allowed by ${names}`;
      if (outcome === "OUTCOME_DENY_EXPLICIT") return `denied by ${names}`;
      return `${names} would allow it with more approvals`;
  }
}
