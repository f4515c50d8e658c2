/**
 * A formula of propositional logic. Its maker knows what its leaves mean, such as that a count is
 * in a range or that a part of a request has one of some values.
 */
export type Formula<Leaf extends AnyLeaf> =
  | { readonly kind: "constant"; readonly value: boolean }
  | { readonly kind: "not"; readonly operand: Formula<Leaf> }
  | { readonly kind: "and" | "or"; readonly operands: readonly Formula<Leaf>[] }
  | { readonly kind: "same"; readonly left: Formula<Leaf>; readonly right: Formula<Leaf> }
  | Leaf;

export type AnyLeaf = { readonly kind: "leaf" };

/** The formula's truth, if the known leaves decide it. */
export function judge<Leaf extends AnyLeaf>(
  formula: Formula<Leaf>,
  truthOf: (leaf: Leaf) => boolean | undefined,
): boolean | undefined {
  switch (formula.kind) {
    case "constant":
      return formula.value;
    case "not": {
      const value = judge(formula.operand, truthOf);
      return value === undefined ? undefined : !value;
    }
    case "and":
    case "or": {
      const decisive = formula.kind === "or";
      let result: boolean | undefined = !decisive;
      for (const operand of formula.operands) {
        const value = judge(operand, truthOf);
        if (value === decisive) return decisive;
        if (value === undefined) result = undefined;
      }
      return result;
    }
    case "same": {
      const left = judge(formula.left, truthOf);
      const right = judge(formula.right, truthOf);
      return left === undefined || right === undefined ? undefined : left === right;
    }
    case "leaf":
      return truthOf(formula);
  }
}

export function constant(value: boolean): { readonly kind: "constant"; readonly value: boolean } {
  return { kind: "constant", value };
}

export function not<Leaf extends AnyLeaf>(operand: Formula<Leaf>): Formula<Leaf> {
  return { kind: "not", operand };
}

export function leavesOf<Leaf extends AnyLeaf>(formula: Formula<Leaf>): readonly Leaf[] {
  switch (formula.kind) {
    case "constant":
      return [];
    case "not":
      return leavesOf(formula.operand);
    case "and":
    case "or":
      return formula.operands.flatMap((operand) => leavesOf(operand));
    case "same":
      return [...leavesOf(formula.left), ...leavesOf(formula.right)];
    case "leaf":
      return [formula];
  }
}

/**
 * Whether walking the formula takes more than `most` steps. Parts that it shares count each time that
 * they occur, so it can be far larger than what it was made of.
 */
export function isLargerThan<Leaf extends AnyLeaf>(formula: Formula<Leaf>, most: number): boolean {
  const sizes = new Map<Formula<Leaf>, number>();
  const sizeOf = (part: Formula<Leaf>): number => {
    const known = sizes.get(part);
    if (known !== undefined) return known;
    const size = partsOf(part).reduce((sum, each) => sum + sizeOf(each), 1);
    sizes.set(part, size);
    return size;
  };
  return sizeOf(formula) > most;
}

function partsOf<Leaf extends AnyLeaf>(formula: Formula<Leaf>): readonly Formula<Leaf>[] {
  switch (formula.kind) {
    case "not":
      return [formula.operand];
    case "and":
    case "or":
      return formula.operands;
    case "same":
      return [formula.left, formula.right];
    default:
      return [];
  }
}

/** The same formula with other leaves. */
export function mapLeaves<From extends AnyLeaf, To extends AnyLeaf>(
  formula: Formula<From>,
  map: (leaf: From) => To,
): Formula<To> {
  switch (formula.kind) {
    case "constant":
      return formula;
    case "not":
      return not(mapLeaves(formula.operand, map));
    case "and":
    case "or":
      return { ...formula, operands: formula.operands.map((operand) => mapLeaves(operand, map)) };
    case "same": {
      const { left, right } = formula;
      return { kind: "same", left: mapLeaves(left, map), right: mapLeaves(right, map) };
    }
    case "leaf":
      return map(formula);
  }
}
