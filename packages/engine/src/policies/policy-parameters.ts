import type { Clause } from "@keyhearth/policy/ast";
import { describe, PolicyError } from "@keyhearth/policy/errors";
import { compile } from "@keyhearth/policy/evaluate";
import { SelectorError, translateSelectors } from "@keyhearth/policy/selectors";
import * as z from "zod";
import {
  ApiError,
  checkAll,
  combine,
  type ErrorDetail,
  invalid,
  notFound,
  shorten,
  visible,
} from "../errors.ts";
import { Effect, label, list, notes, oneLine, PolicyId } from "../fields/schemas.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import type { OrganizationDocument, Policy } from "../records/organization.ts";

/** What the activities that create and change policies share. */

export const PolicyName = label(
  "Name of the policy, unique among the policies of the organization.",
);

export const Notes = notes(4096, "Notes for people, at most 4,096 characters.");

const conditionText =
  "Expression over the request: what the policy is about. If it is left out, the policy is about every request.";
const consensusText =
  "Expression over the approvals so far: who must agree. If it is left out, no further approval is needed.";
const timeText =
  "Expression over the signer's clock: when the policy applies. If it is left out or empty, the policy always applies.";

const condition = z
  .string()
  .describe(conditionText)
  .meta({ examples: ["activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'wallet id'"] });
const consensus = z
  .string()
  .describe(consensusText)
  .meta({ examples: ["approvers.any(user, user.id == 'user id')"] });
const time = z
  .string()
  .describe(timeText)
  .meta({ examples: ["CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')"] });

export const CreatePolicyIntentV3 = z
  .strictObject({
    policyName: PolicyName,
    effect: Effect,
    condition: condition.optional(),
    consensus: consensus.optional(),
    notes: Notes.default(""),
    time: time.optional(),
  })
  .describe("A policy to create.")
  .meta({ id: "CreatePolicyIntentV3" });
export type CreatePolicyIntentV3 = z.output<typeof CreatePolicyIntentV3>;

const Operator = z
  .enum(
    [
      "OPERATOR_EQUAL",
      "OPERATOR_MORE_THAN",
      "OPERATOR_MORE_THAN_OR_EQUAL",
      "OPERATOR_LESS_THAN",
      "OPERATOR_LESS_THAN_OR_EQUAL",
      "OPERATOR_CONTAINS",
      "OPERATOR_NOT_EQUAL",
      "OPERATOR_IN",
      "OPERATOR_NOT_IN",
      "OPERATOR_CONTAINS_ONE",
      "OPERATOR_CONTAINS_ALL",
    ],
    "invalid operator",
  )
  .describe("How a selector compares its subject.")
  .meta({ id: "Operator" });

// The schema does not require these fields, but a selector without one of them is refused.
const subject = z
  .string()
  .describe("What is compared, such as `user.id`, `activity.type` or `wallet.id`.")
  .meta({ examples: ["user.id"] })
  .optional();
const operator = Operator.optional();
const target = oneLine.min(1, "must not be empty").describe("What the subject is compared with.");

const Selector = z
  .strictObject({
    subject,
    operator,
    target: target.optional(),
  })
  .describe("One test of a policy in the oldest format. All selectors of a policy must hold.")
  .meta({ id: "Selector" });

const SelectorV2 = z
  .strictObject({
    subject,
    operator,
    targets: z
      .array(target)
      .max(100, "must have at most 100 entries")
      .describe("What the subject is compared with.")
      .optional(),
  })
  .describe("One test of a policy in the second format. All selectors of a policy must hold.")
  .meta({ id: "SelectorV2" });

function selectorPolicy<T extends z.ZodObject>(selector: T) {
  return z.strictObject({
    policyName: PolicyName,
    selectors: list(
      selector,
      "Tests that must all hold. They are stored as expressions: tests of the user as the consensus, the others as the condition.",
    ),
    effect: Effect,
    notes: Notes.default(""),
  });
}

export const CreatePolicyIntent = selectorPolicy(Selector);
export const CreatePolicyIntentV2 = selectorPolicy(SelectorV2);

export function upgradeSelectors({
  selectors,
  ...policy
}: z.output<typeof CreatePolicyIntent>): CreatePolicyIntentV3 {
  const withTargets = selectors.map(({ target, ...selector }) => ({
    ...selector,
    targets: target === undefined ? undefined : [target],
  }));
  return { ...policy, ...clausesOf(withTargets, "target") };
}

export function upgradeSelectorsV2({
  selectors,
  ...policy
}: z.output<typeof CreatePolicyIntentV2>): CreatePolicyIntentV3 {
  return { ...policy, ...clausesOf(selectors, "targets") };
}

type GivenSelector = {
  subject?: string | undefined;
  operator?: string | undefined;
  targets?: string[] | undefined;
};

