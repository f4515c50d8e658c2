import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import type { User } from "@keyhearth/policy/consensus";
import type { PolicyOutcome } from "@keyhearth/policy/decide";
import { inputFromJson, makeEnvironment } from "@keyhearth/policy/environment";
import { PolicyError } from "@keyhearth/policy/errors";
import { compile, evaluate } from "@keyhearth/policy/evaluate";
import { parseTimestamp } from "@keyhearth/policy/time";
import { type Decided, decideOn, type Situation } from "./decide.ts";
import type { NamedText } from "./draft.ts";

// The files of `keyhearth policy test`: read, run and written in the browser.

export type Case =
  | {
      kind: "expression";
      name: string;
      clause: Clause;
      expression: string;
      context: Readonly<Record<string, unknown>>;
      expected: boolean | ExpressionError;
    }
  | {
      kind: "decision";
      name: string;
      policies: readonly NamedText[];
      situation: Situation;
      expected: {
        outcome: Decided["outcome"];
        policyOutcomes: Readonly<Record<string, PolicyOutcome>>;
      };
    };

type ExpressionError = "error(parse)" | "error(type)" | "error(runtime)";

export type Ran = {
  name: string;
  hasPassed: boolean;
  expected: string;
  got: string;
  /** What else differs, or why there is no answer. */
  detail?: string;
};

/** Why a file is none of cases: what was found where, and what is accepted there. */
export class CaseError extends Error {
  override readonly name = "CaseError";
}

const MOST_TEXT = 1_000_000;

/** The cases of a file. Throws a `CaseError` if the file does not have the format. */
export function readCases(text: string): Case[] {
  if (text.length > MOST_TEXT) {
    throw new CaseError("The file is larger than a megabyte: split it into several.");
  }
  const file = at(parse(text), "");
  const found = members(file, [], FILE);
  if (found.format_version && found.format_version.value !== 1) {
    throw mustBe(found.format_version, "1");
  }
  const all = [
    ...(found.cases ? list(found.cases).map(expressionCase) : []),
    ...(found.decision_cases ? list(found.decision_cases).map(decisionCase) : []),
  ];
  if (all.length === 0) {
    throw new CaseError("The file has no case: it needs some in `cases` or in `decision_cases`.");
  }
  return all;
}

/** What a case gives. Policies with the id of one in `edited` are decided as they are edited. */
export function runCase(one: Case, edited: readonly NamedText[] = []): Ran {
  return one.kind === "expression" ? runExpression(one) : runDecision(one, edited);
}

function runExpression({
  name,
  clause,
  expression,
  context,
  expected,
}: Case & { kind: "expression" }): Ran {
  const got = resultOf(clause, expression, context);
  return {
    name,
    hasPassed: got.value === expected,
    expected: String(expected),
    got: String(got.value),
    ...(got.detail !== undefined && { detail: got.detail }),
  };
}

function resultOf(
  clause: Clause,
  expression: string,
  context: Readonly<Record<string, unknown>>,
): { value: boolean | ExpressionError; detail?: string } {
  // An empty time means always, as in a policy.
  if (clause === "time" && expression === "") return { value: true };
  try {
    const value = evaluate(compile(clause, expression), environmentOf(context));
    if (typeof value === "boolean") return { value };
    return { value: "error(runtime)", detail: value.reason };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    const kind = error.code === "POLICY_PARSE" ? "error(parse)" : "error(type)";
    return { value: kind, detail: error.message };
  }
}

function environmentOf(context: Readonly<Record<string, unknown>>) {
  const roots = Object.entries(context).map(([name, root]) => [name, inputFromJson(root)] as const);
  return makeEnvironment(Object.fromEntries(roots));
}

function runDecision(
  { name, policies, situation, expected }: Case & { kind: "decision" },
  edited: readonly NamedText[],
): Ran {
  const decided = policies.map(
    (policy) => edited.find(({ policyId }) => policyId === policy.policyId) ?? policy,
  );
  const base = { name, expected: expected.outcome };
  try {
    const { outcome, outcomes } = decideOn(decided, situation);
    const got = new Map(outcomes.map((each) => [each.policyId, each.outcome]));
    const others = [...new Set([...Object.keys(expected.policyOutcomes), ...got.keys()])].flatMap(
      (id) => {
        const [wanted, is] = [expected.policyOutcomes[id], got.get(id)];
        const title = policies.find(({ policyId }) => policyId === id)?.policyName ?? id;
        return wanted === is
          ? []
          : `${title}: ${wanted ?? "nothing"} expected, ${is ?? "nothing"} got`;
      },
    );
    return {
      ...base,
      got: outcome,
      hasPassed: outcome === expected.outcome && others.length === 0,
      ...(others.length > 0 && { detail: others.join("; ") }),
    };
  } catch (error) {
    if (!(error instanceof PolicyError)) throw error;
    return { ...base, got: "no decision", hasPassed: false, detail: error.message };
  }
}

