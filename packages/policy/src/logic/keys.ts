import type { Expression } from "../ast.ts";
import { print } from "../print.ts";
import { show, type Value } from "../values.ts";
import type { Statement } from "./terms.ts";

// Keys: expressions and statements with the same meaning get the same text.

/** The same tree with each direct child replaced. */
export function mapChildren(node: Expression, map: (child: Expression) => Expression): Expression {
  switch (node.kind) {
    case "bool":
    case "int":
    case "string":
    case "name":
      return node;
    case "list":
      return { ...node, items: node.items.map(map) };
    case "struct": {
      const members = node.members.map((member) => ({ ...member, value: map(member.value) }));
      return { ...node, members };
    }
    case "and":
    case "or":
      return { ...node, operands: node.operands.map(map) };
    case "not":
      return { ...node, operand: map(node.operand) };
    case "compare":
      return { ...node, left: map(node.left), right: map(node.right) };
    case "field":
      return { ...node, object: map(node.object) };
    case "index":
      return { ...node, object: map(node.object), index: map(node.index) };
    case "slice":
      return { ...node, object: map(node.object), from: map(node.from), to: map(node.to) };
    case "call":
      return { ...node, arguments: node.arguments.map(map) };
    case "method":
      return { ...node, object: map(node.object), arguments: node.arguments.map(map) };
    case "quantifier":
      return { ...node, object: map(node.object), predicate: map(node.predicate) };
  }
}

/** What names stand for, as text. */
export type Names = ReadonlyMap<string, { readonly key: string }>;

/** Text that two expressions share only if they always have the same value. */
export function keyOf(node: Expression, names: Names = new Map()): string {
  return print(renamed(node, names, 0));
}

/**
 * The spelling of bound names does not matter, so `any(u, …)` and `any(user, …)` get the same
 * names.
 */
function renamed(node: Expression, names: Names, depth: number): Expression {
  if (node.kind === "name") return { ...node, name: names.get(node.name)?.key ?? node.name };
  if (node.kind !== "quantifier") return mapChildren(node, (child) => renamed(child, names, depth));
  const variable = `x${depth}`;
  const inner = new Map(names).set(node.variable, { key: variable });
  const object = renamed(node.object, names, depth);
  return { ...node, variable, object, predicate: renamed(node.predicate, inner, depth + 1) };
}

/** The value as text that no other value has. */
export function written(value: Value | undefined): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value !== "object") return String(value);
  if (value.kind === "list") return `[${value.items.map(written).join()}]`;
  return `${value.kind} ${show(value, Number.POSITIVE_INFINITY)}`;
}

/**
 * Text that formulas share if they say the same: with `isTrue`, that they hold, otherwise that they
 * do not.
 */
export function formulaKey(formula: Statement, isTrue: boolean): string {
  const sign = isTrue ? "" : "!";
  switch (formula.kind) {
    case "constant":
      return String(formula.value === isTrue);
    case "not":
      return formulaKey(formula.operand, !isTrue);
    case "and":
    case "or": {
      const keys = formula.operands.map((operand) => formulaKey(operand, isTrue));
      return `(${keys.sort().join((formula.kind === "and") === isTrue ? " && " : " || ")})`;
    }
    case "same":
      return `${sign}(${formulaKey(formula.left, true)} == ${formulaKey(formula.right, true)})`;
    case "leaf": {
      const { term, operator, literal, isLowered } = formula.atom;
      return `${sign}${term.key} ${isLowered ? "lowered " : ""}${operator} ${written(literal)}`;
    }
  }
}
