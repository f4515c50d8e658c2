import { nearest, quote } from "./errors.ts";
import { MAX_LENGTH, MAX_UINT, MIN_INT } from "./limits.ts";
import { ROOTS } from "./schema.ts";
import { nameOf, type Type } from "./types.ts";

/** One test of a policy that predates the expression language. */
export type Selector = {
  readonly subject: string;
  readonly operator: string;
  /**
   * CREATE_POLICY_V2 has several; the list has a single item for the one target of CREATE_POLICY.
   */
  readonly targets: readonly string[];
};

export type SelectedClauses = { readonly condition?: string; readonly consensus?: string };

type SelectorField = "selectors" | keyof Selector;

/** A selector that has no translation. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  /** Position in the list, from 0; absent where the list as a whole is wrong. */
  readonly index: number | undefined;
  readonly field: SelectorField;
  /** What would have been accepted. */
  readonly expected: string;

  constructor(index: number | undefined, field: SelectorField, message: string, expected: string) {
    const place = index === undefined ? field : `selectors[${index}].${field}`;
    super(`${place}: ${message}; accepted: ${expected}`);
    this.index = index;
    this.field = field;
    this.expected = expected;
  }
}

const MAX_SELECTORS = 100;
const MAX_TARGETS = 100;

/**
 * Translates the selectors of CREATE_POLICY and CREATE_POLICY_V2 into clauses. All selectors must
 * hold. Those about the user become the consensus, the others the condition. A clause without
 * selectors is absent. Throws a SelectorError for the first selector that has no translation.
 */
export function translateSelectors(selectors: readonly Selector[]): SelectedClauses {
  // No clause at all would match every request.
  if (selectors.length === 0 || selectors.length > MAX_SELECTORS) {
    const given = `${selectors.length} selectors`;
    throw new SelectorError(undefined, "selectors", given, `1 to ${MAX_SELECTORS} selectors`);
  }
  const ofRequest: string[] = [];
  const ofUser: string[] = [];
  selectors.forEach((selector, index) => {
    const subject = findSubject(selector.subject, index);
    const test = translate(subject, selector, index);
    (subject.isOfUser ? ofUser : ofRequest).push(test);
  });
  const clauses = {
    ...(ofRequest.length > 0 && { condition: ofRequest.join(" && ") }),
    // One `any` around all, since every selector was about the one user who asked. With an `any`
    // for each, two approvers who each match half would be enough.
    ...(ofUser.length > 0 && { consensus: `approvers.any(u, ${ofUser.join(" && ")})` }),
  };
  for (const [clause, { length }] of Object.entries(clauses)) {
    if (length <= MAX_LENGTH) continue;
    const message = `the ${clause} they make has ${length} characters`;
    throw new SelectorError(undefined, "selectors", message, `at most ${MAX_LENGTH} characters`);
  }
  return clauses;
}

type Subject = { readonly path: string; readonly type: Type; readonly isOfUser: boolean };

function findSubject(name: string, index: number): Subject {
  const subject = SUBJECTS.get(name);
  if (subject) return subject;
  const close = nearest(name, SUBJECTS.keys());
  const hint = close === undefined ? "" : `; did you mean \`${close}\`?`;
  throw new SelectorError(
    index,
    "subject",
    `there is no subject ${quote(name)}${hint}`,
    "a field of a user such as `user.id` and `user.tags`, or of a request such as " +
      "`activity.type`, `activity.private_key.id` and `wallet.id`",
  );
}

function translate({ path, type }: Subject, selector: Selector, index: number): string {
  const operator = findOperator(selector.operator, type, index);
  const { targets } = selector;
  const most = operator.isPlural ? MAX_TARGETS : 1;
  if (targets.length < 1 || targets.length > most) {
    const accepted = most === 1 ? "exactly 1 target" : `1 to ${most} targets`;
    const message = `${quote(selector.operator)} has ${targets.length} targets`;
    throw new SelectorError(index, "targets", message, accepted);
  }
  const target = type.kind === "list" ? type.element : type;
  const literals = targets.map((text) => literal(text, target, index));
  return operator.write(path, literals.join(", "));
}

type Takes = "value" | "number" | "list";

type SelectorOperator = {
  readonly takes: Takes;
  readonly isPlural?: boolean;
  readonly write: (subject: string, targets: string) => string;
};

