import type { Expression, Node } from "@babel/types";

/** What a message has in place of a value. */
export const VALUE = "…";

/** What an expression of the source says. A parameter of the function that it is in stands for what calls give it. */
export type Scope = {
  parameters: ReadonlyMap<string, number>;
  constants: ReadonlyMap<string, Expression>;
  /** What the functions of the file return, and those that other files export. */
  returns: Returns;
};

/** What functions return, with the constants of their file. */
export type Returns = ReadonlyMap<
  string,
  { nodes: readonly Node[]; constants: ReadonlyMap<string, Expression> }
>;

/** More alternatives of one message are not listed. */
const MAX_TEXTS = 12;

const parameterMark = (index: number) => `\u0000${index}\u0000`;

/** The texts that an expression can have, with a mark for each parameter and an ellipsis for any other value. */
export function textsOf(node: Node | null | undefined, scope: Scope, depth = 0): string[] {
  if (!node || depth > 12) return [VALUE];
  const inner = (each: Node | null | undefined) => textsOf(each, scope, depth + 1);
  switch (node.type) {
    case "StringLiteral":
      return [node.value];
    case "TemplateLiteral": {
      const values = node.expressions.map((each) => shorter(inner(each)));
      return node.quasis.reduce<string[]>(
        (texts, { value }, i) => joined(joined(texts, [value.cooked ?? ""]), values[i] ?? [""]),
        [""],
      );
    }
    case "BinaryExpression":
      return node.operator === "+" ? joined(inner(node.left), inner(node.right)) : [VALUE];
    case "ConditionalExpression": {
      const branches = [node.consequent, node.alternate].filter(
        ({ type }) => type !== "NullLiteral",
      );
      return branches.flatMap(inner).slice(0, MAX_TEXTS);
    }
    case "MemberExpression": {
      const { object, property } = node;
      const list = object.type === "Identifier" ? scope.constants.get(object.name) : undefined;
      if (list?.type !== "ObjectExpression") return [VALUE];
      const values = list.properties.flatMap((each) =>
        each.type === "ObjectProperty" && (node.computed || isNamed(each.key, property))
          ? inner(each.value)
          : [],
      );
      return values.length === 0 ? [VALUE] : [...new Set(values)];
    }
    case "LogicalExpression":
      return [...inner(node.left), ...inner(node.right)].slice(0, MAX_TEXTS);
    case "TSAsExpression":
    case "ParenthesizedExpression":
      return inner(node.expression);
    case "Identifier": {
      const index = scope.parameters.get(node.name);
      if (index !== undefined) return [parameterMark(index)];
      const constant = scope.constants.get(node.name);
      return constant ? inner(constant) : [VALUE];
    }
    case "CallExpression": {
      const name = node.callee.type === "Identifier" ? node.callee.name : "";
      const returned = scope.returns.get(name);
      const constants = returned?.constants ?? scope.constants;
      const inside = { ...scope, constants, parameters: new Map<string, number>() };
      const texts = (returned?.nodes ?? []).flatMap((each) => textsOf(each, inside, depth + 1));
      return texts.length === 0 ? [VALUE] : texts.slice(0, MAX_TEXTS);
    }
    default:
      return [VALUE];
  }
}

function isNamed(key: Node, property: Node): boolean {
  return key.type === "Identifier" && property.type === "Identifier" && key.name === property.name;
}

/** A value with a name, such as a list, is none of a few. */
function shorter(texts: string[]): string[] {
  return texts.length > 8 ? [VALUE] : texts;
}

function joined(left: readonly string[], right: readonly string[]): string[] {
  return left.flatMap((a) => right.map((b) => a + b)).slice(0, MAX_TEXTS);
}

/**
 * What a function that makes an error says if it is called like this. What calls give may have marks of
 * their own function.
 */
export function filled(texts: readonly string[], given: (index: number) => string[]): string[] {
  return texts.flatMap((text) =>
    text
      .split("\u0000")
      .map((part, i) => (i % 2 === 0 ? [part] : shorter(given(Number(part)))))
      .reduce(joined, [""]),
  );
}

/** One form for the list: white space once, an ellipsis for values in a row. */
export function tidy(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/(?:… ?){2,}/g, (values) => (values.endsWith(" ") ? "… " : "…"))
    .trim();
}
