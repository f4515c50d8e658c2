import type { Clause } from "./ast.ts";
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
import { type Compiled, compile, evaluate, exhausted, type Work } from "./evaluate.ts";
import { MAX_DECISION_STEPS } from "./limits.ts";
import type { Failure } from "./values.ts";

export type Effect = "EFFECT_ALLOW" | "EFFECT_DENY";

export type PolicyText = {
  readonly policyId: string;
  readonly effect: Effect;
  /** Each absent clause is true. */
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
};

export type CompiledPolicy = {
  readonly policyId: string;
  readonly effect: Effect;
  readonly condition?: Compiled;
  readonly consensus?: Compiled;
  readonly time?: Compiled;
};

/** All that a decision depends on. */
export type DecisionInput = {
  readonly policies: readonly CompiledPolicy[];
  /** What conditions see; made by `makeEnvironment`. */
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

export type PolicyOutcome =
  | "OUTCOME_ALLOW"
  | "OUTCOME_DENY_EXPLICIT"
  | "OUTCOME_DENY_IMPLICIT"
  | "OUTCOME_REQUIRES_CONSENSUS"
  | "OUTCOME_ERROR"
  | "OUTCOME_TIME_INACTIVE";

export type PolicyEvaluation = {
  readonly policyId: string;
  readonly outcome: PolicyOutcome;
  /** The clauses that have no value, and why: of OUTCOME_ERROR, and of a DENY that denies by it. */
  readonly failures: readonly { readonly clause: Clause; readonly failure: Failure }[];
};

export type Decision = {
  readonly outcome:
    | "OUTCOME_ALLOW"
    | "OUTCOME_DENY_EXPLICIT"
    | "OUTCOME_DENY_IMPLICIT"
    | "OUTCOME_REQUIRES_CONSENSUS";
  /** What the outcome rests on; `default` is the denial of what nothing allows. */
  readonly reason: "rootQuorum" | "policies" | "ownCredentials" | "default";
  /** Empty where policies were not asked. */
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
    // An empty time is documented to mean always; the other clauses are left out instead.
    time: time === undefined || time === "" ? undefined : compileClause("time", time),
  };
}

/** As `compilePolicy`; clauses with the same text are compiled, and in a decision evaluated, once. */
export function compilePolicies(policies: readonly PolicyText[]): CompiledPolicy[] {
  const uses = new Map<string, number>();
  for (const { condition, consensus, time } of policies) {
    for (const text of [condition, consensus, time]) {
      if (text !== undefined) uses.set(text, (uses.get(text) ?? 0) + 1);
    }
  }
  const shared = new Map<string, Compiled>();
  const compileOnce = (clause: Clause, source: string) => {
    if ((uses.get(source) ?? 0) < 2) return compile(clause, source);
    const key = `${clause} ${source}`;
    const compiled = shared.get(key) ?? { ...compile(clause, source), isShared: true };
    shared.set(key, compiled);
    return compiled;
  };
  return policies.map((policy) => compileWith(compileOnce, policy));
}

/**
 * Decides about an activity. Deny wins, and what errs or is not allowed never happens. `work` counts
 * what it took.
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

  const context = contextOf(request, votes);
  const evaluations = request.policies.map((policy) => evaluatePolicy(policy, context));
  if (work) work.steps += stepsOf(context);
  const has = (outcome: PolicyOutcome) => evaluations.some((one) => one.outcome === outcome);
  if (has("OUTCOME_DENY_EXPLICIT")) {
    // Root users can undo a denial that shuts them out, but only by their quorum.
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

/** Whether a user's vote can matter: of root users, and of those some matching ALLOW waits for. */
export function mayVote(request: DecisionInput, userId: string, work?: Work): boolean {
  return isAwaited(request, userId, { pivots: isPivotal, work });
}

/**
 * As `mayVote`, for a rejection, which ends the activity: where a doubt remains whether a rule waits
 * for the vote, an approval does no harm and a rejection does.
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
  readonly environment: Environment;
  readonly consensus: Environment;
  readonly time: Environment;
  readonly votes: readonly Vote[];
  readonly electorate: Electorate;
  /** What the clauses of all policies have taken. */
  readonly work: Work;
  /** Values so far of clauses that policies share. */
  readonly values: Map<Compiled, boolean | Failure>;
};

