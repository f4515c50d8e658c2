import { bit, firstBits } from "./bits.ts";
import { denies, hasNoAbsentRoot } from "./denial.ts";
import { isLargerThan, leavesOf, mapLeaves, not } from "./formula.ts";
import type { Allowance } from "./reading-context.ts";
import { countsAgree, cutsAgree, type VariableOf } from "./relations.ts";
import { type Constraint, implies, solve, within } from "./solve.ts";
import type { Statement, Term } from "./terms.ts";
import { enumerateValues } from "./values.ts";

// Questions to the solver about requests of which only the types are known.

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

/** Work allowed for one question. */
const MAX_QUESTION = 4000;

/** Another clause that must not apply: not be true or, as the condition of a DENY, not deny. */
export type Other = { readonly clause: Statement; readonly isDenial: boolean };

/**
 * Whether some request makes all statements true without an error in any part, while none of the
 * other clauses applies. If that is not known, the answer is yes.
 */
export function isSatisfiable(
  statements: readonly Statement[],
  budget: Allowance,
  world: World = {},
  others: readonly Other[] = [],
): boolean {
  if (budget.steps <= 0) return true;
  const question: Question = { variables: new Map(), domains: [], budget, isKnown: true };
  const constraints = [
    ...statements.map((statement) => constraintOf(statement, question)),
    ...others.map(({ clause, isDenial }) => {
      return not(isDenial ? isDenying(clause, question) : isTrue(clause, question));
    }),
  ];
  const { variables, domains } = question;
  const told = new Set<Term>();
  for (const { atom } of statements.flatMap((statement) => leavesOf(statement))) {
    const variable = variables.get(atom.term) ?? 0;
    told.add(atom.term);
    domains[variable] = (domains[variable] ?? 0n) & atom.definedValues;
  }
  if (!question.isKnown) return true;
  const terms = [...variables.keys()];
  const variableOf: VariableOf = (term) => variables.get(term) ?? 0;
  constraints.push(
    ...cutsAgree([...told], variableOf),
    ...countsAgree(terms, variableOf),
    ...activitiesAgree(terms, world, variableOf),
  );
  const work = { steps: 0, maxSteps: Math.min(MAX_QUESTION, budget.steps) };
  const result = solve({ domains, constraints, sums: [] }, work, () => true);
  budget.steps -= Math.min(work.steps, work.maxSteps);
  return result !== "none";
}

/** The terms that are asked about, each with its variable. */
type Question = {
  readonly variables: Map<Term, number>;
  readonly domains: bigint[];
  readonly budget: Allowance;
  /** Whether there was enough work left to find their values. */
  isKnown: boolean;
};

function constraintOf(statement: Statement, question: Question): Constraint {
  return mapLeaves(statement, ({ atom }) =>
    within(variableIn(question, atom.term), atom.trueValues),
  );
}

function isTrue(clause: Statement, question: Question): Constraint {
  const areDefined = leavesOf(clause).map(({ atom }) => {
    return within(variableIn(question, atom.term), atom.definedValues);
  });
  return { kind: "and", operands: [...areDefined, constraintOf(clause, question)] };
}

function isDenying(clause: Statement, question: Question): Constraint {
  const terms = new Set(leavesOf(clause).map(({ atom }) => atom.term));
  const variableOf = (term: Term) => variableIn(question, term);
  const hasRoots = [...terms].map((term) => hasNoAbsentRoot(term, variableOf(term)));
  const denial = denies([clause], variableOf);
  // Equal booleans inside each other are repeated again and again.
  question.isKnown &&= !isLargerThan(denial, 2 * MAX_QUESTION);
  return { kind: "and", operands: [...hasRoots, denial] };
}

function variableIn(question: Question, term: Term): number {
  const { variables, domains, budget } = question;
  const known = variables.get(term);
  if (known !== undefined) return known;
  question.isKnown &&= enumerateWithin(term, budget);
  variables.set(term, domains.length);
  return domains.push(firstBits(term.values.length)) - 1;
}

function enumerateWithin(term: Term, budget: Allowance): boolean {
  const work = { steps: 0, most: budget.steps };
  const isDone = enumerateValues(term, { isAnyForm: true, work });
  budget.steps -= work.steps;
  return isDone;
}

/**
 * Constraints: the request is one of the known activities or, if none are known, its kind matches
 * its type.
 */
function activitiesAgree(
  terms: readonly Term[],
  { activities }: World,
  variableOf: VariableOf,
): Constraint[] {
  const asked = terms.filter(({ key }) => FIELDS.has(key));
  if (activities && asked.length > 0) {
    const fields = asked.map((term) => {
      // Only the fields of an activity have these keys.
      const field = term.key.slice("activity.".length) as keyof (typeof activities)[number];
      return { field, variable: variableOf(term), placeOf: placesIn(term) };
    });
    const operands = activities.map((activity): Constraint => {
      const is = fields.map(({ field, variable, placeOf }) => {
        return within(variable, placeOf(activity[field]));
      });
      return { kind: "and", operands: is };
    });
    return [{ kind: "or", operands }];
  }
  const type = asked.find(({ key }) => key === "activity.type");
  const kind = asked.find(({ key }) => key === "activity.kind");
  if (!type || !kind) return [];
  const placeOf = placesIn(kind);
  // The last text represents all texts that no policy writes out.
  return type.values.slice(0, -1).map((text, i) => {
    const conclusion = within(variableOf(kind), placeOf(kindOf(String(text))));
    return implies(within(variableOf(type), bit(i)), conclusion);
  });
}

const FIELDS = new Set(["activity.type", "activity.kind", "activity.resource", "activity.action"]);

/**
 * Finds the values that represent a text: the text itself, or the value for all texts that are not
 * named.
 */
function placesIn({ values, atoms }: Term): (text: string) => bigint {
  const places = new Map(values.map((value, i) => [value, bit(i)]));
  // Texts that differ only in case may represent each other.
  const others = atoms.some(({ isLowered }) => isLowered)
    ? firstBits(values.length)
    : bit(values.length - 1);
  return (text) => places.get(text) ?? others;
}

/** An activity's type without prefix and version. */
export function kindOf(type: string): string {
  return type.replace(/^ACTIVITY_TYPE_/, "").replace(/_V\d+$/, "");
}
