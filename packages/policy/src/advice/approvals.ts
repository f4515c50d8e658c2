import {
  consensusEnvironment,
  possibleVotes,
  readsCredentials,
  sortOf,
  type Vote,
} from "../consensus.ts";
import {
  type CompiledPolicy,
  contextOf,
  type DecisionInput,
  decide,
  stateOfDenial,
  valuesOf,
  votesOf,
} from "../decide.ts";
import { evaluate, evaluateDenial, type Work } from "../evaluate.ts";
import { MAX_VOTE_STEPS } from "../limits.ts";

// Whose votes are missing. People read this; no decision uses it.

export type NeededApprovals = {
  /** Each set of users completes the approval by itself, and needs all its users. */
  readonly sets: readonly (readonly string[])[];
  /** More sets were left out, or not looked for. */
  readonly isCut: boolean;
};

/** The users whose approvals would allow an activity that waits for them, smallest sets first. */
export function neededApprovals(request: DecisionInput, limit = 20): NeededApprovals {
  if (decide(request).outcome !== "OUTCOME_REQUIRES_CONSENSUS") return { sets: [], isCut: false };
  const votes = votesOf(request);
  const policies = matching(request, votes);
  const groups = groupsOf(request, votes, policies);
  if (!groups) return { sets: [], isCut: true };
  const most = new Set(groups.flat().map(({ user }) => user.id)).size;
  const found: (readonly Share[])[] = [];
  const sets: string[][] = [];
  const work: Work = { steps: 0 };
  let isCut = false;
  for (let size = 1; size <= most && !isCut; size++) {
    for (const shares of distributions(groups, size)) {
      work.steps += TRY;
      if (sets.length >= limit || isExhausted(work)) {
        isCut = true;
        break;
      }
      if (found.some((fewer) => fewer.every((share) => isWithin(share, shares)))) continue;
      const [example] = choices(shares, work);
      if (!example || !isAllowed(request, policies, [...votes, ...example], work)) continue;
      found.push(shares);
      for (const choice of choices(shares, work)) {
        const ids = choice.map(({ user }) => user.id).sort();
        if (sets.some((set) => set.every((id) => ids.includes(id)))) continue;
        if (sets.length >= limit) isCut = true;
        else sets.push(ids);
        if (isCut) break;
      }
    }
    isCut ||= isExhausted(work);
  }
  return { sets, isCut };
}

/** The steps that one distribution of votes takes. */
const TRY = 100;

/**
 * Policies that now depend on votes alone: ALLOWs whose condition and time hold, and DENYs that
 * would deny with a consensus that holds.
 */
function matching(request: DecisionInput, votes: readonly Vote[]): CompiledPolicy[] {
  if (request.isRootQuorumOnly) return [];
  const context = contextOf(request, votes);
  return request.policies.filter((policy) => {
    const { condition, time } = valuesOf(policy, context);
    if (policy.effect === "EFFECT_DENY") {
      return stateOfDenial({ condition, consensus: true, time }) === "denies";
    }
    return condition === true && time === true;
  });
}

function isAllowed(
  { rootQuorum: { threshold, userIds } }: DecisionInput,
  policies: readonly CompiledPolicy[],
  votes: readonly Vote[],
  work: Work,
): boolean {
  const rootVotes = votes.filter(({ user }) => userIds.includes(user.id)).length;
  if (threshold >= 1 && rootVotes >= threshold) return true;
  const environment = consensusEnvironment(votes);
  work.steps += votes.length;
  let allows = false;
  for (const { effect, consensus } of policies) {
    // A policy that was not looked at could deny.
    if (isExhausted(work)) return false;
    if (effect === "EFFECT_ALLOW") {
      allows ||= !consensus || evaluate(consensus, environment, work) === true;
    } else if (!consensus || evaluateDenial(consensus, environment, work) !== false) {
      return false;
    }
  }
  return allows;
}

/**
 * Votes that could still be given, grouped by what can replace each other; undefined if finding
 * them takes too much work.
 */
function groupsOf(
  request: DecisionInput,
  votes: readonly Vote[],
  policies: readonly CompiledPolicy[],
): Vote[][] | undefined {
  const { electorate } = contextOf(request, votes);
  const rules = policies.flatMap(({ consensus }) => consensus ?? []);
  const hasCredentials = rules.some(readsCredentials);
  const voted = new Set(votes.map(({ user }) => user.id));
  const groups = new Map<string, Vote[]>();
  for (const user of request.users) {
    if (voted.has(user.id)) continue;
    const isRoot = request.rootQuorum.userIds.includes(user.id);
    for (const vote of hasCredentials ? possibleVotes(user) : [{ user }]) {
      if (isExhausted(electorate.work)) return undefined;
      const sorts = rules.map((rule) => sortOf(rule, vote, electorate));
      const key = [isRoot, ...sorts].join(" ");
      const group = groups.get(key);
      if (group) group.push(vote);
      else groups.set(key, [vote]);
    }
  }
  return [...groups.values()];
}

/** A number of votes of one group. */
type Share = { readonly group: readonly Vote[]; readonly count: number };

function isWithin({ group, count }: Share, shares: readonly Share[]): boolean {
  return shares.some((share) => share.group === group && share.count >= count);
}

/** The ways to take this many votes from the groups. A group without a share is left out. */
function* distributions(
  groups: readonly Vote[][],
  size: number,
  from = 0,
): Generator<readonly Share[]> {
  if (size === 0) yield [];
  for (let i = from; size > 0 && i < groups.length; i++) {
    const group = groups[i] as Vote[];
    for (let count = Math.min(group.length, size); count > 0; count--) {
      for (const others of distributions(groups, size - count, i + 1)) {
        yield [{ group, count }, ...others];
      }
    }
  }
}

/**
 * The ways to choose that many votes of each group, one vote a user. Small groups come first, so
 * that a user who could vote in several gives the rarest vote.
 */
function choices(shares: readonly Share[], work: Work): Generator<readonly Vote[]> {
  const ordered = [...shares].sort((a, b) => a.group.length - b.group.length);
  return choose(0, 0, 0, []);

  function* choose(
    index: number,
    from: number,
    chosen: number,
    taken: readonly Vote[],
  ): Generator<readonly Vote[]> {
    const share = ordered[index];
    if (!share) yield taken;
    else if (chosen === share.count) yield* choose(index + 1, 0, 0, taken);
    else {
      const { group, count } = share;
      for (let i = from; i <= group.length - (count - chosen); i++) {
        work.steps += 1 + taken.length;
        if (isExhausted(work)) return;
        const vote = group[i] as Vote;
        if (taken.some(({ user }) => user.id === vote.user.id)) continue;
        yield* choose(index, i + 1, chosen + 1, [...taken, vote]);
      }
    }
  }
}

function isExhausted({ steps }: Work) {
  return steps > MAX_VOTE_STEPS;
}
