import { CLAUSES, type Clause } from "@keyhearth/policy/ast";
import type { Credential, User } from "@keyhearth/policy/consensus";
import type { Decision, DecisionInput, PolicyOutcome } from "@keyhearth/policy/decide";
import { type Environment, inputFromJson, makeEnvironment } from "@keyhearth/policy/environment";
import { parseTimestamp } from "@keyhearth/policy/time";
import {
  boolean,
  items,
  type Json,
  members,
  membersOf,
  mustBe,
  oneOf,
  plainValue,
  positive,
  quoteAll,
  readJson,
  text,
  wrong,
} from "./json.ts";
import { decodePolicies, type Policy } from "./policies.ts";

/** An expression, its context, and the value or error that it must have. */
export type ExpressionCase = Description & {
  readonly clause: Clause;
  readonly expression: string;
  readonly environment: Environment;
  readonly expected: ExpressionResult;
};

export type ExpressionResult = boolean | "error(parse)" | "error(type)" | "error(runtime)";

/** A request in an organization, and the decision that it must get. */
export type DecisionCase = Description & {
  readonly policies: readonly Policy[];
  readonly request: Request;
  readonly expected: {
    readonly outcome: Decision["outcome"];
    readonly policyOutcomes: Readonly<Record<string, PolicyOutcome>>;
  };
};

/** Everything that a decision depends on, except the policies. */
export type Request = Omit<DecisionInput, "policies">;

export type Case =
  | ({ readonly kind: "expression" } & ExpressionCase)
  | ({ readonly kind: "decision" } & DecisionCase);

type Description = {
  readonly name: string;
  /** Its place in the file, such as `cases[3]`. */
  readonly path: string;
  readonly note?: string;
  readonly isAmbiguous: boolean;
};

/** The cases of a file. Throws an InputError if the file does not have the format. */
export async function readCases(file: string): Promise<Case[]> {
  const json = await readJson(file);
  const found = members(json, "an object with `cases` and `decision_cases`", [], FILE_MEMBERS);
  const { cases, decision_cases, format_version } = found;
  if (format_version && format_version.node.value !== 1) throw mustBe(format_version, "1");
  if (!cases && !decision_cases) throw wrong(json, "has neither `cases` nor `decision_cases`");
  const all: Case[] = [
    ...(cases ? items(cases, "a list of cases").map(decodeExpressionCase) : []),
    ...(decision_cases ? items(decision_cases, "a list of cases").map(decodeDecisionCase) : []),
  ];
  if (all.length === 0) throw wrong(json, "has no case");
  return all;
}

/** Reads a single request: a decision case without name, policies and expectation. */
export async function readRequest(file: string): Promise<Request> {
  return decodeRequest(members(await readJson(file), "a request", REQUEST, REQUEST_OPTIONAL));
}

/** Facts about an organization, for lints and comparisons. */
export type Organization = {
  readonly users?: readonly User[];
  readonly rootQuorum?: Request["rootQuorum"];
} & { readonly [list in (typeof ID_LISTS)[number]]?: readonly string[] };

export async function readOrganization(file: string): Promise<Organization> {
  const known = ["users", "rootQuorum", ...ID_LISTS] as const;
  const found = members(await readJson(file), "an organization", [], known);
  const users = found.users && items(found.users, "a list of users").map(decodeUser);
  const rootQuorum = found.rootQuorum && decodeRootQuorum(found.rootQuorum, users ?? []);
  const lists = ID_LISTS.flatMap((name) => {
    const list = found[name];
    return list ? [[name, items(list, "a list of ids").map((id) => text(id))] as const] : [];
  });
  return {
    ...(users && { users }),
    ...(rootQuorum && { rootQuorum }),
    ...Object.fromEntries(lists),
  };
}

const ID_LISTS = ["userTagIds", "privateKeyTagIds", "walletIds", "privateKeyIds"] as const;

const FILE_MEMBERS = [
  "cases",
  "decision_cases",
  "format_version",
  "title",
  "conventions",
  "decision_conventions",
] as const;

const DESCRIPTION = ["basis", "since", "note", "ambiguous"] as const;
const REQUEST = ["users", "rootQuorum", "approvedBy", "context"] as const;
const REQUEST_OPTIONAL = ["now", "ownCredentialChange"] as const;

const RESULTS = ["error(parse)", "error(type)", "error(runtime)"] as const;

const OUTCOMES: readonly Decision["outcome"][] = [
  "OUTCOME_ALLOW",
  "OUTCOME_DENY_EXPLICIT",
  "OUTCOME_DENY_IMPLICIT",
  "OUTCOME_REQUIRES_CONSENSUS",
];

const POLICY_OUTCOMES: readonly PolicyOutcome[] = [
  ...OUTCOMES,
  "OUTCOME_ERROR",
  "OUTCOME_TIME_INACTIVE",
];

function decodeExpressionCase(unnamed: Json): Case {
  const json = named(unnamed);
  const required = ["name", "kind", "expression", "context", "expected"] as const;
  const found = members(json, "a case", required, DESCRIPTION);
  return {
    kind: "expression",
    ...describe(found, json),
    clause: oneOf(found.kind, CLAUSES),
    expression: text(found.expression),
    environment: decodeContext(found.context),
    expected: decodeResult(found.expected),
  };
}