export function contextOf(request: DecisionInput, votes: readonly Vote[]): Context {
  let time: Environment | undefined;
  return {
    environment: request.environment,
    consensus: consensusEnvironment(votes),
    // Few policies look at the clock.
    get time() {
      time ??= makeEnvironment({ time: { now: request.now } });
      return time;
    },
    votes,
    electorate: newElectorate(request.users),
    work: { steps: 0 },
    values: new Map(),
  };
}

function stepsOf({ work, electorate }: Context): number {
  return work.steps + electorate.work.steps;
}

function evaluatePolicy(policy: CompiledPolicy, context: Context): PolicyEvaluation {
  const { policyId } = policy;
  const values = valuesOf(policy, context);
  const { condition, consensus, time } = values;
  const hasValues =
    typeof condition === "boolean" && typeof consensus === "boolean" && typeof time === "boolean";
  if (hasValues) return { policyId, outcome: outcomeOf(policy, values, context), failures: [] };
  const clauses: Clause[] = ["condition", "consensus", "time"];
  const failures = clauses.flatMap((clause) => {
    const failure = values[clause];
    return typeof failure === "boolean" ? [] : { clause, failure };
  });
  const outcome = slipsPast(policy, values) ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_ERROR";
  return { policyId, outcome, failures };
}

/**
 * Who makes a request chooses its size and its form. A DENY that could not be evaluated to its end
 * for the work it takes, or for what could not be read, denies: such a request would slip past it.
 * Other errors of the request do not.
 */
function slipsPast({ effect }: CompiledPolicy, values: Record<Clause, boolean | Failure>) {
  const clauses = Object.values(values);
  if (effect !== "EFFECT_DENY" || clauses.includes(false)) return false;
  return clauses.some(
    (value) => typeof value === "object" && (value.isExhausted || value.isUnread),
  );
}

function outcomeOf(
  { effect, consensus }: CompiledPolicy,
  values: Record<Clause, boolean | Failure>,
  context: Context,
): PolicyOutcome {
  if (values.condition !== true) return "OUTCOME_DENY_IMPLICIT";
  if (values.consensus === true) {
    if (values.time !== true) return "OUTCOME_TIME_INACTIVE";
    return effect === "EFFECT_DENY" ? "OUTCOME_DENY_EXPLICIT" : "OUTCOME_ALLOW";
  }
  const canWait = effect === "EFFECT_ALLOW" && values.time === true;
  if (canWait && consensus && isWaitedFor(consensus, context)) return "OUTCOME_REQUIRES_CONSENSUS";
  return "OUTCOME_DENY_IMPLICIT";
}

/** Votes can still make it true, and the vote of the user who submitted can be part of it. */
function isWaitedFor(consensus: Compiled, { votes, electorate }: Context) {
  return (
    isReachable(consensus, votes, electorate) && isPivotal(consensus, votes.slice(0, 1), electorate)
  );
}

/** All three clauses are evaluated whatever the others say: each can err. */
export function valuesOf(policy: CompiledPolicy, context: Context) {
  const { condition, consensus, time } = policy;
  return {
    condition: condition ? evaluateWithin(condition, context.environment, context) : true,
    consensus: consensus ? evaluateWithin(consensus, context.consensus, context) : true,
    time: time ? evaluateWithin(time, context.time, context) : true,
  };
}

function evaluateWithin(clause: Compiled, environment: Environment, { work, values }: Context) {
  const known = clause.isShared && values.get(clause);
  if (known !== undefined) return known;
  if (work.steps <= MAX_DECISION_STEPS) {
    const value = evaluate(clause, environment, work);
    if (clause.isShared) values.set(clause, value);
    return value;
  }
  const reason = `the policies take more than ${MAX_DECISION_STEPS} steps together`;
  return exhausted(clause.expression, reason);
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
