import type { Clause, Expression } from "./ast.ts";
import { check } from "./check.ts";
import { ACTIVITY, isActivity, type KnownActivity } from "./compare-activities.ts";
import { type Example, exampleOf, type Sides } from "./compare-example.ts";
import { newVocabulary, readClause, type Vocabulary } from "./compare-read.ts";
import { type Reason, reasonsFor } from "./compare-reasons.ts";
import { anySituation, hasRoot, POSSIBLE } from "./compare-roots.ts";
import { slicesAgree, stepsOf } from "./compare-slices.ts";
import {
  type Budget,
  type Constraint,
  type Domains,
  firstBits,
  type Problem,
  simplify,
  solve,
} from "./compare-solve.ts";
import type { ReadClause, Sentence, Term } from "./compare-terms.ts";
import { keyOf } from "./compare-tree.ts";
import { enumerateValues, isCounted } from "./compare-values.ts";
import { type Ballots, newBallots, type Voters } from "./compare-votes.ts";
import type { User } from "./consensus.ts";
import { type CompiledPolicy, compilePolicy, type PolicyText } from "./decide.ts";
import { type Compiled, prepare } from "./evaluate.ts";

/** Whether a second set of policies allows anything that a first one does not. */
export type Comparison =
  | { readonly answer: "no more" }
  | { readonly answer: "more"; readonly example: Example }
  | { readonly answer: "unknown"; readonly reasons: readonly Reason[] };

/** What is known of the organization. Without users, anybody with any tags may approve. */
export type Organization = {
  readonly users?: readonly User[];
  /** What the quorum allows, both sets allow: such requests are no examples. */
  readonly rootQuorum?: { readonly threshold: number; readonly userIds: readonly string[] };
  /** All activities of the service. Without them, any type may have any resource and action. */
  readonly activities?: readonly KnownActivity[];
};

/**
 * Whether `after` allows a request that `before` does not, by policies alone: changes of one's own
 * credentials, which need none, are left aside. Exact for combinations of comparisons with
 * literals and of numbers of approvals; a part beyond that counts as some value, the same wherever
 * its text is the same. An example has been decided about by both sets; "no more" holds for every
 * request that an evaluation can finish. Throws a PolicyError for a clause that cannot be read.
 */
export function comparePolicies(
  before: readonly PolicyText[],
  after: readonly PolicyText[],
  organization: Organization = {},
): Comparison {
  const { rootQuorum = NO_QUORUM, activities } = organization;
  const sides: Sides = {
    before: before.map(compilePolicy),
    after: after.map(compilePolicy),
    rootQuorum,
    activities: activities?.map(({ type, kind, resource, action }) => {
      return { type, kind, resource, action };
    }),
  };
  const vocabulary = newVocabulary(ACTIVITY + 1, organization);
  const read = (set: Reason["set"]) => sides[set].map((one) => readPolicy(one, set, vocabulary));
  const texts = [...read("before"), ...read("after")];
  const rules = rulesFor(rootQuorum).map((rule) => readClause(rule, vocabulary));
  const terms = [...vocabulary.terms.values()];
  const isSmall = enumerateAll(terms, organization);
  const policies = texts.map((policy) => ({ ...policy, applies: all(policy.clauses.map(isTrue)) }));
  const questions = questionsOf(policies);
  if (!isSmall) return unknown(questions.flatMap(tooLarge));

  const search: Search = {
    terms,
    voters: organization,
    sides,
    base: [
      POSSIBLE,
      ...rules.map(isTrue),
      ...slicesAgree(terms),
      ...(activities ? isActivity(activities, terms) : []),
    ],
    ballots: new Map(),
  };
  const reasons: Reason[] = [];
  let left = MAX_STEPS;
  for (const [i, question] of questions.entries()) {
    // A hard question leaves enough for those after it.
    const budget = { steps: 0, maxSteps: left / Math.min(questions.length - i, 2) };
    const answer = ask(question, search, budget);
    left -= Math.min(budget.steps, left);
    if ("example" in answer) return { answer: "more", example: answer.example };
    reasons.push(...answer.reasons);
  }
  return reasons.length === 0 ? { answer: "no more" } : unknown(reasons);
}

