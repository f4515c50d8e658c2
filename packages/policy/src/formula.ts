import type { Operator } from "./ast.ts";

/** A consensus as far as it depends on how many votes are of which sort. */
export type Formula =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "not"; readonly operand: Formula }
  | { readonly kind: "and" | "or"; readonly operands: readonly Formula[] }
  | { readonly kind: "same"; readonly left: Formula; readonly right: Formula }
  | {
      readonly kind: "count";
      readonly atom: number;
      readonly operator: Exclude<Operator, "in">;
      readonly bound: number;
    };

/** How many votes each atom counts. */
export type Counts = number[];

/** The formula's value for all counts in the ranges, if it is the same for all. */
export function judge(formula: Formula, low: Counts, high: Counts): boolean | undefined {
  switch (formula.kind) {
    case "constant":
      return formula.value;
    case "not": {
      const value = judge(formula.operand, low, high);
      return value === undefined ? undefined : !value;
    }
    case "and":
    case "or": {
      const decisive = formula.kind === "or";
      let result: boolean | undefined = !decisive;
      for (const operand of formula.operands) {
        const value = judge(operand, low, high);
        if (value === decisive) return decisive;
        if (value === undefined) result = undefined;
      }
      return result;
    }
    case "same": {
      const left = judge(formula.left, low, high);
      const right = judge(formula.right, low, high);
      return left === undefined || right === undefined ? undefined : left === right;
    }
    case "count":
      return judgeCount(formula, low[formula.atom] ?? 0, high[formula.atom] ?? 0);
  }
}

function judgeCount(
  { operator, bound }: Formula & { kind: "count" },
  low: number,
  high: number,
): boolean | undefined {
  switch (operator) {
    case "<":
      return high < bound ? true : low >= bound ? false : undefined;
    case "<=":
      return high <= bound ? true : low > bound ? false : undefined;
    case ">":
      return low > bound ? true : high <= bound ? false : undefined;
    case ">=":
      return low >= bound ? true : high < bound ? false : undefined;
    case "==":
      if (low === high) return low === bound;
      return bound < low || bound > high ? false : undefined;
    case "!=":
      if (low === high) return low !== bound;
      return bound < low || bound > high ? true : undefined;
  }
}
