import type { User } from "../consensus.ts";
import { type CompiledPolicy, compilePolicy, type PolicyText } from "../decide.ts";
import { MAX_DECISION_STEPS } from "../limits.ts";
import { firstBits } from "../logic/bits.ts";
import { isLargerThan, leavesOf, not } from "../logic/formula.ts";
import { newVocabulary } from "../logic/reading-context.ts";
import { slicesAgree } from "../logic/relations.ts";
import {
  type Budget,
  type Constraint,
  type Domains,
  type Problem,
  simplify,
  solve,
} from "../logic/solve.ts";
import type { Term } from "../logic/terms.ts";
import { enumerateValues, isCounted } from "../logic/values.ts";
import { ACTIVITY, isActivity, type KnownActivity } from "./comparison/activities.ts";
import { all, isDenying, isTrue, readClause, rulesFor } from "./comparison/constraints.ts";
import { type Example, exampleOf, type Sides } from "./comparison/example.ts";
import { type Question, questionsOf, readPolicy, type Side } from "./comparison/questions.ts";
import { type Reason, reasonsFor, tooLarge, tooManyTags } from "./comparison/reasons.ts";
import { anySituation, POSSIBLE } from "./comparison/roots.ts";
import { type Ballots, newBallots } from "./comparison/votes.ts";
import { isCountable, type Voters } from "./comparison/words.ts";

// Whether a changed set of policies allows more than before, for those who review the change.

/** Whether a second set of policies allows anything that a first one does not. */
export type Comparison =
  | { readonly answer: "no more" }
  | { readonly answer: "more"; readonly example: Example }
  | { readonly answer: "unknown"; readonly reasons: readonly Reason[] };

/** What is known of the organization. Without users, anybody with any tags may approve. */
export type Organization = {
  readonly users?: readonly User[];
  /** Both sets allow what the quorum allows, so such requests are not examples. */
  readonly rootQuorum?: { readonly threshold: number; readonly userIds: readonly string[] };
  /** All activities of the service. Without them, any type may have any resource and action. */
  readonly activities?: readonly KnownActivity[];
};

/**
 * Whether `after` allows a request that `before` does not. Only policies count: users need no
 * policy to change their own credentials, so such changes are left out. The answer is exact for
 * combinations of comparisons with literals and of numbers of approvals. Any other part counts as
 * some value, the same wherever its text is the same. Both sets have decided about an example. "no
 * more" holds for every request that can be decided within the limits of work. Throws a PolicyError
 * for a clause that cannot be read.
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
  const vocabulary = newVocabulary({
    firstVariable: ACTIVITY + 1,
    isOfVotes: (list) => isCountable(list, organization),
  });
  const read = (set: Side) => sides[set].map((one) => readPolicy(one, set, vocabulary));
  const texts = [...read("before"), ...read("after")];
  const rules = rulesFor(rootQuorum).map((rule) => readClause(rule, vocabulary));
  const terms = [...vocabulary.terms.values()];
  const isSmall =
    [sides.before, sides.after].every(isDecidable) && enumerateAll(terms, organization);
  const policies = texts.map((policy) => {
    const isDenial = policy.effect === "EFFECT_DENY";
    const applies = isDenial ? isDenying(policy.clauses) : all(policy.clauses.map(isTrue));
    return { ...policy, applies };
  });
  const questions = questionsOf(policies);
  if (!isSmall && questions.length > 0) return unknown(questions.flatMap(tooLarge));

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
    // A hard question must leave enough work for those after it.
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
/** Of one policy, as a formula. */
const MAX_SIZE = 200_000;

/** Requests to make from the solutions of one question before giving it up. */
const MAX_TRIES = 40;

const MAX_REASONS = 20;

type Search = {
  readonly terms: readonly Term[];
  readonly voters: Voters;
  readonly base: readonly Constraint[];
  /** By the terms they decide about. */
  readonly ballots: Map<string, Ballots>;
  readonly sides: Sides;
};

type Answer = { readonly example: Example } | { readonly reasons: readonly Reason[] };

/** Whether even a small request leaves most of the work that a decision may take. */
function isDecidable(policies: readonly CompiledPolicy[]): boolean {
  const clauses = policies.flatMap(({ condition, consensus, time }) => [
    condition,
    consensus,
    time,
  ]);
  const steps = clauses.reduce((sum, clause) => sum + (clause?.steps ?? 0), 0);
  return steps <= MAX_DECISION_STEPS / 4;
}

function enumerateAll(terms: readonly Term[], { users }: Voters): boolean {
  const work = { steps: 0, most: MAX_WORK };
  return terms.every((term) => enumerateValues(term, { voters: users?.length, work }));
}

function ask(question: Question, search: Search, budget: Budget): Answer {
  const { terms, base, sides } = search;
  const { apply, others } = question;
  const isTooLarge = [...apply, ...others].some(({ applies }) => isLargerThan(applies, MAX_SIZE));
  if (isTooLarge) return { reasons: tooLarge(question) };
  // The policies that apply leave little open, so most of the others then say nothing more.
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
  const idle = others.map(({ applies }): Constraint => not(applies));
  const constraints = [...premise.constraints, ...idle];
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
  // Independent counts allow more than real votes do, so if they have no solution, votes have none.
  if (isCut && tries === 0) {
    const isNothing = solve(start, budget, () => true) === "none";
    return isNothing ? NOTHING : { reasons: tooManyTags(question) };
  }
  if (tries === 0) return NOTHING;
  const reasons = reasonsFor(doubts, question);
  return { reasons: reasons.length > 0 ? reasons : tooLarge(question) };
}

const NOTHING: Answer = { reasons: [] };

/** Variables for the votes, as far as the question still depends on them. */
function ballotsFor({ domains, constraints }: Problem, search: Search, budget: Budget): Ballots {
  const { terms, voters, ballots } = search;
  const open = new Set(constraints.flatMap(leavesOf).map(({ variable }) => variable));
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

/**
 * Terms whose value a solution needs but an example may not have: terms that are not exact, or else
 * those that requests of some kinds cannot have.
 */
function reliedOn(solution: Domains, terms: readonly Term[]): Term[] {
  const needed = terms.filter(({ variable, values }) => {
    return solution[variable] !== firstBits(values.length);
  });
  const inexact = needed.filter((term) => {
    return term.source.kind === "votes" ? !isCounted(term) : term.source.kind !== "path";
  });
  return inexact.length > 0 ? inexact : needed.filter(({ mayErr }) => mayErr);
}

function unknown(reasons: readonly Reason[]): Comparison {
  const seen = new Set<string>();
  const distinct = reasons.filter((reason) => {
    const key = JSON.stringify(reason);
    return !seen.has(key) && seen.add(key);
  });
  return { answer: "unknown", reasons: distinct.slice(0, MAX_REASONS) };
}
