import { CLAUSES, type Clause } from "./ast.ts";
import type { CompiledPolicy, Effect, PolicyEvaluation, PolicyOutcome } from "./compiled-policy.ts";
import {
  type Credential,
  consensusEnvironment,
  type Electorate,
  isPivotal,
  isReachable,
  isSurelyPivotal,
  newElectorate,
  possibleVotes,
  type User,
  type Vote,
} from "./consensus.ts";
import { type Environment, makeEnvironment } from "./environment.ts";
import {
  type Compiled,
  compile,
  type Evaluator,
  evaluatorOf,
  exhausted,
  type Work,
} from "./evaluate.ts";
import { MAX_DECISION_STEPS } from "./limits.ts";
import { groupPolicies, matcherOf, type PolicyGroup } from "./policy-groups.ts";
import type { Failure } from "./values.ts";

export type { CompiledPolicy, Effect, PolicyEvaluation, PolicyOutcome };

export type PolicyText = {
  readonly policyId: string;
  readonly effect: Effect;
  /** An absent clause is true. */
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
};

/** Policies in their order. `groups` describes this list: it makes decisions faster, not different. */
export type PolicyList = readonly CompiledPolicy[] & { readonly groups?: readonly PolicyGroup[] };

/** Everything a decision depends on. */
export type DecisionInput = {
  readonly policies: PolicyList;
  /** What conditions see; made by `makeEnvironment` or `lazyEnvironment`. */
  readonly environment: Environment;
  /** All users of the organization, tags as ids. */
  readonly users: readonly User[];
  /** Counted votes in their order: the first one submitted the activity. */
  readonly approvals: readonly { readonly userId: string; readonly credential?: Credential }[];
  readonly rootQuorum: { readonly threshold: number; readonly userIds: readonly string[] };
  /** Trusted time in RFC 3339, UTC; without it a `time` clause errs. */
  readonly now?: string;
  /** The activity creates or deletes credentials of the user who submitted it. */
  readonly isOwnCredentialChange?: boolean;
  /** No policy can allow the activity. */
  readonly isRootQuorumOnly?: boolean;
};

export type Decision = {
  readonly outcome:
    | "OUTCOME_ALLOW"
    | "OUTCOME_DENY_EXPLICIT"
    | "OUTCOME_DENY_IMPLICIT"
    | "OUTCOME_REQUIRES_CONSENSUS";
  /** What decided the outcome; `default` means that nothing allowed the activity. */
  readonly reason: "rootQuorum" | "policies" | "ownCredentials" | "default";
  /** Empty if policies were not asked. */
  readonly evaluations: readonly PolicyEvaluation[];
};

/** Reads the clauses of a policy. Throws a PolicyError for the first one that is wrong. */
export function compilePolicy(policy: PolicyText): CompiledPolicy {
  return compileWith(compile, policy);
}

function compileWith(compileClause: typeof compile, policy: PolicyText): CompiledPolicy {
  const { policyId, effect, condition, consensus, time } = policy;
  return {
    policyId,
    effect,
    condition: condition === undefined ? undefined : compileClause("condition", condition),
    consensus: consensus === undefined ? undefined : compileClause("consensus", consensus),
    // An empty time is documented to mean always. For the other clauses, absence means that.
    time: time === undefined || time === "" ? undefined : compileClause("time", time),
  };
}

/**
 * Like `compilePolicy`, but clauses with the same text are compiled once, and a decision evaluates
 * them once. `compileClause` may return a clause that it compiled earlier. The list says which of the
 * policies are alike.
 */
export function compilePolicies(
  policies: readonly PolicyText[],
  compileClause: typeof compile = compile,
): PolicyList {
  const uses = new Map<string, number>();
  for (const { condition, consensus, time } of policies) {
    for (const text of [condition, consensus, time]) {
      if (text !== undefined) uses.set(text, (uses.get(text) ?? 0) + 1);
    }
  }
  const shared = new Map<string, Compiled>();
  const compileOnce = (clause: Clause, source: string) => {
    if ((uses.get(source) ?? 0) < 2) return compileClause(clause, source);
    const key = `${clause} ${source}`;
    const compiled = shared.get(key) ?? { ...compileClause(clause, source), isShared: true };
    shared.set(key, compiled);
    return compiled;
  };
  const list = policies.map((policy) => compileWith(compileOnce, policy));
  return Object.assign(list, { groups: groupPolicies(list) });
}