function clausesOf(selectors: GivenSelector[], targetField: "target" | "targets") {
  const missing = selectors.flatMap(({ subject, operator, targets }, index) =>
    Object.entries({ subject, operator, [targetField]: targets }).flatMap(([name, given]) =>
      given === undefined ? missingField(`parameters.selectors[${index}].${name}`) : [],
    ),
  );
  if (missing.length > 0) throw combine(missing);
  const complete = selectors.map(({ subject = "", operator = "", targets = [] }) => ({
    subject,
    operator,
    targets,
  }));
  try {
    return translateSelectors(complete);
  } catch (cause) {
    if (!(cause instanceof SelectorError)) throw cause;
    const { index, field, message } = cause;
    const name = field === "targets" ? targetField : field;
    const place = index === undefined ? "" : `[${index}].${name}`;
    throw new ApiError(
      "INVALID_ARGUMENT",
      "POLICY_INVALID",
      // The oldest format has a single target, with that name.
      `invalid policy: ${message.replace(/^(selectors\[\d+\])\.targets:/, `$1.${targetField}:`)}`,
      { field: `parameters.selectors${place}`, cause },
    );
  }
}

function missingField(field: string) {
  return invalid(field, `invalid request body: missing field \`${field}\``);
}

/** The clauses that an update gives. An empty one is removed. */
export const updatedClauses = {
  policyCondition: condition
    .describe(`${conditionText} An empty string removes the condition.`)
    .optional(),
  policyConsensus: consensus
    .describe(`${consensusText} An empty string removes the consensus.`)
    .optional(),
};
export const updatedTime = time.optional();

export const policyResult = z.strictObject({ policyId: PolicyId });

export function findPolicy(
  { policies }: OrganizationDocument,
  policyId: string,
  field = "parameters.policyId",
): Policy {
  const policy = policies.find((each) => each.policyId === policyId);
  if (!policy) throw notFound(field, "policy", policyId);
  return policy;
}

/** `taken` holds the names in use, and this one is added. `at` is the path of the policy. */
export function checkNewPolicy(policy: CreatePolicyIntentV3, at: string, taken: Set<string>) {
  const { condition, consensus, time } = policy;
  checkAll(
    () => checkPolicyName(policy.policyName, `${at}.policyName`, taken),
    () => checkNewClause("condition", condition, `${at}.condition`),
    () => checkNewClause("consensus", consensus, `${at}.consensus`),
    // By its documentation, an empty time means always.
    () => time && checkClause("time", time, `${at}.time`),
  );
}

function checkNewClause(
  clause: "condition" | "consensus",
  source: string | undefined,
  field: string,
) {
  if (source === "") throw emptyClause(clause, field);
  if (source !== undefined) checkClause(clause, source, field);
}

export function checkPolicyName(policyName: string, field: string, taken: Set<string>) {
  if (taken.has(policyName)) {
    throw invalid(
      field,
      `policy label must be unique: there is another policy named \`${shorten(policyName)}\``,
      "NAME_TAKEN",
    );
  }
  taken.add(policyName);
}

export function policyNames({ policies }: OrganizationDocument): Set<string> {
  return new Set(policies.map(({ policyName }) => policyName));
}

export function checkPolicyLimit({ policies }: OrganizationDocument, added: number, field: string) {
  checkLimit(policies.length + added, LIMITS.policies, { noun: "policies", field });
}

/** Refuses a clause that does not parse or has wrong types, and names the place. */
export function checkClause(clause: Clause, source: string, field: string) {
  try {
    compile(clause, source);
  } catch (cause) {
    if (!(cause instanceof PolicyError)) throw cause;
    // Clients of this API look for the bare name of a field that does not exist.
    const text = visible(describe(cause)).replace(/^(field does not exist: )`([^`\n]*)`/, "$1$2");
    throw new ApiError(
      "INVALID_ARGUMENT",
      "POLICY_INVALID",
      `invalid policy ${clause}: Expression cannot be evaluated: ${text}`,
      { field, details: [errorDetail(clause, source, cause)], cause },
    );
  }
}

/** Creates the policy of an intent. Its clauses have been checked. */
export function newPolicy(
  { policyName, effect, condition, consensus, time, notes }: CreatePolicyIntentV3,
  { policyId, nowMs }: { policyId: string; nowMs: number },
): Policy {
  return {
    policyId,
    policyName,
    effect,
    condition: condition ?? null,
    consensus: consensus ?? null,
    time: time || null,
    notes,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

function emptyClause(clause: "condition" | "consensus", field: string) {
  const meaning =
    clause === "condition" ? "is about every request" : "needs no approval except the submitter's";
  return invalid(
    field,
    `invalid policy ${clause}: \`${field}\` is empty; leave the field out for a policy that ${meaning}`,
    "POLICY_INVALID",
  );
}

/** For editors, which mark the place. Offsets count UTF-16 code units from 0. */
function errorDetail(
  clause: Clause,
  source: string,
  { code, line, column, start, end, excerpt, expected, suggestion }: PolicyError,
): ErrorDetail {
  const found = shorten(source.slice(start, end));
  return {
    "@type": "keyhearth.dev/PolicyError",
    code,
    clause,
    line,
    column,
    start,
    end,
    ...(expected === undefined ? {} : { expected }),
    ...(found === "" ? {} : { found }),
    ...(suggestion === undefined ? {} : { suggestion }),
    excerpt,
  };
}
