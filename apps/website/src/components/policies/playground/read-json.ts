import { MAX_INT } from "@keyhearth/policy/limits";
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** What is wrong with a text that a reader wrote, without words. */
export type ReadFault =
  | { kind: "syntax"; code: string; line: number; column: number }
  | { kind: "must"; path: string; expected: Expected }
  | { kind: "missing" | "unknown" | "twice"; path: string; name: string }
  | { kind: "large"; most: number }
  /** What the language says of a value. */
  | { kind: "language"; message: string };

export type Expected =
  | "object"
  | "list"
  | "text"
  | "effect"
  | "positive"
  | "boolean"
  | "user"
  | "credential"
  | "instant";

export class FaultyText extends Error {
  readonly fault: ReadFault;

  constructor(fault: ReadFault) {
    super(fault.kind);
    this.fault = fault;
  }
}

/** A value and where it stands, such as `users[0].tags`. */
export type Json = { value: unknown; path: string };

/** A whole text. Integers that JavaScript would round have the form that the policy language reads. */
export function parseJson(text: string): Json {
  if (text.length > MOST) throw new FaultyText({ kind: "large", most: MOST });
  const problems: ParseError[] = [];
  const node = parseTree(text, problems, { disallowComments: true });
  const [problem] = problems;
  if (!node || problem) {
    const before = text.slice(0, problem?.offset ?? 0).split("\n");
    const code = problem ? printParseErrorCode(problem.error) : "ValueExpected";
    const column = (before.at(-1) ?? "").length + 1;
    throw new FaultyText({ kind: "syntax", code, line: before.length, column });
  }
  return { value: plainValue(node, text, ""), path: "" };
}

/** Far more than the largest set of policies of an organization. */
const MOST = 1_000_000;

function plainValue(node: Node, text: string, path: string): unknown {
  const { type, children = [], offset, length } = node;
  switch (type) {
    case "object": {
      const object: Record<string, unknown> = Object.create(null);
      for (const { children: [name, member] = [] } of children) {
        const key = String(name?.value);
        if (Object.hasOwn(object, key)) throw new FaultyText({ kind: "twice", path, name: key });
        if (member) object[key] = plainValue(member, text, `${path}.${key}`);
      }
      return object;
    }
    case "array":
      return children.map((item, i) => plainValue(item, text, `${path}[${i}]`));
    case "number": {
      const digits = text.slice(offset, offset + length);
      if (Number.isSafeInteger(node.value) || !/^-?\d+$/.test(digits)) return node.value;
      return BigInt(digits) > MAX_INT ? { $uint: digits } : { $int: digits };
    }
    default:
      return node.value;
  }
}

export function mustBe({ path }: Json, expected: Expected): FaultyText {
  return new FaultyText({ kind: "must", path, expected });
}

/** The members of an object. Throws if one is missing or unknown. */
export function members<Required extends string, Optional extends string>(
  json: Json,
  required: readonly Required[],
  optional: readonly Optional[],
): Record<Required, Json> & Partial<Record<Optional, Json>> {
  const found = membersOf(json);
  const known: string[] = [...required, ...optional];
  const { path } = json;
  const unknown = Object.keys(found).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new FaultyText({ kind: "unknown", path, name: unknown });
  const missing = required.find((name) => !Object.hasOwn(found, name));
  if (missing !== undefined) throw new FaultyText({ kind: "missing", path, name: missing });
  // All of `required` are present, and nothing outside the two lists.
  return found as Record<Required, Json> & Partial<Record<Optional, Json>>;
}

export function membersOf(json: Json): Record<string, Json> {
  const { value, path } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw mustBe(json, "object");
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      return [name, { value: member, path: path === "" ? name : `${path}.${name}` }];
    }),
  );
}

export function items(json: Json): Json[] {
  const { value, path } = json;
  if (!Array.isArray(value)) throw mustBe(json, "list");
  return value.map((item, i) => ({ value: item, path: `${path}[${i}]` }));
}

export function text(json: Json): string {
  if (typeof json.value !== "string") throw mustBe(json, "text");
  return json.value;
}

/** What `read` returns, or what is wrong. */
export function attempt<T>(read: () => T): { value: T } | { fault: ReadFault } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof FaultyText) return { fault: error.fault };
    throw error;
  }
}