/**
 * Decides about an activity. Deny wins. An ALLOW that errs allows nothing, a DENY that errs denies
 * unless what it reads is absent from this kind of request, and an activity that nothing allows
 * does not happen. `work` counts the steps taken.
 */
export function decide(request: DecisionInput, work?: Work): Decision {
  const votes = votesOf(request);
  const { rootQuorum, isRootQuorumOnly, isOwnCredentialChange } = request;
  const isRoot = ({ user }: Vote) => rootQuorum.userIds.includes(user.id);
  const [submission] = votes;
  const needsRootVotes = submission !== undefined && isRoot(submission);
  const { threshold } = rootQuorum;
  if (threshold >= 1 && votes.filter(isRoot).length >= threshold) {
    return { outcome: "OUTCOME_ALLOW", reason: "rootQuorum", evaluations: [] };
  }
  if (isRootQuorumOnly) {
    const outcome = needsRootVotes ? "OUTCOME_REQUIRES_CONSENSUS" : "OUTCOME_DENY_IMPLICIT";
    return { outcome, reason: "rootQuorum", evaluations: [] };
  }

  const evaluations = evaluateAll(request, votes, work);
  const has = (outcome: PolicyOutcome) => evaluations.some((each) => each.outcome === outcome);
  if (has("OUTCOME_DENY_EXPLICIT")) {
    // Root users can undo a denial that shuts them out, but only as a quorum.
    if (needsRootVotes) {
      return { outcome: "OUTCOME_REQUIRES_CONSENSUS", reason: "rootQuorum", evaluations };
    }
    return { outcome: "OUTCOME_DENY_EXPLICIT", reason: "policies", evaluations };
  }
  if (has("OUTCOME_ALLOW")) return { outcome: "OUTCOME_ALLOW", reason: "policies", evaluations };
  if (has("OUTCOME_REQUIRES_CONSENSUS")) {
    return { outcome: "OUTCOME_REQUIRES_CONSENSUS", reason: "policies", evaluations };
  }
  if (isOwnCredentialChange && submission) {
    return { outcome: "OUTCOME_ALLOW", reason: "ownCredentials", evaluations };
  }
  if (needsRootVotes) {
    return { outcome: "OUTCOME_REQUIRES_CONSENSUS", reason: "rootQuorum", evaluations };
  }
  return { outcome: "OUTCOME_DENY_IMPLICIT", reason: "default", evaluations };
}

/**
 * Whether a user's vote can matter. It can for root users, and for users whom a matching ALLOW
 * waits for.
 */
export function mayVote(request: DecisionInput, userId: string, work?: Work): boolean {
  return isAwaited(request, userId, { pivots: isPivotal, work });
}

/**
 * Like `mayVote`, but for a rejection, which ends the activity. If it is in doubt whether a rule
 * waits for the vote, an approval does no harm, but a rejection does.
 */
export function mayReject(request: DecisionInput, userId: string, work?: Work): boolean {
  return isAwaited(request, userId, { pivots: isSurelyPivotal, work });
}

function isAwaited(
  request: DecisionInput,
  userId: string,
  { pivots, work }: { pivots: typeof isPivotal; work: Work | undefined },
): boolean {
  const { users, rootQuorum, isRootQuorumOnly } = request;
  const user = users.find(({ id }) => id === userId);
  if (!user) return false;
  if (rootQuorum.userIds.includes(userId)) return true;
  if (isRootQuorumOnly) return false;
  const context = contextOf(request, votesOf(request));
  const counts = request.policies.some((policy) => {
    const { condition, consensus, time } = valuesOf(policy, context);
    if (policy.effect !== "EFFECT_ALLOW" || condition !== true || time !== true) return false;
    if (typeof consensus !== "boolean" || !policy.consensus) return false;
    return pivots(policy.consensus, possibleVotes(user), context.electorate);
  });
  if (work) work.steps += stepsOf(context);
  return counts;
}

