import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type Lint, lintPolicies } from "@keyhearth/policy/advice/lints";
import type { Clause } from "@keyhearth/policy/ast";
import { readOrganization } from "../cases.ts";
import { clauseErrors, policyErrorJson } from "../decisions.ts";
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

type Options = { readonly isStrict: boolean; readonly organization?: string };

/** Checks the policies of files, each file as the policies of one organization. */
export async function checkFiles(
  files: readonly string[],
  { isStrict, organization }: Options,
): Promise<Report> {
  const known = await knownOf(organization);
  const read: { file: string; policies: Policy[] }[] = [];
  for (const file of files) read.push({ file: labelOf(file), policies: await readPolicies(file) });
  const findings = read.flatMap(({ file, policies }) => {
    return findingsOf(file, policies, lintPolicies(policies, known));
  });
  const total = read.reduce((sum, { policies }) => sum + policies.length, 0);
  return reportOf(findings, count(total, "policy", "policies"), isStrict);
}

/** Checks expressions by themselves, each as the clause it is given for. */
export async function checkExpressions(
  expressions: Readonly<Partial<Record<Clause, string>>>,
  { isStrict, organization }: Options,
): Promise<Report> {
  const known = await knownOf(organization);
  const policy: Policy = { policyId: "", path: "", effect: "EFFECT_ALLOW", ...expressions };
  // Whose effect is not known: what counts is what is said of either, about what was given.
  const denying = lintPolicies([{ ...policy, effect: "EFFECT_DENY" }], known);
  const lints = lintPolicies([policy], known).filter((lint) => {
    const isTwin = ({ code, clause, start, end }: Lint) =>
      code === lint.code && clause === lint.clause && start === lint.start && end === lint.end;
    return policy[lint.clause] !== undefined && denying.some(isTwin);
  });
  const total = Object.values(expressions).filter((source) => source !== undefined).length;
  return reportOf(findingsOf("", [policy], lints), count(total, "expression"), isStrict);
}

/** The activities are those of this version; what else is known, a file tells. */
async function knownOf(organization: string | undefined) {
  const own = organization === undefined ? {} : await readOrganization(organization);
  return { ...own, activities: activityKinds };
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

/** Errors and warnings in the order of the policies, and of the places in them. */
function findingsOf(file: string, policies: readonly Policy[], lints: readonly Lint[]): Finding[] {
  const errors = clauseErrors(policies);
  return policies.flatMap((policy): Finding[] => {
    const own = { file, policy };
    return [
      ...errors
        .filter((one) => one.policy === policy)
        .map(({ clause, error }): Finding => {
          return { severity: "error", ...own, clause, ...policyErrorJson(error) };
        }),
      ...lints
        .filter(({ policyId }) => policyId === policy.policyId)
        .map(({ clause, code, message, start, end }): Finding => {
          const place = placeOf(policy[clause] ?? "", start);
          return { severity: "warning", ...own, clause, code, message, ...place, start, end };
        }),
    ];
  });
}

function placeOf(source: string, offset: number) {
  const lines = source.slice(0, offset).split("\n");
  return { line: lines.length, column: [...(lines.at(-1) ?? "")].length + 1 };
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
  const source = policy[clause];
  const place = source === undefined ? "absent" : `line ${line}, column ${column}`;
  const carets = pointAt(source ?? "", [finding]).map((row) => {
    return /^[ ^]+$/.test(row) ? paint(color, row) : row;
  });
  const body = [...wrap(plain(message)), ...(source === undefined ? [] : indent(carets))];
  if (expected !== undefined && !message.includes(expected)) {
    body.push(...wrap(`expected ${expected}`));
  }
  const title = `${paint([color, "bold"], severity)} ${code}: ${of}${clause}, ${place}${from}`;
  return [title, ...indent(body)];
}
