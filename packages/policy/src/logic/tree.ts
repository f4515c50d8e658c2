import { childrenOf, type Expression } from "../ast.ts";
import { missableNames } from "../chains/index.ts";
import type { Type } from "../types.ts";

// What the translation asks about expressions.

export type Quantifier = Expression & { readonly kind: "quantifier" };

/**
 * Whether the expression reads only the given names. A CronSpan reads the time without naming it.
 */
export function isClosed(node: Expression, names: readonly string[] = []): boolean {
  if (node.kind === "name") return names.includes(node.name);
  if (node.kind === "call" && node.name === "CronSpan") return false;
  if (node.kind === "quantifier") {
    return isClosed(node.object, names) && isClosed(node.predicate, [...names, node.variable]);
  }
  return childrenOf(node).every((child) => isClosed(child, names));
}

/** Whether it treats each vote by itself: a root, or a quantifier whose predicate is closed. */
export function isElementwise(node: Expression): boolean {
  if (node.kind === "name") return true;
  if (node.kind !== "quantifier" || !isClosed(node.predicate, [node.variable])) return false;
  const { object } = node;
  return isElementwise(object) && (object.kind === "name" || isFilter(object));
}

export function isFilter(node: Expression): node is Quantifier & { readonly name: "filter" } {
  return node.kind === "quantifier" && node.name === "filter";
}

/** The list of `list.count()`, or of `list.count` where that is not a field. */
export function listCounted(
  node: Expression,
  types: ReadonlyMap<Expression, Type>,
): Expression | undefined {
  if (node.kind === "method" && node.name === "count") return node.object;
  const isField = node.kind === "field" && node.name === "count";
  return isField && types.get(node.object)?.kind === "list" ? node.object : undefined;
}

/** The root that a list is filtered from. */
export function rootOf(list: Expression): string {
  if (list.kind === "quantifier") return rootOf(list.object);
  return list.kind === "name" ? list.name : "";
}

/**
 * Whether the expression, if part of it errs, may have a value in a DENY but not in an ALLOW.
 */
export function canAbsorb(node: Expression, types: ReadonlyMap<Expression, Type>): boolean {
  const isElement =
    (node.kind === "compare" && node.operator === "in") ||
    (node.kind === "method" && node.name === "contains");
  const joins =
    node.kind === "and" || node.kind === "or" || (node.kind === "quantifier" && !isFilter(node));
  if ((joins || isElement) && canErr(node, types)) return true;
  return childrenOf(node).some((child) => canAbsorb(child, types));
}

/** Whether part of the expression may have no value, absent roots aside. */
export function canErr(node: Expression, types: ReadonlyMap<Expression, Type>): boolean {
  if (node.kind === "index" || node.kind === "slice") return true;
  if (types.get(node)?.kind === "dynamic") return true;
  if (node.kind === "field" && isMissable(node, types)) return true;
  return childrenOf(node).some((child) => canErr(child, types));
}

/** Whether a struct may lack the field. */
function isMissable(
  { name, object }: Expression & { kind: "field" },
  types: ReadonlyMap<Expression, Type>,
): boolean {
  if (MISSABLE.has(name)) return true;
  const type = types.get(object);
  return type?.kind === "struct" && MISSABLE.has(`${type.name}.${name}`);
}

const MISSABLE: ReadonlySet<string> = new Set([
  ...["params", "path_indexes", "path_hardened"],
  ...missableNames,
]);

/** The operator to write when its sides are swapped. */
export const MIRRORED = {
  "==": "==",
  "!=": "!=",
  "<": ">",
  ">": "<",
  "<=": ">=",
  ">=": "<=",
} as const;