export type Context = {
  readonly environmentOf: (clause: Clause) => Environment;
  readonly evaluators: Partial<Record<Clause, Evaluator>>;
  readonly votes: readonly Vote[];
  readonly electorate: Electorate;
  /** The steps that the clauses of all policies have taken. */
  readonly work: Work;
  /** Values, so far, of clauses that several policies of one effect share. */
  readonly values: Readonly<Record<Effect, Map<Compiled, boolean | Failure>>>;
};

/** The environments that the clauses read. Few policies look at the clock. */
export function environmentsOf(
  request: DecisionInput,
  votes: readonly Vote[],
  shown?: Electorate["shown"],
): (clause: Clause) => Environment {
  const known: Partial<Record<Clause, Environment>> = { condition: request.environment };
  return (clause) => {
    known[clause] ??=
      clause === "time"
        ? makeEnvironment({ time: { now: request.now } })
        : consensusEnvironment(votes, shown);
    return known[clause];
  };
}

export function contextOf(request: DecisionInput, votes: readonly Vote[]): Context {
  const electorate = newElectorate(request.users);
  return {
    environmentOf: environmentsOf(request, votes, electorate.shown),
    evaluators: {},
    votes,
    electorate,
    work: { steps: 0 },
    values: { EFFECT_ALLOW: new Map(), EFFECT_DENY: new Map() },
  };
}

function stepsOf({ work, electorate }: Context): number {
  return work.steps + electorate.work.steps;
}

/** What each policy says, in their order. */
function evaluateAll(
  request: DecisionInput,
  votes: readonly Vote[],
  work: Work = { steps: 0 },
): PolicyEvaluation[] {
  const { policies } = request;
  const context = contextOf(request, votes);
  const unmatched = findUnmatched(policies, context, work);
  const evaluations = policies.map(
    (policy, place) => unmatched[place] ?? evaluatePolicy(policy, context),
  );
  work.steps += stepsOf(context);
  if (unmatched.length === 0 || context.work.steps <= MAX_DECISION_STEPS) return evaluations;
  // Which policies the limit stops depends on the order in which they are evaluated.
  const inOrder = contextOf(request, votes);
  const again = policies.map((policy) => evaluatePolicy(policy, inOrder));
  work.steps += stepsOf(inOrder);
  return again;
}

/**
 * Finds policies that do not match among those that are alike: most of a long list. Those that share
 * a part that errs are evaluated one by one instead, like all others.
 */
function findUnmatched(
  { groups = [], length }: PolicyList,
  context: Context,
  work: Work,
): (PolicyEvaluation | undefined)[] {
  if (groups.length === 0) return [];
  const search: Work = { steps: 0 };
  const found = new Array<PolicyEvaluation | undefined>(length);
  for (const each of groups) {
    const { first, places, unmatched } = each;
    const matches = matcherOf(each, context.environmentOf("condition"), search);
    if (!matches) continue;
    const consensus = evaluateClause("consensus", first, context);
    const time = evaluateClause("time", first, context);
    if (typeof consensus !== "boolean" || typeof time !== "boolean") continue;
    for (let i = 0; i < places.length; i++) {
      if (matches(i)) continue;
      found[places[i] as number] = unmatched[i];
      context.work.steps += first.condition.steps;
    }
  }
  work.steps += search.steps;
  return found;
}

function evaluatePolicy(policy: CompiledPolicy, context: Context): PolicyEvaluation {
  const { policyId } = policy;
  const { condition, consensus, time } = valuesOf(policy, context);
  const hasValues =
    typeof condition === "boolean" && typeof consensus === "boolean" && typeof time === "boolean";
  if (!hasValues) return failedEvaluation(policy, { condition, consensus, time });
  // The condition of most policies is false: they are about other requests.
  const outcome = condition
    ? outcomeOf(policy, { consensus, time }, context)
    : "OUTCOME_DENY_IMPLICIT";
  return { policyId, outcome, failures: none };
}

