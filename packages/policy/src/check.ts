import type { Clause, Expression, Span } from "./ast.ts";
import { nearest, PolicyError, type PolicyErrorCode, quote } from "./errors.ts";
import { MAX_FIELDS, MAX_INT } from "./limits.ts";
import { clauseOf, pathsOf, ROOTS } from "./schema.ts";
import { parseCronSpan, parseTimestamp } from "./time.ts";
import {
  areComparable,
  bool,
  dynamic,
  type Effort,
  int,
  isNumber,
  join,
  list,
  nameOf,
  string,
  struct,
  type Type,
  timestamp,
  uint,
} from "./types.ts";

/** An expression that the checker has accepted for its clause. */
export type Checked = {
  readonly clause: Clause;
  readonly source: string;
  readonly expression: Expression;
  readonly types: ReadonlyMap<Expression, Type>;
};

/** The surroundings of the expression to check. */
type Context = Omit<Checked, "types"> & {
  readonly types: Map<Expression, Type>;
  readonly scope: ReadonlyMap<string, Type>;
  readonly effort: Effort;
};

/** Gives every part of the expression a type. Throws a PolicyError where none fits. */
export function check(clause: Clause, source: string, expression: Expression): Checked {
  const types = new Map<Expression, Type>();
  // Objects that are written out have fewer fields than characters. Memory is charged by the text.
  const effort = { fields: source.length };
  const context: Context = { clause, source, expression, types, scope: new Map(), effort };
  demand("bool", expression, context, "the whole expression");
  return { clause, source, expression, types };
}

function typeOf(node: Expression, context: Context): Type {
  const type = inferType(node, context);
  context.types.set(node, type);
  return type;
}

function inferType(node: Expression, context: Context): Type {
  switch (node.kind) {
    case "bool":
      return bool;
    case "int":
      return node.value > MAX_INT ? uint : int;
    case "string":
      return string;
    case "name":
      return context.scope.get(node.name) ?? typeOfRoot(node.name, node, context);
    case "list":
      return list(typeOfItems(node.items, context));
    case "struct":
      return typeOfStruct(node, context);
    case "and":
    case "or":
      for (const operand of node.operands) {
        demand("bool", operand, context, `each side of \`${node.kind === "and" ? "&&" : "||"}\``);
      }
      return bool;
    case "not":
      demand("bool", node.operand, context, "the operand of `!`");
      return bool;
    case "compare":
      return typeOfComparison(node, context);
    case "field":
      return typeOfField(node, typeOf(node.object, context), context);
    case "index":
      return typeOfIndex(node, context);
    case "slice": {
      const object = typeOf(node.object, context);
      demand("int", node.from, context, "a bound of a slice");
      demand("int", node.to, context, "a bound of a slice");
      if (object.kind === "list" || object.kind === "string" || object.kind === "dynamic") {
        return object;
      }
      throw mismatch(node.object, "the value to slice", "a list or a string", object, context);
    }
    case "call":
      return typeOfCall(node, context);
    case "method":
      return typeOfMethod(node, context);
    case "quantifier": {
      const object = typeOf(node.object, context);
      const element = elementOf(object);
      if (!element)
        throw mismatch(node.object, `the object of \`${node.name}\``, "a list", object, context);
      const scope = new Map(context.scope).set(node.variable, element);
      demand("bool", node.predicate, { ...context, scope }, `the predicate of \`${node.name}\``);
      return node.name === "filter" ? object : bool;
    }
  }
}

function typeOfRoot(name: string, span: Span, context: Context): Type {
  const { clause, source } = context;
  const roots = ROOTS[clause];
  const type = Object.hasOwn(roots, name) && roots[name];
  if (type) return type;
  const owner = clauseOf(name);
  if (owner) {
    throw problem(
      "POLICY_WRONG_ROOT",
      span,
      {
        message: `${quote(name)} exists only in a policy's ${owner}, but this is its ${clause}`,
        expected: oneOf(Object.keys(roots)),
      },
      context,
    );
  }
  // Point to the whole path: `walet.id` says more than `walet`.
  const path = /[A-Za-z0-9_.]*/y;
  path.lastIndex = span.start;
  const typed = (path.exec(source)?.[0] ?? name).replace(/\.+$/, "");
  throw problem(
    "POLICY_UNKNOWN_FIELD",
    { start: span.start, end: span.start + typed.length },
    {
      message: `field does not exist: ${quote(typed)}`,
      expected: oneOf(Object.keys(roots)),
      suggestion: nearestPath(typed, Object.keys(roots), clause),
    },
    context,
  );
}

