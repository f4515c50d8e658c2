import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type Comparison, comparePolicies } from "@keyhearth/policy/advice/comparison";
import type { Approver, Example } from "@keyhearth/policy/advice/comparison/example";
import { readOrganization } from "../cases.ts";
import { compileAll } from "../decisions.ts";
import { labelOf } from "../json.ts";
import {
  columns,
  count,
  indent,
  join,
  oneLine,
  type Paint,
  type Progress,
  plain,
  pointAt,
  type Report,
  wrap,
} from "../output.ts";
import { type Policy, readPolicies, titleOf } from "../policies.ts";

type Options = { readonly organization?: string; readonly progress: Progress };

export type Sides = {
  readonly before: { readonly file: string; readonly policies: readonly Policy[] };
  readonly after: { readonly file: string; readonly policies: readonly Policy[] };
};

/** Finds out whether the policies of the second file allow anything that those of the first do not. */
export async function policyCompare(
  beforeFile: string,
  afterFile: string,
  { organization, progress }: Options,
): Promise<Report> {
  const sides: Sides = { before: await readSide(beforeFile), after: await readSide(afterFile) };
  const own = organization === undefined ? {} : await readOrganization(organization);
  const known = { ...own, activities: activityKinds };
  progress.show("comparing");
  const comparison = comparePolicies(sides.before.policies, sides.after.policies, known);
  progress.clear();
  return {
    exitCode: EXIT_CODES[comparison.answer],
    json: comparison,
    text: (paint) => answerText(comparison, sides, paint).join("\n"),
  };
}

type Reason = Extract<Comparison, { answer: "unknown" }>["reasons"][number];

const EXIT_CODES = { "no more": 0, more: 1, unknown: 3 } as const;

async function readSide(file: string) {
  const policies = await readPolicies(file);
  compileAll(labelOf(file), policies);
  return { file: labelOf(file), policies };
}

/** The answer in words, with an example or with the parts that cannot be compared. */
export function answerText(comparison: Comparison, sides: Sides, paint: Paint): string[] {
  const { before, after } = sides;
  switch (comparison.answer) {
    case "no more":
      return [
        `${paint("green", "no more")}: ${after.file} allows nothing that ${before.file} does not`,
      ];
    case "more":
      return [
        `${paint("red", "more")}: ${after.file} allows what ${before.file} does not, for example:`,
        "",
        ...indent(columns(exampleRows(comparison.example, sides, paint))),
      ];
    case "unknown": {
      const { reasons } = comparison;
      return [
        `${paint("yellow", "unknown")}: whether ${after.file} allows more than ${before.file}`,
        `  depends on ${count(reasons.length, "part")} that cannot be compared`,
        ...reasons.flatMap((reason) => ["", ...reasonText(reason, sides, paint)]),
      ];
    }
  }
}

function exampleRows(example: Example, { before, after }: Sides, paint: Paint): string[][] {
  const { context, approvers, now, allowedBy, deniedBy } = example;
  const title = (policies: readonly Policy[]) => (id: string) => {
    const policy = policies.find(({ policyId }) => policyId === id);
    return oneLine(policy ? titleOf(policy) : id);
  };
  const denied = deniedBy.map(title(before.policies));
  // Every approval uses some credential, which matters only if a policy reads it.
  const readsCredentials = [...before.policies, ...after.policies].some(({ consensus }) => {
    return consensus?.includes("credentials");
  });
  const approved = readsCredentials
    ? approvers
    : approvers.map((approver) => ({ ...approver, credential: undefined }));
  const rows: [string, string][] = [
    ...leaves(context, "").map(([path, value]): [string, string] => [plain(path), plain(value)]),
    ...approved.map((approver, i): [string, string] => {
      return [i === 0 ? "submitted by" : "approved by", approverText(approver)];
    }),
    ["at", now],
    [`in ${after.file}`, `allowed by ${join(allowedBy.map(title(after.policies)))}`],
    [`in ${before.file}`, denied.length > 0 ? `denied by ${join(denied)}` : "allowed by no policy"],
  ];
  return rows.map(([name, value]) => [paint("dim", name), value]);
}

function approverText({ userId, tags, email, alias, credential }: Approver): string {
  const details = [
    ...(alias === "" ? [] : [`alias ${alias}`]),
    ...(email === "" ? [] : [`email ${email}`]),
    ...(tags.length === 0 ? [] : [`tags ${tags.join(", ")}`]),
    ...(credential ? [`credential ${credential.id} of type ${credential.type}`] : []),
  ];
  return oneLine(details.length === 0 ? userId : `${userId} (${details.join("; ")})`);
}

/** The fields of a request as paths, with values written as in a policy. */
function leaves(value: unknown, path: string): [string, string][] {
  const marked = markedValue(value);
  if (marked !== undefined) return [[path, marked]];
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item !== "object" || markedValue(item) !== undefined)) {
      return [[path, `[${value.map((item) => leaves(item, "")[0]?.[1] ?? "").join(", ")}]`]];
    }
    return value.flatMap((item, i) => leaves(item, `${path}[${i}]`));
  }
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    // Every request has an activity, but the presence of another root may be what matters.
    if (entries.length === 0) return path === "" || path === "activity" ? [] : [[path, "{}"]];
    return entries.flatMap(([name, inner]) => leaves(inner, stepTo(path, name)));
  }
  return [[path, typeof value === "string" ? `'${value}'` : String(value)]];
}

function stepTo(path: string, name: string) {
  if (path === "") return name;
  return /^[A-Za-z_]\w*$/.test(name) ? `${path}.${name}` : `${path}['${name}']`;
}

/** The value of `{"$int": "1"}` and its like. */
function markedValue(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const [[key, text] = [], ...others] = Object.entries(value);
  if (others.length > 0 || typeof text !== "string") return undefined;
  if (key === "$int" || key === "$uint") return text;
  return key === "$ci" ? `'${text}'` : undefined;
}

function reasonText(reason: Reason, sides: Sides, paint: Paint): string[] {
  const { policyId, set, clause, message } = reason;
  const { file, policies } = sides[set];
  const policy = policies.find((one) => one.policyId === policyId);
  const carets = pointAt(policy?.[clause] ?? "", [reason]).map((row) => {
    return /^[ ^]+$/.test(row) ? paint("yellow", row) : row;
  });
  return [
    `${paint("bold", oneLine(policy ? titleOf(policy) : policyId))}, ${clause} ${paint("dim", `${file} ${policy?.path ?? ""}`)}`,
    ...indent([...wrap(plain(message)), ...indent(carets)]),
  ];
}