function failedEvaluation({ policyId, effect }: CompiledPolicy, values: Values): PolicyEvaluation {
  const failures = CLAUSES.flatMap((clause) => {
    const failure = values[clause];
    return typeof failure === "boolean" ? [] : { clause, failure };
  });
  const isAllow = effect === "EFFECT_ALLOW";
  const outcome = isAllow ? "OUTCOME_ERROR" : FAILED_DENIAL[stateOfDenial(values)];
  return { policyId, outcome, failures: outcome === "OUTCOME_DENY_IMPLICIT" ? none : failures };
}

const none: PolicyEvaluation["failures"] = [];

const FAILED_DENIAL = {
  denies: "OUTCOME_DENY_EXPLICIT",
  "does not match": "OUTCOME_DENY_IMPLICIT",
  skipped: "OUTCOME_ERROR",
} as const;

type Values = Readonly<Record<Clause, boolean | Failure>>;

/**
 * What a DENY does. The client chooses the size and form of a request, so an error denies. The DENY
 * is skipped only if it reads what this kind of request does not have: a root in any case, a field
 * if the DENY depends on nothing else that errs.
 */
export function stateOfDenial(values: Values): keyof typeof FAILED_DENIAL {
  const clauses = Object.values(values);
  const failures = clauses.filter((value) => typeof value === "object");
  if (failures.some(({ absent }) => absent === "root")) return "skipped";
  if (clauses.includes(false)) return "does not match";
  return failures.length > 0 && failures.every(({ absent }) => absent) ? "skipped" : "denies";
}

/** The outcome of a policy whose condition is true. */
function outcomeOf(
  { effect, consensus }: CompiledPolicy,
  values: { readonly consensus: boolean; readonly time: boolean },
  context: Context,
): PolicyOutcome {
  if (values.consensus) {
    if (!values.time) return "OUTCOME_TIME_INACTIVE";
    return effect === "EFFECT_DENY" ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_ALLOW";
  }
  const canWait = effect === "EFFECT_ALLOW" && values.time;
  if (canWait && consensus && isWaitedFor(consensus, context)) return "OUTCOME_REQUIRES_CONSENSUS";
  return "OUTCOME_DENY_IMPLICIT";
}

/**
 * Whether votes can still make the consensus true, with the vote of the user who submitted as a
 * part.
 */
function isWaitedFor(consensus: Compiled, { votes, electorate }: Context) {
  return (
    isReachable(consensus, votes, electorate) && isPivotal(consensus, votes.slice(0, 1), electorate)
  );
}

/** Evaluates all three clauses, since each can err whatever the others say. */
export function valuesOf(policy: CompiledPolicy, context: Context): Values {
  return {
    condition: evaluateClause("condition", policy, context),
    consensus: evaluateClause("consensus", policy, context),
    time: evaluateClause("time", policy, context),
  };
}

function evaluateClause(
  clause: Clause,
  policy: CompiledPolicy,
  context: Context,
): boolean | Failure {
  const { effect, [clause]: compiled } = policy;
  if (!compiled) return true;
  const { work, values, evaluators, environmentOf } = context;
  const known = compiled.isShared && values[effect].get(compiled);
  if (known !== undefined) return known;
  if (work.steps <= MAX_DECISION_STEPS) {
    const evaluateNext = evaluators[clause] ?? evaluatorOf(environmentOf(clause));
    evaluators[clause] = evaluateNext;
    const value = evaluateNext(compiled, effect === "EFFECT_DENY", work);
    if (compiled.isShared) values[effect].set(compiled, value);
    return value;
  }
  const reason = `the policies take more than ${MAX_DECISION_STEPS} steps together`;
  return exhausted(compiled.expression, reason);
}

/** The first vote of each user counts. */
export function votesOf({ approvals, users }: DecisionInput): Vote[] {
  const votes = new Map<string, Vote>();
  for (const { userId, credential } of approvals) {
    const user = users.find(({ id }) => id === userId);
    if (!user) throw new TypeError(`the user ${userId} of an approval is not in the organization`);
    if (!votes.has(userId)) votes.set(userId, { user, credential });
  }
  return [...votes.values()];
}
