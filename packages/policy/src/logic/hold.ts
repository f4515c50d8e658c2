import { leavesOf } from "./formula.ts";
import { countsAgree, cutsAgree, type VariableOf } from "./relations.ts";
import { bit, type Constraint, firstBits, implies, solve, within } from "./solve.ts";
import { constraintOf, type Statement, type Term } from "./terms.ts";
import { enumerateValues } from "./values.ts";

/** Work that may still be spent; when it is used up nothing more is claimed. */
export type Allowance = { steps: number };

/** What is known about requests beyond their types. */
export type World = {
  /** All activities there are. */
  readonly activities?: readonly {
    readonly type: string;
    readonly kind: string;
    readonly resource: string;
    readonly action: string;
  }[];
};

/** Work of one question. */
const MAX_QUESTION = 4000;

/**
 * Whether statements can hold together, in a request for which none of their parts errs. Yes also
 * where that is not known.
 */
export function canHold(
  statements: readonly Statement[],
  budget: Allowance,
  world: World = {},
): boolean {
  const leaves = statements.flatMap((statement) => leavesOf(statement));
  const variables = new Map<Term, number>();
  for (const { atom } of leaves) variables.set(atom.term, variables.size);
  const terms = [...variables.keys()];
  for (const [i, term] of terms.entries()) variables.set(term, i);
  if (!terms.every((term) => enumerateWithin(term, budget))) return true;
  const domains = terms.map(({ values }) => firstBits(values.length));
  for (const { atom } of leaves) {
    const variable = variables.get(atom.term) ?? 0;
    domains[variable] = (domains[variable] ?? 0n) & atom.definedValues;
  }
  const variableOf: VariableOf = (term) => variables.get(term) ?? 0;
  const constraints = [
    ...statements.map((statement) => constraintOf(statement, variableOf)),
    ...cutsAgree(terms, variableOf),
    ...countsAgree(terms, variableOf),
    ...activitiesAgree(terms, world, variableOf),
  ];
  const work = { steps: 0, maxSteps: Math.min(MAX_QUESTION, budget.steps) };
  const result = solve({ domains, constraints, sums: [] }, work, () => true);
  budget.steps -= Math.min(work.steps, work.maxSteps);
  return result !== "none";
}

function enumerateWithin(term: Term, budget: Allowance): boolean {
  const work = { steps: 0, most: budget.steps };
  const isDone = enumerateValues(term, { isSliced: true, isAnyForm: true, work });
  budget.steps -= work.steps;
  return isDone;
}

const FIELDS = ["type", "kind", "resource", "action"] as const;

/** That the request is one of the activities there are, or else that its kind is that of its type. */
function activitiesAgree(
  terms: readonly Term[],
  { activities }: World,
  variableOf: VariableOf,
): Constraint[] {
  const asked = FIELDS.flatMap((field) => {
    const term = terms.find(({ key }) => key === `activity.${field}`);
    return term ? { field, term, placeOf: placesIn(term) } : [];
  });
  if (asked.length === 0) return [];
  if (activities) {
    const operands = activities.map((activity): Constraint => {
      const is = asked.map(({ field, term, placeOf }) => {
        return within(variableOf(term), placeOf(activity[field]));
      });
      return { kind: "and", operands: is };
    });
    return [{ kind: "or", operands }];
  }
  const [type, kind] = asked;
  if (type?.field !== "type" || kind?.field !== "kind") return [];
  // The last text stands for all that no policy writes out.
  return type.term.values.slice(0, -1).map((text, i) => {
    const conclusion = within(variableOf(kind.term), kind.placeOf(kindOf(String(text))));
    return implies(within(variableOf(type.term), bit(i)), conclusion);
  });
}

/** Finds the values that stand for a text: that of the text itself, or of all that are not named. */
function placesIn({ values, atoms }: Term): (text: string) => bigint {
  const places = new Map(values.map((value, i) => [value, bit(i)]));
  // Texts that differ in case alone may stand for each other.
  const others = atoms.some(({ isLowered }) => isLowered)
    ? firstBits(values.length)
    : bit(values.length - 1);
  return (text) => places.get(text) ?? others;
}

/** An activity's type without prefix and version. */
export function kindOf(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");
}