function nearestPath(typed: string, roots: string[], clause: Clause): string | undefined {
  const whole = nearest(typed, pathsOf(clause));
  if (whole) return whole;
  const [first = "", ...rest] = typed.split(".");
  const root = nearest(first, roots);
  return root && [root, ...rest].join(".");
}

function typeOfItems(items: readonly Expression[], context: Context): Type {
  let element: Type = dynamic;
  for (const item of items) {
    const type = typeOf(item, context);
    const joined = join(element, type, context.effort);
    if (context.effort.fields < 0) throw tooLarge(item, UNEQUAL, context);
    if (!joined) throw mismatch(item, "an element of this list", nameOf(element), type, context);
    element = joined;
  }
  return element;
}

function typeOfStruct(node: Expression & { kind: "struct" }, context: Context): Type {
  const fields: Record<string, Type> = {};
  for (const { name, value, start, end } of node.members) {
    if (Object.hasOwn(fields, name)) {
      throw problem(
        "POLICY_TYPE",
        { start, end },
        { message: `the field ${quote(name)} is given twice` },
        context,
      );
    }
    // A plain assignment to `__proto__` would set no field.
    Object.defineProperty(fields, name, { value: typeOf(value, context), enumerable: true });
  }
  const type = struct("struct", fields);
  if (type.size > MAX_FIELDS) throw tooLarge(node, LARGE, context);
  return type;
}

const LARGE = `an object may have ${MAX_FIELDS} fields, with those of objects inside it`;
const UNEQUAL =
  "the objects in lists have more fields, with those of objects inside them, than this text has characters";

/** An object may hold another one in several fields, so its size can double with each level. */
function tooLarge(span: Span, message: string, context: Context) {
  return problem("POLICY_TYPE", span, { message, expected: "objects of fewer fields" }, context);
}

function typeOfComparison(node: Expression & { kind: "compare" }, context: Context): Type {
  const { operator } = node;
  const left = typeOf(node.left, context);
  const right = typeOf(node.right, context);
  const fail = (expected: string) =>
    problem(
      "POLICY_TYPE",
      node,
      {
        message: `\`${operator}\` cannot be used between ${nameOf(left)} and ${nameOf(right)}`,
        expected,
      },
      context,
    );
  if (operator === "in") {
    const element = elementOf(right);
    if (!element || !areComparable(left, element)) {
      throw fail("a list on the right, of values like the one on the left");
    }
  } else if (operator === "==" || operator === "!=") {
    if (!areComparable(left, right)) throw fail("two numbers, strings, booleans or timestamps");
  } else {
    const areInstants = isInstant(left) && isInstant(right);
    if (!areInstants && !(isNumber(left) && isNumber(right))) {
      throw fail("two numbers or two timestamps");
    }
  }
  return bool;
}

function typeOfField(node: Expression & { kind: "field" }, object: Type, context: Context): Type {
  const { clause, source } = context;
  const { name, nameSpan } = node;
  if (object.kind === "dynamic") return dynamic;
  if (object.kind === "list" && name === "count") return int;
  if (object.kind === "struct" && Object.hasOwn(object.fields, name)) {
    return object.fields[name] ?? dynamic;
  }
  if (object.kind === "map") {
    throw problem(
      "POLICY_TYPE",
      nameSpan,
      {
        message: `a map is read with a key: \`['${name}']\``,
        expected: `\`['${name}']\``,
      },
      context,
    );
  }
  const path = source.slice(node.start, node.end);
  const known = object.kind === "struct" ? Object.keys(object.fields) : [];
  const expected = known.length > 0 ? oneOf(known) : undefined;
  const close = nearest(name, known);
  if (!/^[A-Za-z0-9_.]+$/.test(path)) {
    throw problem(
      "POLICY_UNKNOWN_FIELD",
      nameSpan,
      {
        message: `field does not exist: ${quote(name)} of ${nameOf(object)}`,
        expected,
        suggestion: close,
      },
      context,
    );
  }
  throw problem(
    "POLICY_UNKNOWN_FIELD",
    node,
    {
      message: `field does not exist: ${quote(path)}`,
      expected,
      suggestion: close
        ? path.slice(0, path.length - name.length) + close
        : nearest(path, pathsOf(clause)),
    },
    context,
  );
}

function typeOfIndex(node: Expression & { kind: "index" }, context: Context): Type {
  const object = typeOf(node.object, context);
  if (object.kind === "map") {
    demand("string", node.index, context, "the key of a map");
    return object.value;
  }
  if (object.kind === "dynamic") {
    const index = typeOf(node.index, context);
    if (index.kind === "int" || index.kind === "string" || index.kind === "dynamic") {
      return dynamic;
    }
    throw mismatch(node.index, "an index", "an int, or the key of a map", index, context);
  }
  demand("int", node.index, context, "an index");
  if (object.kind === "list") return object.element;
  if (object.kind === "string") return object;
  throw mismatch(node.object, "the value to index", "a list, string or map", object, context);
}

