import type { Clause, Expression, Span } from "./ast.ts";
import { nearest, PolicyError, type PolicyErrorCode, quote } from "./errors.ts";
import { MAX_INT } from "./limits.ts";
import { clauseOf, pathsOf, ROOTS } from "./schema.ts";
import { parseCronSpan, parseTimestamp } from "./time.ts";
import {
  areComparable,
  bool,
  dynamic,
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

/** An expression that is known to be right for its clause. */
export type Checked = {
  readonly clause: Clause;
  readonly source: string;
  readonly expression: Expression;
  readonly types: ReadonlyMap<Expression, Type>;
};

/** Gives every part of the expression a type. Throws a PolicyError where none fits. */
export function check(clause: Clause, source: string, expression: Expression): Checked {
  const types = new Map<Expression, Type>();
  demand("bool", expression, new Map(), "the whole expression");
  return { clause, source, expression, types };

  function typeOf(node: Expression, scope: Scope): Type {
    const type = inferType(node, scope);
    types.set(node, type);
    return type;
  }

  function inferType(node: Expression, scope: Scope): Type {
    switch (node.kind) {
      case "bool":
        return bool;
      case "int":
        return node.value > MAX_INT ? uint : int;
      case "string":
        return string;
      case "name":
        return scope.get(node.name) ?? typeOfRoot(node.name, node);
      case "list":
        return list(typeOfItems(node.items, scope));
      case "struct":
        return typeOfStruct(node, scope);
      case "and":
      case "or":
        for (const operand of node.operands) {
          demand("bool", operand, scope, `each side of \`${node.kind === "and" ? "&&" : "||"}\``);
        }
        return bool;
      case "not":
        demand("bool", node.operand, scope, "what follows `!`");
        return bool;
      case "compare":
        return typeOfComparison(node, scope);
      case "field":
        return typeOfField(node, typeOf(node.object, scope));
      case "index":
        return typeOfIndex(node, scope);
      case "slice": {
        const object = typeOf(node.object, scope);
        demand("int", node.from, scope, "a bound of a slice");
        demand("int", node.to, scope, "a bound of a slice");
        if (object.kind === "list" || object.kind === "string" || object.kind === "dynamic") {
          return object;
        }
        throw mismatch(node.object, "what a slice is taken of", "a list or a string", object);
      }
      case "call":
        return typeOfCall(node, scope);
      case "method":
        return typeOfMethod(node, scope);
      case "quantifier": {
        const object = typeOf(node.object, scope);
        const element = elementOf(object);
        if (!element)
          throw mismatch(node.object, `what \`${node.name}\` is asked of`, "a list", object);
        const inner = new Map(scope).set(node.variable, element);
        demand("bool", node.predicate, inner, `the predicate of \`${node.name}\``);
        return node.name === "filter" ? object : bool;
      }
    }
  }

  function typeOfRoot(name: string, span: Span): Type {
    const roots = ROOTS[clause];
    const type = Object.hasOwn(roots, name) && roots[name];
    if (type) return type;
    const owner = clauseOf(name);
    if (owner) {
      throw problem("POLICY_WRONG_ROOT", span, {
        message: `${quote(name)} exists in a policy's ${owner} only, this is its ${clause}`,
        expected: oneOf(Object.keys(roots)),
      });
    }
    // Point to the whole path: `walet.id` tells more than `walet`.
    const path = /[A-Za-z0-9_.]*/y;
    path.lastIndex = span.start;
    const typed = (path.exec(source)?.[0] ?? name).replace(/\.+$/, "");
    throw problem(
      "POLICY_UNKNOWN_FIELD",
      { start: span.start, end: span.start + typed.length },
      {
        message: `field does not exist: ${quote(typed)}`,
        expected: oneOf(Object.keys(roots)),
        suggestion: nearestPath(typed, Object.keys(roots)),
      },
    );
  }

  function nearestPath(typed: string, roots: string[]): string | undefined {
    const whole = nearest(typed, pathsOf(clause));
    if (whole) return whole;
    const [first = "", ...rest] = typed.split(".");
    const root = nearest(first, roots);
    return root && [root, ...rest].join(".");
  }

  function typeOfItems(items: readonly Expression[], scope: Scope): Type {
    let element: Type = dynamic;
    for (const item of items) {
      const type = typeOf(item, scope);
      const joined = join(element, type);
      if (!joined) throw mismatch(item, "an element of this list", nameOf(element), type);
      element = joined;
    }
    return element;
  }

  function typeOfStruct(node: Expression & { kind: "struct" }, scope: Scope): Type {
    const fields: Record<string, Type> = {};
    for (const { name, value, start, end } of node.members) {
      if (Object.hasOwn(fields, name)) {
        throw problem(
          "POLICY_TYPE",
          { start, end },
          { message: `the field ${quote(name)} stands twice` },
        );
      }
      // A plain assignment to `__proto__` would set no field.
      Object.defineProperty(fields, name, { value: typeOf(value, scope), enumerable: true });
    }
    return struct("struct", fields);
  }

  function typeOfComparison(node: Expression & { kind: "compare" }, scope: Scope): Type {
    const { operator } = node;
    const left = typeOf(node.left, scope);
    const right = typeOf(node.right, scope);
    const fail = (expected: string) =>
      problem("POLICY_TYPE", node, {
        message: `\`${operator}\` cannot stand between ${nameOf(left)} and ${nameOf(right)}`,
        expected,
      });
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

  function typeOfField(node: Expression & { kind: "field" }, object: Type): Type {
    const { name, nameSpan } = node;
    if (object.kind === "dynamic") return dynamic;
    if (object.kind === "list" && name === "count") return int;
    if (object.kind === "struct" && Object.hasOwn(object.fields, name)) {
      return object.fields[name] ?? dynamic;
    }
    if (object.kind === "map") {
      throw problem("POLICY_TYPE", nameSpan, {
        message: `a map is read with a key: \`['${name}']\``,
        expected: `\`['${name}']\``,
      });
    }
    const path = source.slice(node.start, node.end);
    const known = object.kind === "struct" ? Object.keys(object.fields) : [];
    const expected = known.length > 0 ? oneOf(known) : undefined;
    const close = nearest(name, known);
    if (!/^[A-Za-z0-9_.]+$/.test(path)) {
      throw problem("POLICY_UNKNOWN_FIELD", nameSpan, {
        message: `field does not exist: ${quote(name)} of ${nameOf(object)}`,
        expected,
        suggestion: close,
      });
    }
    throw problem("POLICY_UNKNOWN_FIELD", node, {
      message: `field does not exist: ${quote(path)}`,
      expected,
      suggestion: close
        ? path.slice(0, path.length - name.length) + close
        : nearest(path, pathsOf(clause)),
    });
  }

  function typeOfIndex(node: Expression & { kind: "index" }, scope: Scope): Type {
    const object = typeOf(node.object, scope);
    if (object.kind === "map") {
      demand("string", node.index, scope, "the key of a map");
      return object.value;
    }
    if (object.kind === "dynamic") {
      const index = typeOf(node.index, scope);
      if (index.kind === "int" || index.kind === "string" || index.kind === "dynamic") {
        return dynamic;
      }
      throw mismatch(node.index, "an index", "an int, or the key of a map", index);
    }
    demand("int", node.index, scope, "an index");
    if (object.kind === "list") return object.element;
    if (object.kind === "string") return object;
    throw mismatch(node.object, "what has an index", "a list, string or map", object);
  }

  function typeOfCall(node: Expression & { kind: "call" }, scope: Scope): Type {
    const { name, arguments: values } = node;
    switch (name) {
      case "CaseInsensitiveString":
        takeArguments(node, 1);
        for (const value of values) demand("string", value, scope, `the argument of \`${name}\``);
        return string;
      case "Timestamp":
      case "CronSpan": {
        if (clause !== "time") {
          throw problem("POLICY_TYPE", node.nameSpan, {
            message: `\`${name}\` exists in a policy's time only, this is its ${clause}`,
          });
        }
        takeArguments(node, name === "Timestamp" ? 1 : 3);
        checkLiterals(name, values);
        for (const value of values) typeOf(value, scope);
        return name === "Timestamp" ? timestamp : bool;
      }
      default:
        throw problem("POLICY_TYPE", node.nameSpan, {
          message: `there is no function ${quote(name)}`,
          suggestion: nearest(name, ["CaseInsensitiveString", "Timestamp", "CronSpan"]),
        });
    }
  }

  function checkLiterals(name: "Timestamp" | "CronSpan", values: readonly Expression[]) {
    const texts = values.map((value) => {
      if (value.kind === "string") return value.value;
      throw problem("POLICY_TYPE", value, {
        message: `\`${name}\` takes text in quotes only`,
        expected: "text in quotes",
      });
    });
    const result = name === "Timestamp" ? parseTimestamp(texts[0] ?? "") : parseCronSpan(texts);
    if (typeof result === "object" && "problem" in result) {
      const culprit = values[result.argument] ?? expression;
      throw problem("POLICY_TYPE", culprit, { message: result.problem, expected: result.expected });
    }
  }

  function typeOfMethod(node: Expression & { kind: "method" }, scope: Scope): Type {
    const { name, arguments: values } = node;
    const object = typeOf(node.object, scope);
    if (name !== "contains" && name !== "count") {
      throw problem("POLICY_TYPE", node.nameSpan, {
        message: `there is no function ${quote(name)}`,
        expected: oneOf(METHODS),
        suggestion: nearest(name, METHODS),
      });
    }
    const element = elementOf(object);
    if (!element) throw mismatch(node.object, `what \`${name}\` is asked of`, "a list", object);
    takeArguments(node, name === "count" ? 0 : 1);
    for (const value of values) {
      const type = typeOf(value, scope);
      if (!areComparable(type, element)) {
        throw mismatch(value, "what `contains` looks for", nameOf(element), type);
      }
    }
    return name === "count" ? int : bool;
  }

  function takeArguments(node: Expression & { kind: "call" | "method" }, wanted: number) {
    const { length } = node.arguments;
    if (length === wanted) return;
    throw problem("POLICY_TYPE", node, {
      message: `\`${node.name}\` takes ${wanted} argument${wanted === 1 ? "" : "s"}, found ${length}`,
    });
  }

  function demand(
    kind: "bool" | "int" | "string",
    node: Expression,
    scope: Scope,
    subject: string,
  ) {
    const type = typeOf(node, scope);
    if (type.kind !== kind && type.kind !== "dynamic") {
      throw mismatch(node, subject, kind, type);
    }
  }

  function mismatch(span: Span, subject: string, expected: string, found: Type) {
    return problem("POLICY_TYPE", span, {
      message: `${subject} must be ${expected}, found ${nameOf(found)}`,
      expected,
    });
  }

  function problem(
    code: PolicyErrorCode,
    { start, end }: Span,
    detail: { message: string; expected?: string; suggestion?: string },
  ) {
    return new PolicyError({ code, source, span: { start, end }, ...detail });
  }
}

type Scope = ReadonlyMap<string, Type>;

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
