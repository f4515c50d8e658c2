import { lintPolicies } from "@keyhearth/policy/advice/lints";
import { trace } from "@keyhearth/policy/advice/trace";
import type { Clause } from "@keyhearth/policy/ast";
import { type Environment, inputFromJson, makeEnvironment } from "@keyhearth/policy/environment";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import { isFailure } from "@keyhearth/policy/values";

export type Tried = {
  outcome: "true" | "false" | "error" | "refused" | "unreadable request";
  /** Why the expression has no value. */
  message?: string;
  /** The faulty part of the expression, with carets below it. */
  excerpt?: string;
  /** The parts that decided. */
  steps: { depth: number; text: string; value: string }[];
  /** Warnings about the expression as a clause of an ALLOW. */
  warnings: string[];
};

/** Evaluates an expression as the service would, with a request given as JSON. */
export function tryExpression(clause: Clause, expression: string, request: string): Tried {
  let environment: Environment;
  try {
    environment = makeEnvironment(readRequest(request));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return { outcome: "unreadable request", message: error.message, steps: [], warnings: [] };
  }
  try {
    const { value, steps } = trace(compile(clause, expression), environment);
    return {
      outcome: isFailure(value) ? "error" : value ? "true" : "false",
      ...(isFailure(value) && { message: value.reason }),
      steps: steps.slice(0, MAX_STEPS).map((step) => ({
        depth: step.depth,
        text: expression.slice(step.start, step.end).replace(/\s+/g, " "),
        value: step.error === undefined ? (step.value ?? "") : `error: ${step.error}`,
      })),
      warnings: warningsOf(clause, expression),
    };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const { message, excerpt } = error;
    return { outcome: "refused", message, excerpt, steps: [], warnings: [] };
  }
}

/** Enough to fill a screen. */
const MAX_STEPS = 40;

function warningsOf(clause: Clause, expression: string): string[] {
  const policy = { policyId: "policy", effect: "EFFECT_ALLOW" as const, [clause]: expression };
  const lints = lintPolicies([policy]).filter((lint) => lint.clause === clause);
  return lints.map(({ code, message }) => `${code}: ${message}`);
}

function readRequest(text: string): Record<string, ReturnType<typeof inputFromJson>> {
  const request: unknown = JSON.parse(withExactIntegers(text));
  if (typeof request !== "object" || request === null || Array.isArray(request)) {
    throw new TypeError("the request is not an object");
  }
  return Object.fromEntries(
    Object.entries(request).map(([name, value]) => [name, inputFromJson(value)]),
  );
}

/** JavaScript reads large integers in JSON inexactly, so they are passed on as text. */
function withExactIntegers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^-?\d{16,}$/.test(token) ? `{"$uint":"${token}"}` : token,
  );
}
