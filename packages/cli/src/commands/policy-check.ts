import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type Lint, type LintContext, lintPolicies } from "@keyhearth/policy/advice/lints";
import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import { type Organization, readOrganization } from "../cases.ts";
import { clauseErrors, policyErrorJson } from "../decisions.ts";
import { InputError } from "../errors.ts";
import { type Json, membersOf, readJson } from "../json.ts";
import {
  columns,
  count,
  indent,
  oneLine,
  type Paint,
  plain,
  pointAt,
  type Report,
  wrap,
} from "../output.ts";
import { decodePolicyFile, type Policy, readPolicies, titleOf } from "../policies.ts";

type Options = { readonly isStrict: boolean; readonly organization?: string };

/**
 * Checks the policies in files. Each file holds the policies of one organization, or an activity that
 * creates or changes policies in addition to those of the file `policies`.
 */
export async function checkFiles(
  files: readonly string[],
  { isStrict, organization, policies }: Options & { readonly policies?: string },
): Promise<Report> {
  const known = await knownOf(organization);
  const others = policies === undefined ? undefined : await readPolicies(policies);
  const read: CheckedFile[] = [];
  for (const file of files) {
    const json = await readJson(file);
    const activity = activityIn(json);
    read.push(
      activity
        ? await checkActivityFile(activity, { organization: known, policies: others })
        : checkPolicyFile(json, known),
    );
  }
  if (others && !read.some(({ request }) => request)) {
    throw new InputError("--policies is for activities, and no file is one");
  }
  const findings = read.flatMap(({ file, policies, lints }) => findingsOf(file, policies, lints));
  const total = read.reduce((sum, { policies }) => sum + policies.length, 0);
  const requests = read.flatMap(({ request }) => request ?? []);
  return reportOf(findings, count(total, "policy", "policies"), isStrict, requests);
}

/** Something suspicious about a clause. */
type Suspicion = Omit<Lint, "code"> & { readonly code: string };

/** The policies of a file and the suspicions; for an activity, also the verified request. */
type CheckedFile = {
  readonly file: string;
  readonly policies: readonly Policy[];
  readonly lints: readonly Suspicion[];
  readonly request?: Request;
};

type Request = {
  readonly file: string;
  readonly type: string;
  readonly organizationId: string;
  readonly fingerprint: string;
  readonly publicKey: string;
  readonly claimedUser: string;
  readonly policies: readonly Policy[];
};

function checkPolicyFile(json: Json, known: LintContext): CheckedFile {
  const policies = decodePolicyFile(json);
  return { file: json.file, policies, lints: lintPolicies(policies, known) };
}

/** The activity in a file as the API returns it: alone or inside an answer. */
function activityIn(json: Json): Json | undefined {
  if (json.node.type !== "object") return undefined;
  const found = membersOf(json, "an object");
  if (found.has("activity")) return found.get("activity");
  return found.has("fingerprint") && found.has("votes") ? json : undefined;
}

async function checkActivityFile(
  json: Json,
  known: { organization: Organization; policies: readonly Policy[] | undefined },
): Promise<CheckedFile> {
  const { checkActivity } = await import("../activities.ts");
  const { advice, claimedUser } = checkActivity(json, known);
  const { type, organizationId, fingerprint, publicKey } = advice.request;
  const advised = advice.policies.map(({ policyId, warnings, errors: _, ...policy }, index) => {
    const { policyName } = policy;
    const path = type.endsWith("_POLICIES") ? `parameters.policies[${index}]` : "parameters";
    // A new policy has no id, but its name is unique.
    const id = policyId || policyName;
    const lints = warnings.map((warning) => ({ ...warning, policyId: id }));
    return { policy: { ...policy, policyId: id, path }, lints };
  });
  const policies = advised.map(({ policy }) => policy);
  const { file } = json;
  return {
    file,
    policies,
    lints: advised.flatMap(({ lints }) => lints),
    request: { file, type, organizationId, fingerprint, publicKey, claimedUser, policies },
  };
}

/** Checks single expressions, each as the clause it was given for. */
export async function checkExpressions(
  expressions: Readonly<Partial<Record<Clause, string>>>,
  { isStrict, organization }: Options,
): Promise<Report> {
  const known = await knownOf(organization);
  const policy: Policy = { policyId: "", path: "", effect: "EFFECT_ALLOW", ...expressions };
  // The effect is not known, so only suspicions that hold for both effects count.
  const denying = lintPolicies([{ ...policy, effect: "EFFECT_DENY" }], known);
  const lints = lintPolicies([policy], known).filter((lint) => {
    const isTwin = ({ code, clause, start, end }: Lint) =>
      code === lint.code && clause === lint.clause && start === lint.start && end === lint.end;
    return policy[lint.clause] !== undefined && denying.some(isTwin);
  });
  const total = Object.values(expressions).filter((source) => source !== undefined).length;
  return reportOf(findingsOf("", [policy], lints), count(total, "expression"), isStrict);
}

/** The activities are those of this version. A file can add facts about the organization. */
async function knownOf(organization: string | undefined) {
  const own = organization === undefined ? {} : await readOrganization(organization);
  return { ...own, activities: activityKinds };
}

/** Something wrong with a clause (an error) or suspicious about it (a warning). */
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

/** Errors and warnings, in the order of the policies and of the places in them. */
function findingsOf(
  file: string,
  policies: readonly Policy[],
  lints: readonly Suspicion[],
): Finding[] {
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

function reportOf(
  findings: readonly Finding[],
  checked: string,
  isStrict: boolean,
  requests: readonly Request[] = [],
): Report {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  const warnings = findings.length - errors;
  return {
    exitCode: errors > 0 || (isStrict && warnings > 0) ? 1 : 0,
    json: {
      errors,
      warnings,
      findings: findings.map(findingJson),
      ...(requests.length > 0 && { activities: requests.map(requestJson) }),
    },
    text: (paint) =>
      [
        ...requests.flatMap((request) => [...requestText(request, paint), ""]),
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

function requestJson({ policies, ...request }: Request) {
  return { ...request, policies: policies.map(({ path: _, ...policy }) => policy) };
}

/** The verified request: who stamped it and what it asks for, read from the verified bytes. */
function requestText(request: Request, paint: Paint): string[] {
  const { file, type, organizationId, fingerprint, publicKey, claimedUser, policies } = request;
  const rows = [
    ["stamped by", publicKey],
    ...(claimedUser === "" ? [] : [["", `the key of ${claimedUser}, as the service says`]]),
    ["fingerprint", fingerprint],
    ["organization", organizationId],
    ["type", type],
    ...policies.flatMap((policy) => [
      ["policy", `${titleOf(policy)}: ${policy.effect}`],
      ...CLAUSES.flatMap((clause) => {
        const source = policy[clause];
        return source === undefined ? [] : [[`  ${clause}`, source]];
      }),
    ]),
  ];
  const shown = rows.map(([name = "", value = ""]) => [name, oneLine(value)]);
  const title = `${paint(["green", "bold"], "verified")}: the stamp covers the request`;
  return [`${title} ${paint("dim", file)}`, ...indent(columns(shown))];
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
