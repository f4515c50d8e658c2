import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { comparePolicies } from "@keyhearth/policy/advice/comparison";
import type { OrganizationData } from "@keyhearth/sdk";
import { InputError } from "../errors.ts";
import { join, plain } from "../output.ts";
import type { Policy } from "../policies.ts";
import { type GivenPolicy, knownOf, policyOf, unmade } from "../policy-change.ts";

// The policies of an agent: those of a file, for any agent, and one that lets it do nothing but sign.

/** Stands for the agent in a file: in a clause for the id of its user, in a name and in notes for its name. */
const PLACEHOLDER = "{{agent}}";

/** A user of this id is shown until there is one. */
export const UNMADE_ID = PLACEHOLDER;

export type AgentUser = { readonly name: string; readonly userId: string };

/** The policies of a file for this agent. */
export function policiesFor(
  { name, userId }: AgentUser,
  file: readonly GivenPolicy[],
): GivenPolicy[] {
  // A function, because a text would be searched for patterns such as $&.
  const inClause = (clause: string) => clause.replaceAll(PLACEHOLDER, () => userId);
  const filled = file.map(({ policyName, notes, effect, condition, consensus, time }) => ({
    policyName: policyName.replaceAll(PLACEHOLDER, () => name),
    notes: notes.replaceAll(PLACEHOLDER, () => name),
    effect,
    ...(condition !== undefined && { condition: inClause(condition) }),
    ...(consensus !== undefined && { consensus: inClause(consensus) }),
    ...(time !== undefined && { time: inClause(time) }),
  }));
  return [restriction({ name, userId }), ...filled];
}

/**
 * Users may change their own credentials and log in, unless a DENY forbids it. So a stolen key could make another one.
 * A DENY wins over every policy that the organization has, or gets later.
 */
function restriction({ name, userId }: AgentUser): GivenPolicy {
  return {
    policyName: `${RESTRICTION.start}${name}${RESTRICTION.end}`,
    effect: "EFFECT_DENY",
    condition: "activity.action != 'SIGN'",
    consensus: `approvers.any(user, user.id == '${userId}')`,
    notes: "Made by keyhearth agent create. Without it, the agent could add keys to itself.",
  };
}

const RESTRICTION = { start: "Agent ", end: " signs and does nothing else" };

/** The agents of an organization, by the policies that restrict them. */
export function agentsIn({ policies = [], users = [] }: OrganizationData): AgentUser[] {
  return users
    .filter(({ userId, userName: name }) => {
      const { policyName, effect, condition, consensus } = restriction({ name, userId });
      return policies.some(
        (each) =>
          each.policyName === policyName &&
          each.effect === effect &&
          each.condition === condition &&
          each.consensus === consensus,
      );
    })
    .map(({ userId, userName: name }) => ({ name, userId }));
}

/**
 * Refuses a file that is not about the agent, or that allows more than signatures. Returns the policies that decide about
 * others too.
 */
export function checkFile(
  file: string,
  policies: readonly GivenPolicy[],
  { organization, name, isUnrelatedAllowed }: Given,
): GivenPolicy[] {
  const unrelated = policies.filter(
    (each) =>
      !`${each.condition ?? ""} ${each.consensus ?? ""}`.includes(PLACEHOLDER) ||
      isAboutOthers(each, organization, name),
  );
  if (unrelated.length > 0 && !isUnrelatedAllowed) {
    const names = unrelated.map(({ policyName }) => JSON.stringify(plain(policyName)));
    throw new InputError(
      `${plain(file)}: ${join(names)} ${names.length === 1 ? "decides" : "decide"} about other users too, because ${names.length === 1 ? "it does" : "they do"} not need the agent among those who ask or approve: write ${PLACEHOLDER} for its id, such as \`approvers.any(user, user.id == '${PLACEHOLDER}')\`, or add --allow-unrelated`,
      { file },
    );
  }
  const own = policies.filter((each) => !unrelated.includes(each)).map(unmade);
  const more = allowedBeyondSignatures(own, organization, name);
  if (more === undefined) return unrelated;
  if (more.policy === undefined) {
    throw new InputError(
      `${plain(file)}: it cannot be said whether its policies let the agent do more than sign, because ${more.what}: add \`activity.action == 'SIGN'\` to the condition of each`,
      { file },
    );
  }
  throw new InputError(
    `${plain(file)}: ${JSON.stringify(plain(more.policy))} would let the agent do more than sign, such as ${more.what}: an agent that changes policies, users or credentials could free itself. Add \`activity.action == 'SIGN'\` to its condition`,
    { file, of: more.policy },
  );
}

type Given = {
  readonly organization: OrganizationData;
  readonly name: string;
  readonly isUnrelatedAllowed: boolean;
};

/** An activity other than a signature that these policies allow, whoever has to approve it. */
function allowedBeyondSignatures(
  own: readonly Policy[],
  organization: OrganizationData,
  name: string,
) {
  const known = knownWith(organization, name);
  const signatures: Policy = {
    ...{ policyId: "signatures", path: "signatures", effect: "EFFECT_DENY" },
    condition: "activity.action == 'SIGN'",
  };
  const comparison = comparePolicies([], [...own, signatures], known);
  if (comparison.answer === "no more") return undefined;
  if (comparison.answer === "unknown") {
    return {
      policy: undefined,
      what: join(comparison.reasons.map(({ message }) => plain(message))),
    };
  }
  const { context, allowedBy } = comparison.example;
  const { type, kind } = Object(context.activity) as { type?: unknown; kind?: unknown };
  const found = activityKinds.find((each) => each.type === type);
  return {
    policy: String(allowedBy[0]),
    what: String(found?.kind ?? kind ?? type ?? "any activity"),
  };
}

/** Whether a policy decides about a request that the agent neither made nor approved, although its text mentions the agent. */
function isAboutOthers(policy: GivenPolicy, organization: OrganizationData, name: string): boolean {
  const ofAgent: Policy = {
    ...{ policyId: "the agent", path: "the agent", effect: "EFFECT_DENY" },
    consensus: `approvers.any(user, user.id == '${UNMADE_ID}')`,
  };
  const decides: Policy = { ...unmade(policy), effect: "EFFECT_ALLOW" };
  return comparePolicies([], [decides, ofAgent], knownWith(organization, name)).answer === "more";
}

/** Without the quorum, because what root users may do anyway would hide what the file lets the agent ask them for. */
function knownWith({ rootQuorum: _, users = [], ...rest }: OrganizationData, name: string) {
  return knownOf({ ...rest, users: [...users, newUser({ name, userId: UNMADE_ID })] });
}

/** What policies that are there already let every user do, and so the agent too: an example. */
export function allowedAlready(organization: OrganizationData, agent: AgentUser) {
  const before = (organization.policies ?? []).map(policyOf);
  const nothingElse = unmade(restriction(agent));
  const known = knownOf({ ...organization, users: [newUser(agent)] });
  const comparison = comparePolicies([], [...before, nothingElse], known);
  if (comparison.answer !== "more") return undefined;
  const { allowedBy } = comparison.example;
  return before.find(({ policyId }) => policyId === allowedBy[0])?.policyName ?? allowedBy[0];
}

/** A user as an organization lists them, who is not made yet. */
export function newUser({
  name,
  userId,
}: AgentUser): NonNullable<OrganizationData["users"]>[number] {
  const never = { seconds: "0", nanos: "0" };
  return {
    ...{ userId, userName: name, userTags: [], apiKeys: [], authenticators: [] },
    ...{ oauthProviders: [], mfaPolicies: [], createdAt: never, updatedAt: never },
  };
}