const OPERATORS: ReadonlyMap<string, SelectorOperator> = new Map<string, SelectorOperator>([
  ["OPERATOR_EQUAL", { takes: "value", write: (s, t) => `${s} == ${t}` }],
  ["OPERATOR_NOT_EQUAL", { takes: "value", write: (s, t) => `${s} != ${t}` }],
  ["OPERATOR_MORE_THAN", { takes: "number", write: (s, t) => `${s} > ${t}` }],
  ["OPERATOR_MORE_THAN_OR_EQUAL", { takes: "number", write: (s, t) => `${s} >= ${t}` }],
  ["OPERATOR_LESS_THAN", { takes: "number", write: (s, t) => `${s} < ${t}` }],
  ["OPERATOR_LESS_THAN_OR_EQUAL", { takes: "number", write: (s, t) => `${s} <= ${t}` }],
  ["OPERATOR_IN", { takes: "value", isPlural: true, write: (s, t) => `${s} in [${t}]` }],
  ["OPERATOR_NOT_IN", { takes: "value", isPlural: true, write: (s, t) => `!(${s} in [${t}])` }],
  ["OPERATOR_CONTAINS", { takes: "list", write: (s, t) => `${s}.contains(${t})` }],
  [
    "OPERATOR_CONTAINS_ONE",
    { takes: "list", isPlural: true, write: (s, t) => `[${t}].any(x, ${s}.contains(x))` },
  ],
  [
    "OPERATOR_CONTAINS_ALL",
    { takes: "list", isPlural: true, write: (s, t) => `[${t}].all(x, ${s}.contains(x))` },
  ],
]);

function findOperator(name: string, type: Type, index: number): SelectorOperator {
  const accepted = [...OPERATORS].flatMap(([each, { takes }]) => (fits(takes, type) ? each : []));
  const operator = OPERATORS.get(name);
  if (operator && fits(operator.takes, type)) return operator;
  const close = operator ? undefined : nearest(name, accepted);
  const message = operator
    ? `${quote(name)} does not fit a subject of type ${nameOf(type)}`
    : `there is no operator ${quote(name)}${close ? `; did you mean \`${close}\`?` : ""}`;
  const list = accepted.map((each) => `\`${each}\``).join(", ");
  throw new SelectorError(index, "operator", message, list);
}

function fits(takes: Takes, { kind }: Type) {
  if (takes === "list") return kind === "list";
  if (takes === "number") return kind === "int" || kind === "uint";
  return kind !== "list";
}

function literal(text: string, { kind }: Type, index: number): string {
  const refuse = (problem: string, accepted: string) =>
    new SelectorError(index, "targets", `${quote(text)} ${problem}`, accepted);
  if (kind === "int" || kind === "uint") {
    // No number of the language has more digits; a longer text is not worth converting.
    const value = /^-?[0-9]{1,80}$/.test(text) ? BigInt(text) : undefined;
    if (value === undefined || value < MIN_INT || value > MAX_UINT) {
      throw refuse("is not a valid number", "decimal digits, from -2^127 to 2^256 - 1");
    }
    return String(value);
  }
  if (kind === "bool") {
    if (text !== "true" && text !== "false") throw refuse("is not a boolean", "`true` or `false`");
    return text;
  }
  // The language has no escapes: text with an apostrophe could end the literal and go on as code.
  if (text.includes("'")) throw refuse("has an apostrophe", "text without apostrophes");
  return `'${text}'`;
}

/** Fields by their names in selectors: all fields that can be compared without an index. */
const SUBJECTS: ReadonlyMap<string, Subject> = new Map(listSubjects());

function* listSubjects(): Generator<[string, Subject]> {
  for (const [root, type] of Object.entries(ROOTS.condition)) {
    for (const [path, field] of fieldsOf(root, type)) {
      yield [path, { path, type: field, isOfUser: false }];
      // Selectors reach what a request is about through its activity.
      if (root !== "activity") yield [`activity.${path}`, { path, type: field, isOfUser: false }];
    }
  }
  const { approvers } = ROOTS.consensus;
  if (approvers?.kind !== "list") return;
  for (const [path, field] of fieldsOf("u", approvers.element)) {
    yield [path.replace(/^u\./, "user."), { path, type: field, isOfUser: true }];
  }
}

function* fieldsOf(path: string, type: Type): Generator<[string, Type]> {
  if (isScalar(type) || (type.kind === "list" && isScalar(type.element))) yield [path, type];
  if (type.kind !== "struct") return;
  for (const [name, field] of Object.entries(type.fields))
    yield* fieldsOf(`${path}.${name}`, field);
}

function isScalar({ kind }: Type) {
  return kind === "string" || kind === "int" || kind === "uint" || kind === "bool";
}