function typeOfCall(node: Expression & { kind: "call" }, context: Context): Type {
  const { name, arguments: values } = node;
  switch (name) {
    case "CaseInsensitiveString":
      takeArguments(node, 1, context);
      for (const value of values) demand("string", value, context, `the argument of \`${name}\``);
      return string;
    case "Timestamp":
    case "CronSpan": {
      if (context.clause !== "time") {
        throw problem(
          "POLICY_TYPE",
          node.nameSpan,
          {
            message: `\`${name}\` exists only in a policy's time, but this is its ${context.clause}`,
          },
          context,
        );
      }
      takeArguments(node, name === "Timestamp" ? 1 : 3, context);
      checkLiterals(name, node, context);
      for (const value of values) typeOf(value, context);
      return name === "Timestamp" ? timestamp : bool;
    }
    default:
      throw problem(
        "POLICY_TYPE",
        node.nameSpan,
        {
          message: `there is no function ${quote(name)}`,
          suggestion: nearest(name, ["CaseInsensitiveString", "Timestamp", "CronSpan"]),
        },
        context,
      );
  }
}

function checkLiterals(
  name: "Timestamp" | "CronSpan",
  call: Expression & { kind: "call" },
  context: Context,
) {
  const values = call.arguments;
  const texts = values.map((value) => {
    if (value.kind === "string") return value.value;
    throw problem(
      "POLICY_TYPE",
      value,
      {
        message: `\`${name}\` takes only text in quotes`,
        expected: "text in quotes",
      },
      context,
    );
  });
  const result = name === "Timestamp" ? parseTimestamp(texts[0] ?? "") : parseCronSpan(texts);
  if (typeof result === "object" && "problem" in result) {
    const culprit = values[result.argument] ?? context.expression;
    throw problem(
      "POLICY_TYPE",
      culprit,
      { message: result.problem, expected: result.expected },
      context,
    );
  }
}

function typeOfMethod(node: Expression & { kind: "method" }, context: Context): Type {
  const { name, arguments: values } = node;
  const object = typeOf(node.object, context);
  if (name !== "contains" && name !== "count") {
    throw problem(
      "POLICY_TYPE",
      node.nameSpan,
      {
        message: `there is no function ${quote(name)}`,
        expected: oneOf(METHODS),
        suggestion: nearest(name, METHODS),
      },
      context,
    );
  }
  const element = elementOf(object);
  if (!element) throw mismatch(node.object, `the object of \`${name}\``, "a list", object, context);
  takeArguments(node, name === "count" ? 0 : 1, context);
  for (const value of values) {
    const type = typeOf(value, context);
    if (!areComparable(type, element)) {
      throw mismatch(value, "the argument of `contains`", nameOf(element), type, context);
    }
  }
  return name === "count" ? int : bool;
}

function takeArguments(
  node: Expression & { kind: "call" | "method" },
  wanted: number,
  context: Context,
) {
  const { length } = node.arguments;
  if (length === wanted) return;
  throw problem(
    "POLICY_TYPE",
    node,
    {
      message: `\`${node.name}\` takes ${wanted} argument${wanted === 1 ? "" : "s"}, found ${length}`,
    },
    context,
  );
}

function demand(
  kind: "bool" | "int" | "string",
  node: Expression,
  context: Context,
  subject: string,
) {
  const type = typeOf(node, context);
  if (type.kind !== kind && type.kind !== "dynamic") {
    throw mismatch(node, subject, kind, type, context);
  }
}

function mismatch(span: Span, subject: string, expected: string, found: Type, context: Context) {
  return problem(
    "POLICY_TYPE",
    span,
    {
      message: `${subject} must be ${expected}, found ${nameOf(found)}`,
      expected,
    },
    context,
  );
}

function problem(
  code: PolicyErrorCode,
  { start, end }: Span,
  detail: { message: string; expected?: string; suggestion?: string },
  { source }: Context,
) {
  return new PolicyError({ code, source, span: { start, end }, ...detail });
}

const METHODS = ["all", "any", "filter", "contains", "count"];

function elementOf(type: Type): Type | undefined {
  if (type.kind === "list") return type.element;
  return type.kind === "dynamic" ? dynamic : undefined;
}

function isInstant({ kind }: Type) {
  return kind === "timestamp" || kind === "dynamic";
}

function oneOf(names: readonly string[]) {
  return `one of ${names.map((name) => `\`${name}\``).join(", ")}`;
}
