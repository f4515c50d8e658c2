import type { KeyhearthClient, OrganizationData, Policy } from "@keyhearth/sdk";
import { findMade, forgetMade, isSamePolicy, type Made } from "../agents/made.ts";
import { agentsIn } from "../agents/policies.ts";
import { isBegun } from "../agents/unfinished.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { checkName } from "../connection/own-folder.ts";
import { listProfiles, readProfile, removeProfile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { checkYes } from "../found.ts";
import { count, indent, plain, type Report, shown } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Deletes the user of an agent, and then the policies that this machine made for it. */
export async function agentRemove(given: Given, surroundings: Surroundings): Promise<Report> {
  const { env, stderr } = surroundings;
  const word = checkName(given.word(0), "the name of an agent");
  const { client, organizationId } = await connect(given, surroundings);
  const { organizationData } = await client.getOrganization({});
  const known = await findMade(word, { organizationId, env });
  const { name, userId } = known
    ? { name: known.name, userId: known.made.userId }
    : agentOf(word, organizationData);
  if (!known) checkYes(given.has("yes"), "agent that this machine did not make", word, userId);
  const { policies = [], users = [] } = organizationData;
  const isThere = users.some((user) => user.userId === userId);
  const own = known ? madeFor(known.made, policies) : [];
  const about = policies.filter(({ condition, consensus }) => {
    return `${condition} ${consensus}`.includes(userId);
  });
  const kept = about.filter(({ policyId }) => own.every((each) => each.policyId !== policyId));
  const plan = [
    ...(isThere ? [`user ${name} (${userId}), with every key`] : []),
    ...own.map(
      ({ policyId, policyName, effect }) =>
        `policy ${effect.replace("EFFECT_", "")} ${policyName} (${policyId})`,
    ),
  ];
  stderr.write(`${shown(["agent remove deletes:", ...indent(plan.map(plain))].join("\n"))}\n`);
  if (kept.length > 0) {
    const lines = kept.flatMap(linesOf);
    stderr.write(
      `${shown(["keyhearth: policies that this machine did not make for the agent alone stay. `keyhearth policy delete ID` deletes one:", ...indent(lines)].join("\n"))}\n`,
    );
  }
  const question = `Delete the agent ${plain(name)} (${plain(userId)}) and ${count(own.length, "policy", "policies")}?`;
  await confirmed(surroundings, question, given.has("yes"));
  const policyIds = own.map(({ policyId }) => policyId);
  await remove(client, isThere ? [userId] : [], policyIds);
  // Another name would be the service's word.
  const isNamed = known !== undefined || name === word;
  const isForgotten = isNamed && (await forgetProfile(name, organizationId, env));
  if (known) await forgetMade(name, env);
  const place = isForgotten ? ". The profile is forgotten, and its key file is where it was" : "";
  return {
    exitCode: 0,
    json: { userId, policyIds },
    text: () =>
      `removed the agent ${plain(name)} and ${count(policyIds.length, "policy", "policies")}${place}`,
  };
}

/** First the user: without the restriction, the policies would allow the agent more. */
async function remove(client: KeyhearthClient, userIds: string[], policyIds: string[]) {
  if (userIds.length > 0) await client.deleteUsers({ userIds });
  if (policyIds.length > 0) await client.deletePolicies({ policyIds });
}

/** An agent that was made elsewhere, by its name or the id of its user. */
function agentOf(word: string, organization: OrganizationData) {
  const isIt = ({ name, userId }: { name: string; userId: string }) =>
    name === word || userId === word;
  const begun = (organization.users ?? [])
    .filter(isBegun)
    .map(({ userName: name, userId }) => ({ name, userId }));
  const found = [...agentsIn(organization), ...begun].find(isIt);
  if (found !== undefined) return found;
  throw new InputError(
    `there is no agent ${word}: \`keyhearth agent list\` shows those that \`agent create\` made`,
  );
}

/**
 * The policies that were made for this agent alone and say the same as then. Whatever else the service shows as the
 * agent's could be anybody's, such as a DENY.
 */
function madeFor({ userId, policies: made }: Made, policies: readonly Policy[]) {
  return made.filter(({ isShared, ...each }) => {
    const isOwn = !isShared && `${each.condition} ${each.consensus}`.includes(userId);
    const found = policies.find(({ policyId }) => policyId === each.policyId);
    return isOwn && found !== undefined && isSamePolicy(each, found);
  });
}

function linesOf({ policyId, policyName, effect, ...clauses }: Policy): string[] {
  const { condition, consensus, time } = clauses;
  const texts = Object.entries({ condition, consensus, time }).filter(([, clause]) => clause);
  return [
    plain(`${policyId} ${effect.replace("EFFECT_", "")} ${policyName}`),
    ...indent(texts.map(([name, clause]) => plain(`${name}: ${clause}`))),
  ];
}

async function forgetProfile(name: string, organizationId: string, env: Surroundings["env"]) {
  const { names } = await listProfiles(env);
  if (!names.includes(name)) return false;
  if ((await readProfile(name, env)).organizationId !== organizationId) return false;
  await removeProfile(name, env);
  return true;
}
