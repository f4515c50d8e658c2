import { childrenOf, type Expression } from "../../ast.ts";
import { print } from "../../print.ts";

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

/** The tree with one of its parts, told by identity, replaced. */
export function replace(node: Expression, part: Expression, by: Expression): Expression {
  return node === part ? by : mapChildren(node, (child) => replace(child, part, by));
}

/** Text that two expressions share only if they always have the same value. */
export function keyOf(node: Expression): string {
  return print(renameVariables(node, []));
}

/**
 * Whether the expression reads nothing but the names given. A CronSpan reads the time without
 * naming it.
 */
export function isClosed(node: Expression, names: readonly string[] = []): boolean {
  if (node.kind === "name") return names.includes(node.name);
  if (node.kind === "call" && node.name === "CronSpan") return false;
  if (node.kind === "quantifier") {
    return isClosed(node.object, names) && isClosed(node.predicate, [...names, node.variable]);
  }
  return childrenOf(node).every((child) => isClosed(child, names));
}

/** Bound names tell nothing: `any(u, …)` and `any(user, …)` get the same ones. */
function renameVariables(node: Expression, scope: readonly string[]): Expression {
  if (node.kind === "name") {
    const slot = scope.lastIndexOf(node.name);
    return slot < 0 ? node : { ...node, name: variableName(slot) };
  }
  if (node.kind === "quantifier") {
    return {
      ...node,
      variable: variableName(scope.length),
      object: renameVariables(node.object, scope),
      predicate: renameVariables(node.predicate, [...scope, node.variable]),
    };
  }
  return mapChildren(node, (child) => renameVariables(child, scope));
}

function variableName(slot: number) {
  return `x${slot}`;
}
