import {
  consensusEnvironment,
  possibleVotes,
  readsCredentials,
  sortOf,
  type Vote,
} from "./consensus.ts";
import {
  type CompiledPolicy,
  contextOf,
  type DecisionInput,
  decide,
  valuesOf,
  votesOf,
} from "./decide.ts";
import { evaluate, type Work } from "./evaluate.ts";
import { MAX_VOTE_STEPS } from "./limits.ts";

export type NeededApprovals = {
  /** Each set of users completes the approval by itself, and none of its users is idle. */
  readonly sets: readonly (readonly string[])[];
  /** Further sets were left out, or not looked for. */
  readonly isCut: boolean;
};

/** Which users' approvals would allow an activity that waits for them; the smallest sets first. */
export function neededApprovals(request: DecisionInput, limit = 20): NeededApprovals {
  if (decide(request).outcome !== "OUTCOME_REQUIRES_CONSENSUS") return { sets: [], isCut: false };
  const votes = votesOf(request);
  const policies = matching(request, votes);
  const groups = groupsOf(request, votes, policies);
  const most = new Set(groups.flat().map(({ user }) => user.id)).size;
  const found: number[][] = [];
  const sets: string[][] = [];
  const work: Work = { steps: 0 };
  let isCut = false;
  for (let size = 1; size <= most && !isCut; size++) {
    for (const numbers of distributions(groups, size)) {
      work.steps += TRY;
      if (sets.length >= limit || work.steps > MAX_VOTE_STEPS) {
        isCut = true;
        break;
      }
      if (found.some((fewer) => fewer.every((count, i) => count <= (numbers[i] ?? 0)))) continue;
      const [example] = choices(groups, numbers);
      if (!example || !isAllowed(request, policies, [...votes, ...example], work)) continue;
      found.push(numbers);
      for (const choice of choices(groups, numbers)) {
        const ids = choice.map(({ user }) => user.id).sort();
        if (sets.some((set) => set.every((id) => ids.includes(id)))) continue;
        if (sets.length >= limit) isCut = true;
        else sets.push(ids);
        if (isCut) break;
      }
    }
  }
  return { sets, isCut };
}

/** Steps that looking at one distribution of votes takes. */
const TRY = 100;

/** Policies that depend on votes alone: what they ask of the request and the time holds. */
function matching(request: DecisionInput, votes: readonly Vote[]): CompiledPolicy[] {
  if (request.isRootQuorumOnly) return [];
  const context = contextOf(request, votes);
  return request.policies.filter((policy) => {
    const { condition, time } = valuesOf(policy, context);
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
  const effects = policies.flatMap(({ effect, consensus }) => {
    return !consensus || evaluate(consensus, environment, work) === true ? effect : [];
  });
  return effects.includes("EFFECT_ALLOW") && !effects.includes("EFFECT_DENY");
}

/** Votes that could still be given, those together that can stand for each other. */
function groupsOf(
  request: DecisionInput,
  votes: readonly Vote[],
  policies: readonly CompiledPolicy[],
): Vote[][] {
  const { electorate } = contextOf(request, votes);
  const rules = policies.flatMap(({ consensus }) => consensus ?? []);
  const hasCredentials = rules.some(readsCredentials);
  const voted = new Set(votes.map(({ user }) => user.id));
  const groups = new Map<string, Vote[]>();
  for (const user of request.users) {
    if (voted.has(user.id)) continue;
    const isRoot = request.rootQuorum.userIds.includes(user.id);
    for (const vote of hasCredentials ? possibleVotes(user) : [{ user }]) {
      const sorts = rules.map((rule) => sortOf(rule, vote, electorate));
      const key = [isRoot, ...sorts].join(" ");
      const group = groups.get(key);
      if (group) group.push(vote);
      else groups.set(key, [vote]);
    }
  }
  return [...groups.values()];
}

/** The ways to take so many votes from the groups. */
function* distributions(groups: readonly Vote[][], size: number): Generator<number[]> {
  const [first, ...rest] = groups;
  if (!first) {
    if (size === 0) yield [];
    return;
  }
  for (let count = Math.min(first.length, size); count >= 0; count--) {
    for (const others of distributions(rest, size - count)) yield [count, ...others];
  }
}

/** The ways to choose that many votes of each group, one vote a user. */
function* choices(
  [group, ...groups]: readonly Vote[][],
  [count = 0, ...counts]: readonly number[],
  taken: readonly Vote[] = [],
  from = 0,
): Generator<readonly Vote[]> {
  if (!group) yield taken;
  else if (count === 0) yield* choices(groups, counts, taken);
  else {
    for (let i = from; i <= group.length - count; i++) {
      const vote = group[i] as Vote;
      if (taken.some(({ user }) => user.id === vote.user.id)) continue;
      yield* choices([group, ...groups], [count - 1, ...counts], [...taken, vote], i + 1);
    }
  }
}
