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

/** Stands for the user who runs the command, in the same way. */
const PERSON = "{{person}}";

/** A user of this id is shown until there is one. */
export const UNMADE_ID = PLACEHOLDER;

export type AgentUser = { readonly name: string; readonly userId: string };

/** Who runs the command. */
export type PersonUser = AgentUser;

/** Whether a file names the user who runs the command. */
export function namesPerson(file: readonly GivenPolicy[]): boolean {
  return file.some((policy) => Object.values(policy).some((text) => text.includes(PERSON)));
}

/** The policies of a file with the user who runs the command in the place of `{{person}}`. */
export function withPerson(file: readonly GivenPolicy[], person: PersonUser): GivenPolicy[] {
  return file.map((policy) => filledIn(policy, PERSON, person));
}

/** The policies of a file for this agent. */
export function policiesFor(
  { name, userId }: AgentUser,
  file: readonly GivenPolicy[],
): GivenPolicy[] {
  const filled = file.map((policy) => filledIn(policy, PLACEHOLDER, { name, userId }));
  return [restriction({ name, userId }), ...filled];
}

/** A policy with a user in the place of a placeholder: the id in clauses, the name in names and notes. */
function filledIn(
  { policyName, notes, effect, condition, consensus, time }: GivenPolicy,
  placeholder: string,
  { name, userId }: AgentUser,
): GivenPolicy {
  // A function, because a text would be searched for patterns such as $&.
  const inText = (text: string) => text.replaceAll(placeholder, () => name);
  const inClause = (clause: string) => clause.replaceAll(placeholder, () => userId);
  return {
    ...{ policyName: inText(policyName), notes: inText(notes), effect },
    ...(condition !== undefined && { condition: inClause(condition) }),
    ...(consensus !== undefined && { consensus: inClause(consensus) }),
    ...(time !== undefined && { time: inClause(time) }),
  };
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
  if (more === undefined) {
    assertNeedsPerson(file, own, { organization, name });
    return unrelated;
  }
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

/** Refuses a policy for larger requests that no person has to approve. */
function assertNeedsPerson(
  file: string,
  own: readonly Policy[],
  { organization, name }: Pick<Given, "organization" | "name">,
): void {
  const otherIds = agentsIn(organization).map(({ userId }) => userId);
  const ofAgent = { agentId: UNMADE_ID, otherIds };
  const unguarded = completedByAnybody(own, knownWith(organization, name), ofAgent);
  if (unguarded === undefined) return;
  const { policy, what } = unguarded;
  throw new InputError(
    `${plain(file)}: ${JSON.stringify(plain(policy))} ${what}, so the agent and another program could do without a person: name who approves, such as \`approvers.any(user, user.id == '${PERSON}')\` for yourself, or users by a tag, \`approvers.any(user, user.tags.contains('TAG_ID'))\``,
    { file, of: policy },
  );
}

/**
 * A policy that needs more than the agent, and that the agent completes together with other agents, or with users who
 * have no tag and are not named. What the agent may do alone is left out.
 */
function completedByAnybody(
  own: readonly Policy[],
  { users, ...known }: Known,
  { agentId, otherIds }: { agentId: string; otherIds: readonly string[] },
) {
  const agent = users
    .filter(({ id }) => id === agentId)
    .map((user) => ({ ...user, credentials: [{ ...AGENTS_KEY, user_id: agentId }] }));
  const unnamed = Array.from({ length: UNNAMED_USERS }, (_, i) => {
    // Without credentials, they may vote with one of any type.
    return { id: `unnamed-${i + 1}`, tags: [], email: "", alias: `unnamed ${i + 1}` };
  });
  const anybody = [...agent, ...users.filter(({ id }) => otherIds.includes(id)), ...unnamed];
  for (const { policyId, path, effect, consensus } of own) {
    if (effect === "EFFECT_DENY") continue;
    // A consensus reads nothing but who approved, so that the condition and the time do not matter here.
    const policy: Policy = { policyId, path, effect, consensus };
    const alone = comparePolicies([], [policy], { ...known, users: agent });
    if (alone.answer === "more") continue;
    const together = comparePolicies([], [policy], { ...known, users: anybody });
    if (together.answer === "no more") continue;
    const what =
      together.answer === "more"
        ? "takes the approval of any user in addition to the agent's"
        : `does not show whose approval it takes (${join(together.reasons.map(({ message }) => plain(message)))})`;
    return { policy: policyId, what };
  }
  return undefined;
}

type Known = ReturnType<typeof knownWith>;

/** A policy of an agent that another program could complete, as files of earlier releases had them. */
type WeakPolicy = {
  readonly policyId: string;
  readonly policyName: string;
  readonly why: string;
};

/** The policies of an agent that is there which `agent create` refuses today, because they need no person. */
export function weakPoliciesOf(
  { userId }: AgentUser,
  organization: OrganizationData,
): WeakPolicy[] {
  const { rootQuorum: _, ...rest } = organization;
  const otherIds = agentsIn(organization)
    .map((each) => each.userId)
    .filter((each) => each !== userId);
  return (organization.policies ?? []).flatMap((each) => {
    if (!(each.consensus ?? "").includes(userId)) return [];
    const { policyId, policyName } = each;
    const found = completedByAnybody([policyOf(each)], knownOf(rest), {
      agentId: userId,
      otherIds,
    });
    return found ? [{ policyId, policyName, why: found.what }] : [];
  });
}

/** Of the key that the command gives an agent. Its DENY keeps it from adding one of another type. */
const AGENTS_KEY = {
  ...{ id: "key of the agent", type: "CREDENTIAL_TYPE_API_KEY_P256" },
  ...{ credential_id: "", public_key: "" },
};

/** Made-up users without a tag. A policy that counts more approvals than theirs and the agent's is not completed by them. */
const UNNAMED_USERS = 100;

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
