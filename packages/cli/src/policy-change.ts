import { activityKinds } from "@keyhearth/policy/activity-kinds";
import { type Comparison, comparePolicies } from "@keyhearth/policy/advice/comparison";
import type { Policy as ListedPolicy, OrganizationData } from "@keyhearth/sdk";
import type { Surroundings } from "./command.ts";
import { answerText, type Sides } from "./commands/policy-compare.ts";
import { compileAll } from "./decisions.ts";
import { InputError } from "./errors.ts";
import { plainValue, readJson } from "./json.ts";
import { paintFor, plain, shown } from "./output.ts";
import { decodePolicyFile, type Policy } from "./policies.ts";
import { confirmed } from "./prompts.ts";

// What a change of an organization's policies would allow in addition, before it is made.

/** A policy of a file, as a request has it. */
export type GivenPolicy = {
  readonly policyName: string;
  readonly effect: "EFFECT_ALLOW" | "EFFECT_DENY";
  readonly condition?: string;
  readonly consensus?: string;
  readonly time?: string;
  readonly notes: string;
};

/** The policies of a file. Throws `InputError` for what the service would refuse. */
export async function readGivenPolicies(file: string): Promise<GivenPolicy[]> {
  const json = await readJson(file);
  const policies = decodePolicyFile(json);
  compileAll(json.file, policies);
  const notes = notesIn(plainValue(json));
  return policies.map(({ policyId, policyName, effect, condition, consensus, time }, i) => {
    if (policyName === undefined) {
      throw new InputError(`${plain(json.file)}: the policy ${plain(policyId)} has no policyName`);
    }
    return {
      ...{ policyName, effect, notes: notes[i] ?? "" },
      ...(condition !== undefined && { condition }),
      ...(consensus !== undefined && { consensus }),
      ...(time !== undefined && { time }),
    };
  });
}

/** The notes of each policy. The decoder has checked that they are texts. */
function notesIn(value: unknown): (string | undefined)[] {
  const members: { policies?: unknown; notes?: unknown } = Object(value);
  const list = Array.isArray(value) ? value : (members.policies ?? [value]);
  return Array.isArray(list) ? list.map((each) => each?.notes) : [];
}

/** Shows whether the new policies allow more than those of the organization, and asks. */
export async function reviewed(
  surroundings: Surroundings,
  { organization, after, question, hasYes }: Review,
): Promise<Comparison> {
  const before = (organization.policies ?? []).map(policyOf);
  const now = after(before);
  surroundings.progress.show("comparing");
  const comparison = comparePolicies(before, now, knownOf(organization));
  surroundings.progress.clear();
  const sides: Sides = {
    before: { file: "the organization now", policies: before },
    after: { file: "the change", policies: now },
  };
  const text = answerText(comparison, sides, paintFor(surroundings.stderr, true));
  surroundings.stderr.write(`${shown(text.join("\n"))}\n`);
  await confirmed(surroundings, question, hasYes);
  return comparison;
}

type Review = {
  readonly organization: OrganizationData;
  readonly after: (before: readonly Policy[]) => readonly Policy[];
  readonly question: string;
  readonly hasYes: boolean;
};

/** In the answer of a query, an empty clause means that the clause is absent. */
export function policyOf({ policyId, policyName, effect, ...clauses }: ListedPolicy): Policy {
  const { condition, consensus, time } = clauses;
  return {
    ...{ policyId, policyName, effect, path: policyName },
    condition: condition || undefined,
    consensus: consensus || undefined,
    time: time || undefined,
  };
}

/** A policy that is not made yet has its name as its id. */
export function unmade({ notes: _, ...policy }: GivenPolicy): Policy {
  return { ...policy, policyId: policy.policyName, path: policy.policyName };
}

export function knownOf({ users = [], rootQuorum }: OrganizationData) {
  return {
    activities: activityKinds,
    ...(rootQuorum && { rootQuorum }),
    users: users.map(({ userId, userName, userEmail = "", userTags, apiKeys }) => ({
      id: userId,
      tags: userTags,
      email: userEmail,
      alias: userName,
      credentials: apiKeys.map(({ apiKeyId, credential: { publicKey, type } }) => ({
        ...{ id: apiKeyId, user_id: userId, type, credential_id: "", public_key: publicKey },
      })),
    })),
  };
}