const NO_QUORUM = { threshold: 1, userIds: [] };

/** Statements looked at by a comparison, and work to find out which values they hold for. */
const MAX_STEPS = 3_000_000;
const MAX_WORK = 4_000_000;

/** Requests that are made of the solutions of one question before it is given up. */
const MAX_TRIES = 40;

const MAX_REASONS = 20;

type PolicyClauses = {
  readonly policyId: string;
  readonly set: Reason["set"];
  readonly effect: CompiledPolicy["effect"];
  readonly clauses: readonly ReadClause[];
  /** Policies of the same text have the same effect, whatever they are called. */
  readonly key: string;
};

type Policy = PolicyClauses & { readonly applies: Constraint };

/** Requests for which the one policies apply and the others do not. */
type Question = { readonly apply: readonly Policy[]; readonly others: readonly Policy[] };

type Search = {
  readonly terms: readonly Term[];
  readonly voters: Voters;
  readonly base: readonly Constraint[];
  /** By the terms they decide about. */
  readonly ballots: Map<string, Ballots>;
  readonly sides: Sides;
};

type Answer = { readonly example: Example } | { readonly reasons: readonly Reason[] };

function readPolicy(
  policy: CompiledPolicy,
  set: Reason["set"],
  vocabulary: Vocabulary,
): PolicyClauses {
  const { policyId, effect, condition, consensus, time } = policy;
  const present = [condition, consensus, time].filter((clause) => clause !== undefined);
  const clauses = present.map((clause) => readClause(clause, vocabulary));
  const keys = present.map(({ clause, expression }) => `${clause} ${keyOf(expression)}`);
  return { policyId, set, effect, clauses, key: [effect, ...keys].join("\n") };
}

/**
 * The second set allows more if one of its ALLOWs applies, none of its DENYs does, and in the
 * first set either no ALLOW applies or some DENY does.
 */
function questionsOf(policies: readonly Policy[]): Question[] {
  const pick = (set: Policy["set"], effect: Policy["effect"]) => {
    return policies.filter((policy) => policy.set === set && policy.effect === effect);
  };
  const lacks = (some: readonly Policy[], { key }: Policy) => some.every((one) => one.key !== key);
  const allowsBefore = pick("before", "EFFECT_ALLOW");
  const allowsAfter = pick("after", "EFFECT_ALLOW");
  const denysAfter = pick("after", "EFFECT_DENY");
  const newAllows = allowsAfter.filter((policy) => lacks(allowsBefore, policy));
  const lostDenys = pick("before", "EFFECT_DENY").filter((policy) => lacks(denysAfter, policy));
  return [
    ...newAllows.map((allow) => ({ apply: [allow], others: [...denysAfter, ...allowsBefore] })),
    ...lostDenys.flatMap((deny) => {
      return allowsAfter.map((allow) => ({ apply: [allow, deny], others: denysAfter }));
    }),
  ];
}

