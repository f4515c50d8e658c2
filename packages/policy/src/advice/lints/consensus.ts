import {
  consensusEnvironment,
  isReachable,
  newElectorate,
  possibleVotes,
  type User,
} from "../../consensus.ts";
import { type Compiled, evaluate, prepare } from "../../evaluate.ts";
import type { Literal } from "./formula.ts";
import { type Budget, canHold } from "./solve.ts";
import type { Finding, Linted, LintedClause, Organization } from "./subject.ts";
import { translation } from "./translate.ts";

export type ConsensusCode =
  | "consensus-any"
  | "consensus-unreachable"
  | "deny-counts-votes"
  | "index-unguarded"
  | "deny-can-error";

/** Hazards of who must approve. */
export function findInConsensus(
  { policy, consensus }: Linted,
  budget: Budget,
  organization: Organization,
): Finding<ConsensusCode>[] {
  const isAllow = policy.effect === "EFFECT_ALLOW";
  const unreachable = consensus ? findUnreachable(consensus, budget, organization) : [];
  if (unreachable.length > 0) return unreachable;
  const positions = consensus ? findPositions(consensus, isAllow) : [];
  if (isAllow) return [...positions, ...findAnyone(consensus, budget, organization)];
  return consensus ? [...positions, ...findCountsVotes(consensus)] : [];
}

/** Work of asking what votes can do to one consensus; beyond it nothing is said. */
const MAX_VOTES = 10_000;

function findUnreachable(
  clause: LintedClause,
  budget: Budget,
  organization: Organization,
): Finding<"consensus-unreachable">[] {
  const users = votersOf(clause, organization);
  if (!users) return [];
  const electorate = newElectorate(users, Math.min(MAX_VOTES, budget.steps));
  const canBeReached = isReachable(prepare(clause.checked), [], electorate);
  budget.steps -= electorate.work.steps;
  if (canBeReached) return [];
  return [
    {
      code: "consensus-unreachable",
      message:
        "no votes of the organization's users can make this true: " +
        "ask for fewer approvals, or add users or tags",
      clause: "consensus",
      node: clause.checked.expression,
    },
  ];
}

/** Users as a consensus sees them, if all that it reads of them is known. */
export function votersOf(
  { checked, inventory }: LintedClause,
  { users }: Organization,
): readonly User[] | undefined {
  if (!users) return undefined;
  const reads = (name: string) => [...inventory.paths].some((path) => path.endsWith(name));
  const needsEmail = reads("approvers[].email");
  const needsAlias = reads("approvers[].alias");
  const needsCredentials = reads("credentials");
  const voters: User[] = [];
  for (const { id, tags, email, alias, credentials } of users) {
    if (needsEmail && email === undefined) return undefined;
    if (needsAlias && alias === undefined) return undefined;
    if (needsCredentials && !credentials) return undefined;
    voters.push({ id, tags, email: email ?? "", alias: alias ?? "", credentials });
  }
  return checked.clause === "consensus" ? voters : undefined;
}

/** Whether the vote of one user who is not the root quorum by itself is enough. */
export function canOneUserApprove(
  consensus: LintedClause | undefined,
  budget: Budget,
  organization: Organization,
): boolean {
  const { users, rootQuorum } = organization;
  const isRootAlone = (id: string) =>
    rootQuorum?.threshold === 1 && rootQuorum.userIds.includes(id);
  const voters = consensus ? votersOf(consensus, organization) : undefined;
  if (consensus && voters) {
    const compiled = prepare(consensus.checked);
    const others = voters.filter(({ id }) => !isRootAlone(id));
    return others.some((user) => approvesAlone(compiled, user, budget));
  }
  if (!consensus) return users?.every(({ id }) => isRootAlone(id)) !== true;
  return canHold([ofOneVote(consensus, true, budget)], budget);
}

function approvesAlone(consensus: Compiled, user: User, budget: Budget): boolean {
  return possibleVotes(user).some((vote) => {
    if (budget.steps < 0) return false;
    const work = { steps: 0 };
    const isEnough = evaluate(consensus, consensusEnvironment([vote]), work) === true;
    budget.steps -= work.steps;
    return isEnough;
  });
}

function findAnyone(
  consensus: LintedClause | undefined,
  budget: Budget,
  { users }: Organization,
): Finding<"consensus-any">[] {
  // Alone in an organization, anyone is the one.
  if (users && users.length < 2) return [];
  if (consensus && canHold([ofOneVote(consensus, false, budget)], budget)) return [];
  return [
    {
      code: "consensus-any",
      message:
        "every user of the organization can do alone what this allows: " +
        "name users or tags, as in `approvers.any(u, u.tags.contains('...'))`",
      clause: "consensus",
      node: consensus?.checked.expression,
    },
  ];
}

function ofOneVote({ checked }: LintedClause, isTrue: boolean, budget: Budget) {
  const translated = translation(checked, { name: "one vote", budget, isOfOneVote: true });
  return translated.formula(checked.expression, isTrue);
}

/** With the first approval there is no second one, so that the policy errs instead of waiting. */
function findPositions(
  { inventory }: LintedClause,
  isAllow: boolean,
): Finding<"index-unguarded" | "deny-can-error">[] {
  const read = inventory.reads.find(({ kind, path, length, isInside }) => {
    const isOfVotes = path === "approvers[]" || path === "credentials[]";
    return kind === "index" && isOfVotes && length > 1n && !isInside;
  });
  if (!read) return [];
  const problem = `\`${read.of}\` has fewer than ${read.length} elements at first, which errs`;
  const consequence = isAllow ? "" : ", and a DENY that errs denies nothing";
  return [
    {
      code: isAllow ? "index-unguarded" : "deny-can-error",
      message: `${problem}${consequence}: use \`any\`, or \`filter\` with \`count()\``,
      clause: "consensus",
      node: read.node,
    },
  ];
}

/** Approvals only ever become more, so what asks for few of them denies before they can. */
function findCountsVotes({ terms = [] }: LintedClause): Finding<"deny-counts-votes">[] {
  for (const term of terms) {
    const literal = term.find((each) => isCountOfVotes(each) && isDownward(each));
    if (!literal) continue;
    return [
      {
        code: "deny-counts-votes",
        message:
          "a DENY that asks for few approvals denies with the first one, before others can follow: " +
          "ask for them in the consensus of the ALLOW",
        clause: "consensus",
        node: literal.node,
      },
    ];
  }
  return [];
}

function isCountOfVotes({ node, subject }: Literal) {
  return node.kind === "compare" && subject.count && /^(approvers|credentials)\b/.test(subject.key);
}

/** Whether more votes can make it false. */
function isDownward({ test }: Literal): boolean {
  return test.kind === "range" ? test.high !== undefined : true;
}
