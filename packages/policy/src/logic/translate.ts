import type { Expression, Operator } from "../ast.ts";
import { type AnyLeaf, type Formula, not } from "./formula.ts";
import { MIRRORED, type Quantifier } from "./tree.ts";

// All expressions become formulas here. A reader makes the leaves.

/** Makes leaves of the parts of a clause that do not combine other parts. */
export type Reader<Leaf extends AnyLeaf> = {
  /** Whether the part reads nothing. */
  isClosed(node: Expression): boolean;
  isBool(node: Expression): boolean;
  /** The truth of a part that reads nothing. */
  closed(node: Expression): Formula<Leaf>;
  /** A comparison with a part that reads nothing. */
  comparison(
    node: Expression,
    about: Expression,
    operator: Order,
    other: Expression,
  ): Formula<Leaf>;
  /** A comparison of two parts that are both read. */
  pair(node: Expression, left: Expression, operator: Order, right: Expression): Formula<Leaf>;
  /** A test that an item is in a list. */
  element(node: Expression, item: Expression, list: Expression): Formula<Leaf>;
  quantifier(node: Quantifier): Formula<Leaf>;
  /** A part that is true or false by itself. */
  truth(node: Expression): Formula<Leaf>;
};

/** The other operators are opposites of these. */
export type Order = "==" | "<" | ">";

/** Turns a clause, or a part of one that is true or false, into a formula. */
export function translate<Leaf extends AnyLeaf>(
  node: Expression,
  reader: Reader<Leaf>,
): Formula<Leaf> {
  if (reader.isClosed(node)) return reader.closed(node);
  switch (node.kind) {
    case "not":
      return not(translate(node.operand, reader));
    case "and":
    case "or": {
      const operands = node.operands.map((operand) => translate(operand, reader));
      return { kind: node.kind, operands };
    }
    case "compare":
      return translateComparison(node, node.operator, reader);
    case "method": {
      const [item] = node.arguments;
      const isElement = node.name === "contains" && item !== undefined;
      return isElement ? reader.element(node, item, node.object) : reader.truth(node);
    }
    case "quantifier":
      return reader.quantifier(node);
    default:
      return reader.truth(node);
  }
}

function translateComparison<Leaf extends AnyLeaf>(
  node: Expression & { kind: "compare" },
  operator: Operator,
  reader: Reader<Leaf>,
): Formula<Leaf> {
  const { left, right } = node;
  if (operator === "in") return reader.element(node, left, right);
  const opposite = OPPOSITES[operator];
  if (opposite) return not(translateComparison(node, opposite, reader));
  // Invariant: an operator without an opposite is one of these.
  const order = operator as Order;
  if (reader.isBool(left) && reader.isBool(right)) {
    return { kind: "same", left: translate(left, reader), right: translate(right, reader) };
  }
  if (reader.isClosed(right)) return reader.comparison(node, left, order, right);
  if (reader.isClosed(left)) return reader.comparison(node, right, MIRRORED[order], left);
  return reader.pair(node, left, order, right);
}

const OPPOSITES: Readonly<Record<string, Order | undefined>> = {
  "!=": "==",
  "<=": ">",
  ">=": "<",
};
