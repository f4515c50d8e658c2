import { neededApprovals } from "@keyhearth/policy/advice/approvals";
import { nearest, PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import { type Case, type ExpressionCase, type Request, readCases, readRequest } from "../cases.ts";
import {
  compileAll,
  explain,
  paintOutcome,
  policyErrorJson,
  policyErrorText,
  policyJson,
  policyText,
  reasonText,
} from "../decisions.ts";
import { InputError } from "../errors.ts";
import { labelOf } from "../json.ts";
import { indent, join, oneLine, plain, type Report } from "../output.ts";
import { type Policy, readPolicies } from "../policies.ts";
import { paintValue, traceJson, traceOf, traceText } from "../traces.ts";

/** Explains a case in a file. Without a name, the file must have only one case. */
export async function explainCase(file: string, name: string | undefined): Promise<Report> {
  const found = findCase(labelOf(file), await readCases(file), name);
  if (found.kind === "expression") return explainExpression(found);
  return explainDecision(`${labelOf(file)}: ${found.path}`, found.policies, found.request);
}

/** Explains how the policies of a file decide a request. */
export async function explainRequest(policiesFile: string, requestFile: string): Promise<Report> {
  const policies = await readPolicies(policiesFile);
  return explainDecision(labelOf(policiesFile), policies, await readRequest(requestFile));
}

function findCase(file: string, cases: readonly Case[], name: string | undefined): Case {
  const found = name === undefined ? cases : cases.filter((one) => one.name === name);
  const [first, ...others] = found;
  if (first && others.length === 0) return first;
  if (name === undefined) {
    throw new InputError(`${file} has ${cases.length} cases: choose one with --case`, { file });
  }
  if (first) {
    const places = join(found.map(({ path }) => path));
    throw new InputError(`${file} has several cases called \`${name}\`: ${places}`, { file });
  }
  const names = cases.map((one) => one.name);
  const near = nearest(name, names) ?? names.find((one) => one.includes(name));
  const hint = near === undefined ? "" : `; did you mean \`${near}\`?`;
  throw new InputError(`${file} has no case called \`${name}\`${hint}`, { file });
}

function explainExpression({ clause, expression, environment, name }: ExpressionCase): Report {
  try {
    const traced = traceOf("EFFECT_ALLOW", compile(clause, expression), environment);
    const { value } = traced;
    return {
      exitCode: 0,
      json: { name, clause, ...traceJson(traced) },
      text: (paint) => {
        const shown =
          typeof value === "boolean"
            ? paintValue(String(value), paint)
            : paint("red", `error: ${plain(value.reason)}`);
        return [`${clause}: ${shown}`, ...indent(traceText(traced, paint))].join("\n");
      },
    };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const title = `${clause}, line ${error.line}, column ${error.column}:`;
    return {
      exitCode: 0,
      json: { name, clause, source: expression, error: policyErrorJson(error) },
      text: (paint) => [title, ...indent(policyErrorText(error, expression, paint))].join("\n"),
    };
  }
}

function explainDecision(file: string, policies: readonly Policy[], request: Request): Report {
  const compiled = compileAll(file, policies);
  const explanation = explain(policies, compiled, request);
  const needed = neededApprovals({ ...request, policies: compiled });
  const { outcome, reason, evaluations } = explanation.decision;
  const asked = evaluations.length > 0 ? explanation.policies : [];
  const named = needed.sets.map((ids) => ids.map((id) => ({ id, name: nameOf(id, request) })));
  return {
    exitCode: 0,
    json: {
      outcome,
      reason,
      policies: asked.map(policyJson),
      neededApprovals: { sets: named, isCut: needed.isCut },
    },
    text: (paint) =>
      [
        `${paintOutcome(outcome, paint)}: ${reasonText(explanation)}`,
        ...asked.flatMap((policy) => ["", ...policyText(policy, paint)]),
        ...neededText(
          named.map((set) => set.map(({ name }) => name)),
          needed.isCut,
        ),
      ].join("\n"),
  };
}

function neededText(sets: readonly (readonly string[])[], isCut: boolean): string[] {
  if (sets.length === 0) {
    return isCut ? ["", "Finding the approvals that would complete it takes too long."] : [];
  }
  return [
    "",
    "Approvals that would complete it, each line on its own:",
    ...sets.map((names) => `  - ${join(names.map((name) => oneLine(name)))}`),
    ...(isCut ? ["  - ... and more"] : []),
  ];
}

function nameOf(userId: string, { users }: Request): string {
  const user = users.find(({ id }) => id === userId);
  return user?.alias || user?.email || userId;
}
