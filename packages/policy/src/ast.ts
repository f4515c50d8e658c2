/** The parts of a policy. Each clause sees its own roots. */
export type Clause = "condition" | "consensus" | "time";

export const CLAUSES: readonly Clause[] = ["condition", "consensus", "time"];

export type Operator = "==" | "!=" | "<" | ">" | "<=" | ">=" | "in";

export type Quantifier = "all" | "any" | "filter";

/** Offsets into the source, in UTF-16 code units; `end` is exclusive. */
export type Span = { readonly start: number; readonly end: number };

export type Member = Span & { readonly name: string; readonly value: Expression };

export type Expression = Span &
  (
    | { readonly kind: "bool"; readonly value: boolean }
    | { readonly kind: "int"; readonly value: bigint }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "name"; readonly name: string }
    | { readonly kind: "list"; readonly items: readonly Expression[] }
    | { readonly kind: "struct"; readonly members: readonly Member[] }
    | { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
    | { readonly kind: "not"; readonly operand: Expression }
    | {
        readonly kind: "compare";
        readonly operator: Operator;
        readonly left: Expression;
        readonly right: Expression;
      }
    | {
        readonly kind: "field";
        readonly object: Expression;
        readonly name: string;
        readonly nameSpan: Span;
      }
    | { readonly kind: "index"; readonly object: Expression; readonly index: Expression }
    | {
        readonly kind: "slice";
        readonly object: Expression;
        readonly from: Expression;
        readonly to: Expression;
      }
    | {
        readonly kind: "call";
        readonly name: string;
        readonly nameSpan: Span;
        readonly arguments: readonly Expression[];
      }
    | {
        readonly kind: "method";
        readonly object: Expression;
        readonly name: string;
        readonly nameSpan: Span;
        readonly arguments: readonly Expression[];
      }
    | {
        readonly kind: "quantifier";
        readonly object: Expression;
        readonly name: Quantifier;
        readonly variable: string;
        readonly predicate: Expression;
      }
  );

/** The direct children of an expression, in source order. */
export function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "bool":
    case "int":
    case "string":
    case "name":
      return [];
    case "list":
      return expression.items;
    case "struct":
      return expression.members.map((member) => member.value);
    case "and":
    case "or":
      return expression.operands;
    case "not":
      return [expression.operand];
    case "compare":
      return [expression.left, expression.right];
    case "field":
      return [expression.object];
    case "index":
      return [expression.object, expression.index];
    case "slice":
      return [expression.object, expression.from, expression.to];
    case "call":
      return expression.arguments;
    case "method":
      return [expression.object, ...expression.arguments];
    case "quantifier":
      return [expression.object, expression.predicate];
  }
}
