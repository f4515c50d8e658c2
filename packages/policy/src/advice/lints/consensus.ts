import {
  consensusEnvironment,
  isReachable,
  newElectorate,
  possibleVotes,
  type User,
} from "../../consensus.ts";
import { type Compiled, evaluate, prepare } from "../../evaluate.ts";
import { not } from "../../logic/formula.ts";
import type { Allowance } from "../../logic/reading-context.ts";
import { isCount, type Literal } from "./literals.ts";
import { ofOneVote } from "./one-vote.ts";
import {
  type Finding,
  isPossible,
  type Linted,
  type LintedClause,
  type Logic,
  type Organization,
} from "./subject.ts";

// Lints of who must approve.

/** Hazards of who must approve. */
export function findInConsensus({ policy, consensus, logic }: Linted): Finding[] {
  const isAllow = policy.effect === "EFFECT_ALLOW";
  const unreachable = consensus ? findUnreachable(consensus) : [];
  if (unreachable.length > 0) return unreachable;
  const positions = consensus ? findPositions(consensus, isAllow) : [];
  if (isAllow) return [...positions, ...findAnyone(consensus, logic)];
  return consensus ? [...positions, ...findCountsVotes(consensus)] : [];
}

/** Work of asking what votes can do to one consensus. Beyond it, no lint is reported. */
const MAX_VOTES = 10_000;

function findUnreachable(clause: LintedClause): Finding[] {
  const { budget, organization } = clause.logic;
  const users = votersOf(clause, organization);
  if (!users) return [];
  const electorate = newElectorate(users, Math.min(MAX_VOTES, budget.steps));
  const canBeReached = isReachable(prepare(clause.checked), [], electorate);
  budget.steps -= electorate.work.steps;
  if (canBeReached) return [];
  const message =
    "no votes of the organization's users can make this true: " +
    "ask for fewer approvals, or add users or tags";
  return [consensusFinding("consensus-unreachable", message, clause.checked.expression)];
}

function consensusFinding(code: Finding["code"], message: string, node: Finding["node"]): Finding {
  return { code, message, clause: "consensus", node };
}

/** Users as a consensus sees them, if all that it reads of them is known. */
function votersOf(
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

/** Whether the vote of one user is enough, who is not the root quorum alone. */
export function canOneUserApprove(consensus: LintedClause | undefined, logic: Logic): boolean {
  const { users, rootQuorum } = logic.organization;
  const isRootAlone = (id: string) =>
    rootQuorum?.threshold === 1 && rootQuorum.userIds.includes(id);
  const voters = consensus ? votersOf(consensus, logic.organization) : undefined;
  if (consensus && voters) {
    const compiled = prepare(consensus.checked);
    const others = voters.filter(({ id }) => !isRootAlone(id));
    return others.some((user) => approvesAlone(compiled, user, logic.budget));
  }
  if (!consensus) return users?.every(({ id }) => isRootAlone(id)) !== true;
  return isPossible([ofOneVote(consensus)], logic);
}

function approvesAlone(consensus: Compiled, user: User, budget: Allowance): boolean {
  return possibleVotes(user).some((vote) => {
    if (budget.steps < 0) return false;
    const work = { steps: 0 };
    const isEnough = evaluate(consensus, consensusEnvironment([vote]), work) === true;
    budget.steps -= work.steps;
    return isEnough;
  });
}

function findAnyone(consensus: LintedClause | undefined, logic: Logic): Finding[] {
  const { users } = logic.organization;
  // In an organization with one user, anyone is that user.
  if (users && users.length < 2) return [];
  if (consensus && isPossible([not(ofOneVote(consensus))], logic)) return [];
  const message =
    "any single user of the organization can do what this allows: " +
    "name users or tags, as in `approvers.any(u, u.tags.contains('...'))`";
  return [consensusFinding("consensus-any", message, consensus?.checked.expression)];
}

/**
 * After the first approval there is no second one yet, so an ALLOW errs instead of waiting, and a
 * DENY denies.
 */
function findPositions({ inventory }: LintedClause, isAllow: boolean): Finding[] {
  const read = inventory.reads.find(({ kind, path, length, isInside }) => {
    const isOfVotes = path === "approvers[]" || path === "credentials[]";
    return kind === "index" && isOfVotes && length > 1n && !isInside;
  });
  if (!read) return [];
  const problem = `\`${read.of}\` has fewer than ${read.length} elements at first, which errs`;
  const consequence = isAllow ? "" : ", and a DENY that errs denies";
  const message = `${problem}${consequence}: use \`any\`, or \`filter\` with \`count()\``;
  return [consensusFinding(isAllow ? "index-unguarded" : "deny-can-error", message, read.node)];
}

/** The number of approvals only grows, so a DENY that asks for few denies before there are more. */
function findCountsVotes({ cases = [] }: LintedClause): Finding[] {
  const literal = cases.flat().find((each) => isCountOfVotes(each) && isDownward(each));
  if (!literal) return [];
  const message =
    "a DENY that asks for few approvals denies with the first one, before others can follow: " +
    "ask for them in the consensus of the ALLOW";
  return [consensusFinding("deny-counts-votes", message, literal.node)];
}

function isCountOfVotes(literal: Literal) {
  const isOfVotes = /^(approvers|credentials)\b/.test(literal.key);
  return literal.node.kind === "compare" && isCount(literal) && isOfVotes;
}

/** Whether more votes can make it false. */
function isDownward({ atom: { operator }, isTrue }: Literal): boolean {
  if (operator === "<") return isTrue;
  return operator === ">" ? !isTrue : true;
}