/** A decision as a case of the format. */
export function caseOf(
  name: string,
  policies: readonly NamedText[],
  { users, rootQuorum, approvedBy, now, context, ownCredentialChange }: Situation,
  { outcome, outcomes }: Decided,
): object {
  return {
    name,
    policies: policies.map(({ policyId, policyName, effect, condition, consensus, time }) => ({
      policyId,
      policyName,
      effect,
      ...(condition !== undefined && { condition }),
      ...(consensus !== undefined && { consensus }),
      ...(time !== undefined && { time }),
    })),
    users: users.map(({ id, tags, email, alias }) => ({ id, tags, email, alias })),
    rootQuorum,
    approvedBy,
    now,
    ...(ownCredentialChange && { ownCredentialChange }),
    context,
    expected: {
      outcome,
      policyOutcomes: Object.fromEntries(outcomes.map((each) => [each.policyId, each.outcome])),
    },
  };
}

/** The text of a file with one more case. Throws a `CaseError` if the text before it is no file of cases. */
export function withCase(text: string, one: object): string {
  const file: unknown = text.trim() === "" ? {} : JSON.parse(text);
  if (text.trim() !== "") readCases(text);
  const before: { decision_cases?: unknown[] } = Object(file);
  const cases = [...(before.decision_cases ?? []), one];
  return JSON.stringify({ format_version: 1, ...before, decision_cases: cases }, null, 2);
}

type Json = { value: unknown; path: string };

function at(value: unknown, path: string): Json {
  return { value, path };
}

/** Integers that JavaScript would round get the form that the language reads, where the browser shows what was written. */
function parse(text: string): unknown {
  const exact = (_: string, value: unknown, ...[context]: { source?: string }[]) => {
    if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
    const digits = context?.source ?? "";
    if (/^-?\d+$/.test(digits)) {
      return BigInt(digits) > 2n ** 63n - 1n ? { $uint: digits } : { $int: digits };
    }
    throw new CaseError(
      `The number ${digits || value} is not exact here: write whole numbers, large ones as {"$uint": "…"}.`,
    );
  };
  try {
    return JSON.parse(text, exact);
  } catch (error) {
    if (error instanceof CaseError) throw error;
    throw new CaseError(
      text.trim() === ""
        ? "The file is empty."
        : `The file is not JSON: ${error instanceof Error ? error.message : "it cannot be read"}.`,
    );
  }
}

function mustBe({ path, value }: Json, accepted: string): CaseError {
  const is = JSON.stringify(value) ?? "nothing";
  const subject = path === "" ? "The file" : `\`${path}\``;
  return new CaseError(
    `${subject} must be ${accepted}, and is ${is.length > 60 ? `${is.slice(0, 57)}…` : is}.`,
  );
}

function membersOf(json: Json): [string, Json][] {
  const { value, path } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw mustBe(json, "an object");
  }
  return Object.entries(value).map(([name, member]) => [
    name,
    at(member, path === "" ? name : `${path}.${name}`),
  ]);
}

function members<Required extends string, Optional extends string>(
  json: Json,
  required: readonly Required[],
  optional: readonly Optional[],
): Record<Required, Json> & Partial<Record<Optional, Json>> {
  const found = membersOf(json);
  const known: readonly string[] = [...required, ...optional];
  for (const [name, { path }] of found) {
    if (!known.includes(name)) {
      throw new CaseError(`\`${path}\` is unknown. Known here are ${known.join(", ")}.`);
    }
  }
  const missing = required.find((name) => !found.some(([each]) => each === name));
  if (missing !== undefined) {
    throw new CaseError(`\`${json.path === "" ? "" : `${json.path}.`}${missing}\` is missing.`);
  }
  // All of `required` are present, and nothing outside the two lists.
  return Object.fromEntries(found) as Record<Required, Json> & Partial<Record<Optional, Json>>;
}

function list(json: Json): Json[] {
  const { value, path } = json;
  if (!Array.isArray(value)) throw mustBe(json, "a list");
  return value.map((item, i) => at(item, `${path}[${i}]`));
}

function text(json: Json, accepted = "a text"): string {
  if (typeof json.value !== "string") throw mustBe(json, accepted);
  return json.value;
}

function oneOf<Word extends string>(json: Json, words: readonly Word[]): Word {
  const word = words.find((each) => each === json.value);
  if (word === undefined) throw mustBe(json, `one of ${words.join(", ")}`);
  return word;
}

