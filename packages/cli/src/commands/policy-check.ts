import type { Clause } from "@keyhearth/policy/ast";
import { clauseErrors } from "../decisions.ts";
import { labelOf } from "../json.ts";
import {
  count,
  indent,
  oneLine,
  type Paint,
  plain,
  pointAt,
  type Report,
  wrap,
} from "../output.ts";
import { type Policy, readPolicies, titleOf } from "../policies.ts";

/** Checks the policies of files, each file as the policies of one organization. */
export async function checkFiles(files: readonly string[], isStrict: boolean): Promise<Report> {
  const read: { file: string; policies: Policy[] }[] = [];
  for (const file of files) read.push({ file: labelOf(file), policies: await readPolicies(file) });
  const findings = read.flatMap(({ file, policies }) => findIn(file, policies));
  const total = read.reduce((sum, { policies }) => sum + policies.length, 0);
  return reportOf(findings, count(total, "policy", "policies"), isStrict);
}

/** Checks expressions by themselves, each as the clause it is given for. */
export function checkExpressions(
  expressions: Readonly<Partial<Record<Clause, string>>>,
  isStrict: boolean,
): Report {
  const policy: Policy = { policyId: "", path: "", effect: "EFFECT_ALLOW", ...expressions };
  const findings = findIn("", [policy]);
  const total = Object.values(expressions).filter((source) => source !== undefined).length;
  return reportOf(findings, count(total, "expression"), isStrict);
}

/** What is wrong with a clause (an error), or suspicious about it (a warning). */
type Finding = {
  readonly severity: "error" | "warning";
  readonly file: string;
  readonly policy: Policy;
  readonly clause: Clause;
  readonly code: string;
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
  readonly expected?: string;
  readonly suggestion?: string;
};

function findIn(file: string, policies: readonly Policy[]): Finding[] {
  return clauseErrors(policies).map(({ policy, clause, error }) => {
    const { code, message, start, end, line, column, expected, suggestion } = error;
    const place = { start, end, line, column };
    return {
      severity: "error",
      file,
      policy,
      clause,
      code,
      message,
      ...place,
      expected,
      suggestion,
    };
  });
}

function reportOf(findings: readonly Finding[], checked: string, isStrict: boolean): Report {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  return {
    exitCode: errors > 0 || (isStrict && warnings > 0) ? 1 : 0,
    json: { errors, warnings, findings: findings.map(findingJson) },
    text: (paint) =>
      [
        ...findings.flatMap((finding) => [...findingText(finding, paint), ""]),
        `${checked} checked: ${count(errors, "error")}, ${count(warnings, "warning")}`,
      ].join("\n"),
  };
}

function findingJson({ policy, file, ...finding }: Finding) {
  if (policy.path === "") return finding;
  const { policyId, policyName, path } = policy;
  return { file, path: `${path}.${finding.clause}`, policyId, policyName, ...finding };
}

function findingText(finding: Finding, paint: Paint): string[] {
  const { severity, file, policy, clause, code, message, line, column, expected } = finding;
  const color = severity === "error" ? "red" : "yellow";
  const of = policy.path === "" ? "" : `${paint("bold", oneLine(titleOf(policy)))}, `;
  const from = file === "" ? "" : ` ${paint("dim", `${file} ${policy.path}`)}`;
  const carets = pointAt(policy[clause] ?? "", [finding]).map((row) => {
    return /^[ ^]+$/.test(row) ? paint(color, row) : row;
  });
  const body = [...wrap(plain(message)), ...indent(carets)];
  if (expected !== undefined && !message.includes(expected)) {
    body.push(...wrap(`expected ${expected}`));
  }
  return [
    `${paint([color, "bold"], severity)} ${code}: ${of}${clause}, line ${line}, column ${column}${from}`,
    ...indent(body),
  ];
}
