import { type OutputUnit, Validator } from "@cfworker/json-schema";
import type { RequestSchema, Requests } from "@site/plugins/api-reference/requests.ts";
import {
  findNodeAtLocation,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

/** What is wrong with a body, without words. `name` is the field, `given` what stands there. */
export type Fault =
  | { kind: "syntax"; code: string }
  | { kind: "twice" | "unknown" | "missing"; name: string }
  | { kind: "type"; expected: string }
  | { kind: "values"; accepted: readonly unknown[] }
  | { kind: "pattern"; name: string }
  | { kind: "limit"; limit: Limit; bound: number }
  | { kind: "other"; name: string };

export type Limit = "minLength" | "maxLength" | "minItems" | "maxItems" | "minimum" | "maximum";

/** A fault with its place in the text: from one character to the one before another. */
export type BodyProblem = { from: number; to: number; line: number; column: number; fault: Fault };

/** Everything that is wrong with the body of an operation, in the order of the text. */
export function problemsOf(text: string, operation: string, requests: Requests): BodyProblem[] {
  const errors: ParseError[] = [];
  // The service takes no comments, and nothing after a last comma.
  const options = { disallowComments: true, allowTrailingComma: false };
  const root = parseTree(text, errors, options);
  const broken = errors.map(({ error, offset, length }) =>
    placed(text, offset, offset + length, { kind: "syntax", code: printParseErrorCode(error) }),
  );
  if (broken.length > 0) return broken.slice(0, 1);
  if (!root) return [placed(text, 0, text.length, { kind: "syntax", code: "ValueExpected" })];
  const faults = [...namesTwice(root), ...faultsOf(root, JSON.parse(text), operation, requests)];
  return faults
    .map(({ node, fault }) => placed(text, node.offset, node.offset + node.length, fault))
    .sort((a, b) => a.from - b.from);
}

type Found = { node: Node; fault: Fault };

/** The service refuses a name that an object has twice: two readers of the JSON could see two values. */
function namesTwice(node: Node): Found[] {
  const children = node.children ?? [];
  const seen = new Set<string>();
  const here =
    node.type !== "object"
      ? []
      : children.flatMap(({ children: [key] = [] }) => {
          if (!key) return [];
          const name = String(key.value);
          const isAgain = seen.has(name);
          seen.add(name);
          return isAgain ? [{ node: key, fault: { kind: "twice", name } as const }] : [];
        });
  return [...here, ...children.flatMap(namesTwice)];
}

function faultsOf(root: Node, value: unknown, operation: string, requests: Requests): Found[] {
  const schema = schemaOf(value, operation, requests);
  if (!schema) return [];
  const { errors } = new Validator(schema, "2020-12", false).validate(value);
  const leaves = errors.filter((error) => isLeaf(error, errors));
  const found = leaves.flatMap((error) => describe(error, root, schema));
  return found.filter(
    ({ node, fault }, index) =>
      found.findIndex((other) => other.node.offset === node.offset && same(other.fault, fault)) ===
      index,
  );
}

const same = (a: Fault, b: Fault) => JSON.stringify(a) === JSON.stringify(b);

/** The schema of the activity type that the body names. If it names none, that is wrong, and not its parameters. */
function schemaOf(
  value: unknown,
  operation: string,
  { operations, $defs }: Requests,
): RequestSchema | null {
  const known = operations[operation];
  if (!known) return null;
  const { body, parameters } = known;
  const type = typeof value === "object" && value !== null && "type" in value ? value.type : null;
  if (Object.keys(parameters).length === 0) return { ...body, $defs };
  const ofType = (typeof type === "string" && parameters[type]) || { type: "object" };
  const properties = { ...(body.properties as Record<string, unknown>), parameters: ofType };
  return { ...body, properties, $defs };
}

/** Keywords whose errors only repeat that something inside is wrong. */
const CONTAINERS = new Set(["$ref", "properties", "items", "additionalProperties", "allOf"]);

function isLeaf(error: OutputUnit, all: readonly OutputUnit[]): boolean {
  if (CONTAINERS.has(error.keyword)) return false;
  const choice = all.find((each) => each.keyword === "anyOf" && isInside(error, each));
  // The value may have the type of another alternative, whose rules it breaks.
  if (choice) return !isTypeError(error, choice);
  if (error.keyword !== "anyOf") return true;
  return !all.some((each) => isInside(each, error) && !isTypeError(each, error));
}

function isInside({ keywordLocation }: OutputUnit, choice: OutputUnit): boolean {
  return keywordLocation.startsWith(`${choice.keywordLocation}/`);
}

const isTypeError = (error: OutputUnit, choice: OutputUnit) =>
  CONTAINERS.has(error.keyword) ||
  (error.keyword === "type" && error.instanceLocation === choice.instanceLocation);

function describe(error: OutputUnit, root: Node, schema: RequestSchema): Found[] {
  const path = pathOf(error.instanceLocation);
  const node = findNodeAtLocation(root, path);
  if (!node) return [];
  const key = keyOf(node);
  const name = String(key?.value ?? path.at(-1) ?? "");
  const rule = ruleAt(schema, error.keywordLocation);
  switch (error.keyword) {
    case "false":
      return [{ node: key ?? node, fault: { kind: "unknown", name } }];
    case "required": {
      const present = namesIn(node);
      const missing = Array.isArray(rule) ? rule.map(String) : [];
      return missing
        .filter((each) => !present.includes(each))
        .map((each) => ({ node: key ?? opening(node), fault: { kind: "missing", name: each } }));
    }
    case "type":
      return [{ node, fault: { kind: "type", expected: [rule].flat().join(" or ") } }];
    case "enum":
      return [{ node, fault: { kind: "values", accepted: Array.isArray(rule) ? rule : [] } }];
    case "const":
      return [{ node, fault: { kind: "values", accepted: [rule] } }];
    case "pattern":
      return [{ node, fault: { kind: "pattern", name } }];
    case "minLength":
    case "maxLength":
    case "minItems":
    case "maxItems":
    case "minimum":
    case "maximum":
      return [{ node, fault: { kind: "limit", limit: error.keyword, bound: Number(rule) } }];
    case "anyOf":
      return [{ node, fault: { kind: "type", expected: typesOf(rule).join(" or ") } }];
    default:
      return [{ node, fault: { kind: "other", name } }];
  }
}

/** The types of alternatives. */
function typesOf(alternatives: unknown): string[] {
  const schemas: RequestSchema[] = Array.isArray(alternatives) ? alternatives : [];
  return schemas.map(({ type = "object" }) => String(type));
}

/** The value of a keyword, found along the way that the check took: `#/properties/a/$ref/pattern`. */
function ruleAt(schema: RequestSchema, location: string): unknown {
  let at: unknown = schema;
  for (const step of pathOf(location)) {
    if (typeof at !== "object" || at === null) return undefined;
    const next: unknown = (at as Record<string, unknown>)[step];
    if (step !== "$ref") at = next;
    else {
      const name = String(next).slice("#/$defs/".length);
      at = (schema.$defs as Requests["$defs"])[name];
    }
  }
  return at;
}

/** The steps of a JSON pointer in a fragment. */
function pathOf(pointer: string): (string | number)[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"))
    .map((step) => (/^\d+$/.test(step) ? Number(step) : step));
}

function namesIn({ children = [] }: Node): string[] {
  return children.map(({ children: [key] = [] }) => String(key?.value));
}

function keyOf({ parent }: Node): Node | undefined {
  return parent?.type === "property" ? parent.children?.[0] : undefined;
}

/** The brace where an object begins: a whole body in red would not show a place. */
function opening(node: Node): Node {
  return { ...node, length: 1 };
}

function placed(text: string, from: number, to: number, fault: Fault): BodyProblem {
  const before = text.slice(0, from).split("\n");
  const column = (before.at(-1) ?? "").length + 1;
  return { from, to: Math.max(to, from), line: before.length, column, fault };
}