function decodeDecisionCase(unnamed: Json): Case {
  const json = named(unnamed);
  const required = ["name", "policies", "expected", ...REQUEST] as const;
  const found = members(json, "a case", required, [...REQUEST_OPTIONAL, ...DESCRIPTION]);
  const policies = decodePolicies(found.policies);
  return {
    kind: "decision",
    ...describe(found, json),
    policies,
    request: decodeRequest(found),
    expected: decodeExpected(found.expected, policies),
  };
}

/** Errors about members name the case. */
function named(json: Json): Json {
  if (json.node.type !== "object") return json;
  const name = membersOf(json, "a case").get("name");
  return name?.node.type === "string" ? { ...json, of: name.node.value } : json;
}

function describe(
  found: { name: Json; note?: Json; ambiguous?: Json },
  { path }: Json,
): Description {
  return {
    name: text(found.name),
    path,
    ...(found.note && { note: text(found.note) }),
    isAmbiguous: found.ambiguous ? boolean(found.ambiguous) : false,
  };
}

function decodeResult(json: Json): ExpressionResult {
  if (json.node.type === "boolean") return json.node.value;
  const word = RESULTS.find((candidate) => candidate === json.node.value);
  if (!word) throw mustBe(json, `true, false or one of ${quoteAll(RESULTS)}`);
  return word;
}

function decodeExpected(json: Json, policies: readonly Policy[]): DecisionCase["expected"] {
  const found = members(json, "an object", ["outcome", "policyOutcomes"], []);
  const outcomes: Record<string, PolicyOutcome> = Object.create(null);
  for (const [policyId, outcome] of membersOf(found.policyOutcomes, "an object")) {
    if (!policies.some((policy) => policy.policyId === policyId)) {
      throw wrong(outcome, "is not a policy of this case");
    }
    outcomes[policyId] = oneOf(outcome, POLICY_OUTCOMES);
  }
  return { outcome: oneOf(found.outcome, OUTCOMES), policyOutcomes: outcomes };
}

type RequestMembers = Record<(typeof REQUEST)[number], Json> &
  Partial<Record<(typeof REQUEST_OPTIONAL)[number], Json>>;

function decodeRequest(found: RequestMembers): Request {
  const users = items(found.users, "a list of users").map(decodeUser);
  return {
    users,
    environment: decodeContext(found.context),
    approvals: items(found.approvedBy, "a list of user ids").map((json) => {
      return decodeApproval(json, users);
    }),
    rootQuorum: decodeRootQuorum(found.rootQuorum, users),
    ...(found.now && { now: instant(found.now) }),
    ...(found.ownCredentialChange && { isOwnCredentialChange: boolean(found.ownCredentialChange) }),
  };
}

function decodeRootQuorum(json: Json, users: readonly User[]) {
  const quorum = members(json, "a root quorum", ["threshold", "userIds"], []);
  return {
    threshold: positive(quorum.threshold),
    userIds: items(quorum.userIds, "a list of user ids").map((id) => userOf(id, users).id),
  };
}

function decodeApproval(json: Json, users: readonly User[]) {
  if (json.node.type !== "object") return { userId: userOf(json, users).id };
  const found = members(json, "an approval", ["userId"], ["credentialId"]);
  const { id: userId, credentials = [] } = userOf(found.userId, users);
  if (!found.credentialId) return { userId };
  const credentialId = text(found.credentialId);
  const credential = credentials.find(({ id }) => id === credentialId);
  if (!credential) throw mustBe(found.credentialId, "the id of a credential of this user");
  return { userId, credential };
}

function userOf(json: Json, users: readonly User[]): User {
  const id = text(json, "the id of a user");
  const user = users.find((one) => one.id === id);
  if (!user) throw mustBe(json, "the id of one of `users`");
  return user;
}

function decodeUser(json: Json): User {
  const found = members(json, "a user", ["id"], ["tags", "email", "alias", "credentials"]);
  const id = text(found.id);
  return {
    id,
    tags: found.tags ? items(found.tags, "a list of tag ids").map((tag) => text(tag)) : [],
    email: found.email ? text(found.email) : "",
    alias: found.alias ? text(found.alias) : "",
    ...(found.credentials && {
      credentials: items(found.credentials, "a list of credentials").map((one) => {
        return decodeCredential(one, id);
      }),
    }),
  };
}

function decodeCredential(json: Json, userId: string): Credential {
  const found = members(json, "a credential", ["id", "type"], ["public_key", "credential_id"]);
  return {
    id: text(found.id),
    user_id: userId,
    type: text(found.type),
    public_key: found.public_key ? text(found.public_key) : "",
    credential_id: found.credential_id ? text(found.credential_id) : "",
  };
}

function instant(json: Json): string {
  const written = text(json, "a date and time in UTC");
  const parsed = parseTimestamp(written);
  if (typeof parsed !== "bigint") throw mustBe(json, parsed.expected);
  return written;
}

function decodeContext(json: Json): Environment {
  const roots = [...membersOf(json, "an object of roots")];
  try {
    return makeEnvironment(
      Object.fromEntries(roots.map(([name, root]) => [name, inputFromJson(plainValue(root))])),
    );
  } catch (cause) {
    // The language throws a TypeError if a value does not have the type of its field.
    if (!(cause instanceof TypeError)) throw cause;
    throw wrong(json, `does not describe a request: ${cause.message}`, cause);
  }
}
