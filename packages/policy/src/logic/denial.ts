import { firstBits } from "./bits.ts";
import { constant } from "./formula.ts";
import { type Constraint, within } from "./solve.ts";
import type { Atom, Lack, Statement, Term } from "./terms.ts";

// When a DENY denies: if its clauses are true, or if an error keeps them from being false.

/** When a statement is true, when it is false, and when it has no value because of an error. */
type Weighed = { readonly yes: Constraint; readonly no: Constraint; readonly errs: Constraint };

/**
 * The constraint that a DENY with these clauses denies, apart from roots that only some requests
 * have. It mirrors how a DENY is evaluated: a side that decides does so whatever the others are.
 * Otherwise an error outweighs an absent field, and then the DENY denies.
 */
export function denies(
  clauses: readonly Statement[],
  variableOf: (term: Term) => number,
): Constraint {
  const { yes, errs } = joined(
    clauses.map((clause) => weigh(clause, variableOf)),
    false,
  );
  return some([yes, errs]);
}

/** The constraint that an atom's term does not read an absent root. */
export function hasNoAbsentRoot(term: Term, variable: number): Constraint {
  const all = firstBits(term.values.length);
  return valueIn(variable, all & ~lacking(term, ["root"]), all);
}

function weigh(statement: Statement, variableOf: (term: Term) => number): Weighed {
  switch (statement.kind) {
    case "constant": {
      const { value } = statement;
      return { yes: constant(value), no: constant(!value), errs: NEVER };
    }
    case "not": {
      const { yes, no, errs } = weigh(statement.operand, variableOf);
      return { yes: no, no: yes, errs };
    }
    case "and":
    case "or": {
      const sides = statement.operands.map((side) => weigh(side, variableOf));
      return joined(sides, statement.kind === "or");
    }
    case "same": {
      const left = weigh(statement.left, variableOf);
      const right = weigh(statement.right, variableOf);
      return {
        yes: some([every([left.yes, right.yes]), every([left.no, right.no])]),
        no: some([every([left.yes, right.no]), every([left.no, right.yes])]),
        errs: some([left.errs, right.errs]),
      };
    }
    case "leaf":
      return weighAtom(statement.atom, variableOf(statement.atom.term));
  }
}

/** Sides of `&&`, or of `||`. */
function joined(sides: readonly Weighed[], isOr: boolean): Weighed {
  const yes = sides.map((side) => side.yes);
  const no = sides.map((side) => side.no);
  const decisive = isOr ? yes : no;
  const isErring = some(sides.map((side) => side.errs));
  const isOpen = every(decisive.map((side): Constraint => opposite(side)));
  return {
    yes: isOr ? some(yes) : every(yes),
    no: isOr ? every(no) : some(no),
    errs: isErring === NEVER ? NEVER : every([isOpen, isErring]),
  };
}

function weighAtom({ term, literal, trueValues, definedValues }: Atom, variable: number): Weighed {
  const all = firstBits(term.values.length);
  // Beside a literal that errs, an absent field weighs less.
  const lesser: Lack[] = literal === undefined ? ["root"] : ["root", "field"];
  const errs = all & ~definedValues & ~lacking(term, lesser);
  return {
    yes: valueIn(variable, trueValues & definedValues, all),
    no: valueIn(variable, definedValues & ~trueValues, all),
    errs: valueIn(variable, errs, all),
  };
}

/** The values of the term that stand for these lacks. */
function lacking({ values, lacks }: Term, wanted: readonly Lack[]): bigint {
  let bits = 0n;
  for (const [i, lack] of lacks.entries()) {
    if (wanted.includes(lack)) bits |= 1n << BigInt(values.length - lacks.length + i);
  }
  return bits;
}

const NEVER: Constraint = constant(false);
const ALWAYS: Constraint = constant(true);

function valueIn(variable: number, values: bigint, all: bigint): Constraint {
  if (values === 0n) return NEVER;
  return values === all ? ALWAYS : within(variable, values);
}

function some(operands: readonly Constraint[]): Constraint {
  const open = operands.filter((operand) => !isConstant(operand, false));
  if (open.some((operand) => isConstant(operand, true))) return ALWAYS;
  const [only = NEVER] = open;
  return open.length < 2 ? only : { kind: "or", operands: open };
}

function every(operands: readonly Constraint[]): Constraint {
  const open = operands.filter((operand) => !isConstant(operand, true));
  if (open.some((operand) => isConstant(operand, false))) return NEVER;
  const [only = ALWAYS] = open;
  return open.length < 2 ? only : { kind: "and", operands: open };
}

function opposite(operand: Constraint): Constraint {
  if (operand.kind === "constant") return operand.value ? NEVER : ALWAYS;
  return { kind: "not", operand };
}

function isConstant(operand: Constraint, value: boolean): boolean {
  return operand.kind === "constant" && operand.value === value;
}