/** What holds of every decision by policies: somebody submitted, and the quorum is not complete. */
function rulesFor({ threshold, userIds }: Sides["rootQuorum"]): Compiled[] {
  const span = { start: 0, end: 0 };
  const approvers: Expression = { kind: "name", name: "approvers", ...span };
  const text = (value: string): Expression => ({ kind: "string", value, ...span });
  const name: Expression = { kind: "name", name: "u", ...span };
  const id: Expression = { kind: "field", object: name, name: "id", nameSpan: span, ...span };
  const isRoot: Expression = {
    kind: "compare",
    operator: "in",
    left: id,
    right: { kind: "list", items: userIds.map(text), ...span },
    ...span,
  };
  const roots: Expression = {
    kind: "quantifier",
    name: "filter",
    object: approvers,
    variable: "u",
    predicate: isRoot,
    ...span,
  };
  const rule = (list: Expression, operator: ">=" | "<", bound: number) => {
    const count: Expression = {
      kind: "method",
      object: list,
      name: "count",
      nameSpan: span,
      arguments: [],
      ...span,
    };
    const right: Expression = { kind: "int", value: BigInt(bound), ...span };
    const expression: Expression = { kind: "compare", operator, left: count, right, ...span };
    return prepare(check("consensus", "", expression));
  };
  const submitted = rule(approvers, ">=", 1);
  const hasQuorum = threshold >= 1 && userIds.length >= threshold;
  return hasQuorum ? [submitted, rule(roots, "<", threshold)] : [submitted];
}

function enumerateAll(terms: readonly Term[], { users }: Voters): boolean {
  const work = { steps: 0, most: MAX_WORK };
  const sliced = new Set(terms.filter(({ source }) => source.kind === "slice").map(stepsOf));
  return terms.every((term) => {
    const isSliced = sliced.has(stepsOf(term));
    return enumerateValues(term, { voters: users?.length, isSliced, work });
  });
}

function ask(question: Question, search: Search, budget: Budget): Answer {
  const { terms, base, sides } = search;
  const { apply, others } = question;
  // What applies leaves little open, and most of the other policies then say nothing more.
  const premise = simplify(
    {
      domains: [
        ...anySituation(),
        firstBits(sides.activities?.length ?? 1),
        ...terms.map(({ values }) => firstBits(values.length)),
      ],
      constraints: [...base, ...apply.map(({ applies }) => applies)],
      sums: [],
    },
    budget,
  );
  if (premise === "none") return NOTHING;
  if (premise === "exhausted") return { reasons: tooLarge(question) };
  const constraints = [...premise.constraints, ...others.map(isIdle)];
  const start = simplify({ ...premise, constraints }, budget);
  if (start === "none") return NOTHING;
  if (start === "exhausted") return { reasons: tooLarge(question) };

  const { ballots, sums, isCut } = ballotsFor(start, search, budget);
  const domains = [...start.domains, ...ballots.map(({ size }) => firstBits(size))];
  const doubts = new Set<Term>();
  let example: Example | undefined;
  let tries = 0;
  const result = solve({ ...start, domains, sums }, budget, (solution) => {
    example = exampleOf(solution, terms, ballots, sides);
    if (!example) for (const term of reliedOn(solution, terms)) doubts.add(term);
    return example !== undefined || ++tries >= MAX_TRIES;
  });
  if (example) return { example };
  if (result === "exhausted" && tries === 0) return { reasons: tooLarge(question) };
  // With each count for itself more is possible than with votes, so nothing then is nothing.
  if (isCut && tries === 0) {
    const isNothing = solve(start, budget, () => true) === "none";
    return isNothing ? NOTHING : { reasons: tooManyTags(question) };
  }
  if (tries === 0) return NOTHING;
  const reasons = reasonsFor(doubts, placesOf(question));
  return { reasons: reasons.length > 0 ? reasons : tooLarge(question) };
}

const NOTHING: Answer = { reasons: [] };

/** Variables for the votes, as far as the question still depends on them. */
function ballotsFor({ domains, constraints }: Problem, search: Search, budget: Budget): Ballots {
  const { terms, voters, ballots } = search;
  const open = new Set(constraints.flatMap(variablesOf));
  const asked = terms.filter((term) => {
    const { variable, values } = term;
    const isOpen = open.has(variable) || domains[variable] !== firstBits(values.length);
    return isOpen && term.source.kind === "votes" && (voters.users || isCounted(term));
  });
  const key = asked.map(({ variable }) => variable).join();
  const known = ballots.get(key);
  if (known) return known;
  const made = newBallots(asked, voters, domains.length, budget);
  ballots.set(key, made);
  return made;
}