const FILE = [
  ...["cases", "decision_cases", "format_version", "title", "conventions"],
  "decision_conventions",
] as const;
const DESCRIPTION = ["basis", "since", "note", "ambiguous"] as const;
const ERRORS = ["error(parse)", "error(type)", "error(runtime)"] as const;
const OUTCOMES = [
  "OUTCOME_ALLOW",
  "OUTCOME_DENY_EXPLICIT",
  "OUTCOME_DENY_IMPLICIT",
  "OUTCOME_REQUIRES_CONSENSUS",
] as const;
const POLICY_OUTCOMES = [...OUTCOMES, "OUTCOME_ERROR", "OUTCOME_TIME_INACTIVE"] as const;

function expressionCase(json: Json): Case {
  const required = ["name", "kind", "expression", "context", "expected"] as const;
  const found = members(json, required, DESCRIPTION);
  const { value } = found.expected;
  const expected = typeof value === "boolean" ? value : ERRORS.find((each) => each === value);
  if (expected === undefined)
    throw mustBe(found.expected, `true, false or one of ${ERRORS.join(", ")}`);
  return {
    kind: "expression",
    name: text(found.name),
    clause: oneOf(found.kind, CLAUSES),
    expression: text(found.expression),
    context: contextIn(found.context),
    expected,
  };
}

function decisionCase(json: Json): Case {
  const required = [
    ...(["name", "policies", "users", "rootQuorum", "approvedBy", "context"] as const),
    "expected",
  ] as const;
  const found = members(json, required, ["now", "ownCredentialChange", ...DESCRIPTION]);
  const users = list(found.users).map(userIn);
  const ids = (ofJson: Json) =>
    list(ofJson).map((each) => {
      const id = users.find((user) => user.id === each.value)?.id;
      if (id === undefined) throw mustBe(each, "the id of one of `users`");
      return id;
    });
  const quorum = members(found.rootQuorum, ["threshold", "userIds"], []);
  const { value: threshold } = quorum.threshold;
  if (typeof threshold !== "number" || !Number.isSafeInteger(threshold) || threshold < 1) {
    throw mustBe(quorum.threshold, "a whole number from 1");
  }
  const policies = list(found.policies).map(policyIn);
  const expected = members(found.expected, ["outcome", "policyOutcomes"], []);
  const own = found.ownCredentialChange;
  if (own && typeof own.value !== "boolean") throw mustBe(own, "true or false");
  return {
    kind: "decision",
    name: text(found.name),
    policies,
    situation: {
      users,
      rootQuorum: { threshold, userIds: ids(quorum.userIds) },
      approvedBy: ids(found.approvedBy),
      now: found.now ? instant(found.now) : "",
      context: contextIn(found.context),
      ...(own?.value === true && { ownCredentialChange: true }),
    },
    expected: {
      outcome: oneOf(expected.outcome, OUTCOMES),
      policyOutcomes: Object.fromEntries(
        membersOf(expected.policyOutcomes).map(([id, outcome]) => {
          if (!policies.some(({ policyId }) => policyId === id)) {
            throw new CaseError(`\`${outcome.path}\` is not a policy of this case.`);
          }
          return [id, oneOf(outcome, POLICY_OUTCOMES)];
        }),
      ),
    },
  };
}

function policyIn(json: Json): NamedText {
  const clauses = ["condition", "consensus", "time"] as const;
  const found = members(
    json,
    ["effect"],
    ["policyId", "policyName", "notes", "createdAt", "updatedAt", ...clauses],
  );
  const policyId = text(
    found.policyId ?? found.policyName ?? at(undefined, `${json.path}.policyId`),
  );
  return {
    policyId,
    policyName: found.policyName ? text(found.policyName) : policyId,
    effect: oneOf(found.effect, ["EFFECT_ALLOW", "EFFECT_DENY"]),
    ...(found.condition && { condition: text(found.condition) }),
    ...(found.consensus && { consensus: text(found.consensus) }),
    ...(found.time && { time: text(found.time) }),
  };
}

function userIn(json: Json): User {
  const found = members(json, ["id"], ["tags", "email", "alias", "credentials"]);
  return {
    id: text(found.id),
    tags: found.tags ? list(found.tags).map((tag) => text(tag)) : [],
    email: found.email ? text(found.email) : "",
    alias: found.alias ? text(found.alias) : "",
  };
}

function instant(json: Json): string {
  const written = text(json, "a date and time in UTC");
  const parsed = parseTimestamp(written);
  if (typeof parsed !== "bigint") throw mustBe(json, parsed.expected);
  return written;
}

function contextIn(json: Json): Record<string, unknown> {
  const context = Object.fromEntries(membersOf(json).map(([name, { value }]) => [name, value]));
  try {
    environmentOf(context);
  } catch (error) {
    // The language throws a TypeError if a value does not have the type of its field.
    if (!(error instanceof TypeError)) throw error;
    throw new CaseError(`\`${json.path}\` does not describe a request: ${error.message}.`);
  }
  return context;
}
