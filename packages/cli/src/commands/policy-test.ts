import type { Clause } from "@keyhearth/policy/ast";
import { compilePolicy, type Decision, decide } from "@keyhearth/policy/decide";
import type { Environment } from "@keyhearth/policy/environment";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import {
  type Case,
  type DecisionCase,
  type ExpressionCase,
  type ExpressionResult,
  readCases,
} from "../cases.ts";
import {
  type ClauseError,
  clauseErrors,
  clauseErrorText,
  explain,
  policyErrorJson,
  policyErrorText,
  policyJson,
  policyText,
  reasonText,
} from "../decisions.ts";
import { InputError } from "../errors.ts";
import { labelOf } from "../json.ts";
import { columns, indent, oneLine, type Paint, type Progress, type Report } from "../output.ts";
import { traceJson, traceOf, traceText } from "../traces.ts";

type Options = { readonly filter?: string; readonly progress: Progress };

/** Runs the cases in files. Throws an InputError for a file in the wrong format. */
export async function policyTest(
  files: readonly string[],
  { filter, progress }: Options,
): Promise<Report> {
  const all: { file: string; one: Case }[] = [];
  for (const file of files) {
    for (const one of await readCases(file)) all.push({ file: labelOf(file), one });
  }
  const wanted = all.filter(({ one }) => filter === undefined || one.name.includes(filter));
  if (wanted.length === 0) {
    throw new InputError(`none of ${all.length} cases has \`${filter}\` in its name`);
  }
  const results = wanted.map(({ file, one }, i) => {
    if (i % 50 === 0) progress.show(`${i} of ${wanted.length} cases`);
    return { file, one, failure: run(one) };
  });
  progress.clear();
  const failed = results.filter(({ failure }) => failure !== undefined);
  const passed = results.length - failed.length;
  return {
    exitCode: failed.length === 0 ? 0 : 1,
    json: {
      passed,
      failed: failed.length,
      cases: results.map(({ file, one: { name, path, kind }, failure }) => {
        return { file, path, name, kind, passed: failure === undefined, ...failure?.json };
      }),
    },
    text(paint) {
      const blocks = failed.map(({ file, one, failure }) => {
        const title = `${paint(["red", "bold"], "FAIL")} ${paint("bold", oneLine(one.name))}`;
        const notes = [];
        if (one.note !== undefined) notes.push(`note: ${oneLine(one.note)}`);
        if (one.isAmbiguous) notes.push("note: the case is marked as ambiguous");
        const body = [...(failure?.text(paint) ?? []), ...notes];
        return [`${title} ${paint("dim", `${file} ${one.path}`)}`, ...indent(body), ""].join("\n");
      });
      return [...blocks, `${passed} passed, ${failed.length} failed`].join("\n");
    },
  };
}

type Failure = { readonly json: object; readonly text: (paint: Paint) => string[] };

function run(one: Case): Failure | undefined {
  return one.kind === "expression" ? runExpression(one) : runDecision(one);
}

function runExpression({ clause, expression, environment, expected }: ExpressionCase) {
  const { got, json, text } = resultOf(clause, expression, environment);
  if (got === expected) return undefined;
  return {
    json: { expected, got, ...json },
    text: (paint: Paint) => [
      `expected ${paint("green", String(expected))}, got ${paint("red", String(got))}`,
      `${clause}:`,
      ...indent(text(paint)),
    ],
  };
}

function resultOf(
  clause: Clause,
  expression: string,
  environment: Environment,
): Failure & { got: ExpressionResult } {
  // An empty time means always, as in a policy.
  if (clause === "time" && expression === "") return { got: true, json: {}, text: () => [] };
  try {
    const traced = traceOf("EFFECT_ALLOW", compile(clause, expression), environment);
    return {
      got: typeof traced.value === "boolean" ? traced.value : "error(runtime)",
      json: traceJson(traced),
      text: (paint) => traceText(traced, paint),
    };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return {
      got: error.code === "POLICY_PARSE" ? "error(parse)" : "error(type)",
      json: { source: expression, error: policyErrorJson(error) },
      text: (paint) => policyErrorText(error, expression, paint),
    };
  }
}

function runDecision({ policies, request, expected }: DecisionCase): Failure | undefined {
  const errors = clauseErrors(policies);
  if (errors.length > 0) return refused(errors, expected);
  const compiled = policies.map(compilePolicy);
  const rows = differences(decide({ ...request, policies: compiled }), expected);
  if (rows.length === 0) return undefined;
  const explanation = explain(policies, compiled, request);
  const wrong = new Set(rows.map(({ name }) => name));
  const asked = explanation.policies.filter(({ policy }) => wrong.has(policy.policyId));
  const { outcome, reason, evaluations } = explanation.decision;
  const policyOutcomes = Object.fromEntries(evaluations.map((one) => [one.policyId, one.outcome]));
  return {
    json: {
      expected,
      got: { outcome, policyOutcomes },
      reason,
      policies: asked.map(policyJson),
    },
    text: (paint) => [
      ...columns([
        ["", "expected", "got"].map((head) => paint("dim", head)),
        ...rows.map(({ name, expected, got }) => [
          name === undefined ? "the activity" : oneLine(name),
          paint("green", expected ?? "nothing"),
          paint("red", got ?? "nothing: no policy was evaluated"),
        ]),
      ]),
      ...(wrong.has(undefined) ? [`The decision: ${reasonText(explanation)}.`] : []),
      ...asked.flatMap((policy) => ["", ...policyText(policy, paint)]),
    ],
  };
}

type Difference = { name: string | undefined; expected?: string; got?: string };

/** The differences from the expectation. The activity itself has no name. */
function differences(
  { outcome, evaluations }: Decision,
  expected: DecisionCase["expected"],
): Difference[] {
  const got = new Map(evaluations.map((one) => [one.policyId, one.outcome]));
  const names = new Set([...Object.keys(expected.policyOutcomes), ...got.keys()]);
  return [
    { name: undefined, expected: expected.outcome, got: outcome },
    ...[...names].map((name) => {
      return { name, expected: expected.policyOutcomes[name], got: got.get(name) };
    }),
  ].filter((one) => one.expected !== one.got);
}

/** A case whose policies the service would not accept. */
function refused(errors: readonly ClauseError[], expected: DecisionCase["expected"]): Failure {
  return {
    json: {
      expected,
      errors: errors.map(({ policy, clause, source, error }) => {
        return { policyId: policy.policyId, clause, source, error: policyErrorJson(error) };
      }),
    },
    text: (paint) => [
      "the policies cannot be parsed, so there is no decision",
      ...errors.flatMap((error) => ["", ...clauseErrorText(error, paint)]),
    ],
  };
}