/** Terms whose value a solution needs, and that an example may not give. */
function reliedOn(solution: Domains, terms: readonly Term[]): Term[] {
  return terms.filter((term) => {
    const { variable, values, source } = term;
    if (source.kind === "path" || (source.kind === "votes" && isCounted(term))) return false;
    return solution[variable] !== firstBits(values.length);
  });
}

function isIdle({ applies }: Policy): Constraint {
  return { kind: "not", operand: applies };
}

/** That a clause is true: what it reads is there, nothing in it errs, and it holds. */
function isTrue({ sentence, occurrences, alwaysErrs }: ReadClause): Constraint {
  if (alwaysErrs) return { kind: "constant", value: false };
  const atoms = new Set(occurrences.map(({ atom }) => atom));
  const roots = new Set([...atoms].flatMap(({ term }) => term.roots));
  const isThere = [...roots].flatMap((root) => hasRoot(root) ?? []);
  const isDefined = [...atoms].flatMap(({ term: { variable, values }, definedValues }) => {
    if (definedValues === firstBits(values.length)) return [];
    return { kind: "within" as const, variable, values: definedValues };
  });
  return all([...isThere, ...isDefined, constraintOf(sentence)]);
}

function constraintOf(sentence: Sentence): Constraint {
  switch (sentence.kind) {
    case "constant":
      return sentence;
    case "atom": {
      const { term, trueValues } = sentence.atom;
      return { kind: "within", variable: term.variable, values: trueValues };
    }
    case "not":
      return { kind: "not", operand: constraintOf(sentence.operand) };
    case "and":
    case "or":
      return { kind: sentence.kind, operands: sentence.operands.map(constraintOf) };
    case "same":
      return {
        kind: "same",
        left: constraintOf(sentence.left),
        right: constraintOf(sentence.right),
      };
  }
}

function all(operands: readonly Constraint[]): Constraint {
  return { kind: "and", operands };
}

function variablesOf(constraint: Constraint): number[] {
  switch (constraint.kind) {
    case "constant":
      return [];
    case "within":
      return [constraint.variable];
    case "not":
      return variablesOf(constraint.operand);
    case "and":
    case "or":
      return constraint.operands.flatMap(variablesOf);
    case "same":
      return [constraint.left, constraint.right].flatMap(variablesOf);
  }
}

function placesOf({ apply, others }: Question) {
  return [...apply, ...others].flatMap(({ policyId, set, clauses }) => {
    return clauses.map(({ clause, occurrences }) => ({ policyId, set, clause, occurrences }));
  });
}

function tooLarge(question: Question): Reason[] {
  return wholeClauses(
    question,
    ["condition", "consensus", "time"],
    "whether a request meets this and no other policy takes too long to find out",
  );
}

function tooManyTags(question: Question): Reason[] {
  const message = "here and in other policies are too many ids and tags to try all approvers";
  return wholeClauses(question, ["consensus"], message);
}

/** Reasons that have no smaller place than the clauses that would have to be true. */
function wholeClauses({ apply }: Question, wanted: readonly Clause[], message: string): Reason[] {
  const places = apply.flatMap(({ policyId, set, clauses }) => {
    const found = clauses.filter(({ clause }) => wanted.includes(clause));
    return found.map(({ clause, length }) => ({
      policyId,
      set,
      clause,
      start: 0,
      end: length,
      message,
    }));
  });
  if (places.length > 0) return places;
  return apply.map(({ policyId, set }) => {
    return { policyId, set, clause: wanted[0] ?? "condition", start: 0, end: 0, message };
  });
}

function unknown(reasons: readonly Reason[]): Comparison {
  const seen = new Set<string>();
  const distinct = reasons.filter((reason) => {
    const key = JSON.stringify(reason);
    return !seen.has(key) && seen.add(key);
  });
  return { answer: "unknown", reasons: distinct.slice(0, MAX_REASONS) };
}
