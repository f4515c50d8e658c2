import { agentsIn } from "../agents/policies.ts";
import { isBegun } from "../agents/unfinished.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { checkName } from "../connection/own-folder.ts";
import { listProfiles, readProfile, removeProfile } from "../connection/profiles.ts";
import { InputError } from "../errors.ts";
import { count, indent, plain, type Report, shown } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Deletes the user of an agent, and then the policies that are about this user. */
export async function agentRemove(given: Given, surroundings: Surroundings): Promise<Report> {
  const { env, stderr } = surroundings;
  const name = checkName(given.word(0), "the name of an agent");
  const { client, organizationId } = await connect(given, surroundings);
  const { organizationData } = await client.getOrganization({});
  const { policies = [], users = [] } = organizationData;
  const agent =
    agentsIn(organizationData).find((each) => each.name === name) ??
    users.find((user) => user.userName === name && isBegun(user));
  if (agent === undefined) {
    throw new InputError(
      `there is no agent ${name}: \`keyhearth agent list\` shows those that \`agent create\` made`,
    );
  }
  const { userId } = agent;
  const about = policies.filter(({ condition, consensus }) => {
    return `${condition} ${consensus}`.includes(userId);
  });
  // Without a DENY that is about others too, they could do more.
  const kept = about.filter(({ effect, condition, consensus }) => {
    const isAboutOthers = users.some(
      (other) => other.userId !== userId && `${condition} ${consensus}`.includes(other.userId),
    );
    return effect === "EFFECT_DENY" && isAboutOthers;
  });
  const own = about.filter((each) => !kept.includes(each));
  const plan = [
    `user ${name} (${userId}), with every key`,
    ...own.map(({ policyName, effect }) => `policy ${effect.replace("EFFECT_", "")} ${policyName}`),
  ];
  stderr.write(`${shown(["agent remove deletes:", ...indent(plan.map(plain))].join("\n"))}\n`);
  if (kept.length > 0) {
    const names = kept.map(({ policyName }) => JSON.stringify(plain(policyName)));
    stderr.write(
      `keyhearth: what denies something to other users too stays: ${names.join(", ")}\n`,
    );
  }
  const question = `Delete the agent ${name} and ${count(own.length, "policy", "policies")}?`;
  await confirmed(surroundings, question, given.has("yes"));
  // First the user: without the restriction, the policies would allow the agent more.
  await client.deleteUsers({ userIds: [userId] });
  const policyIds = own.map(({ policyId }) => policyId);
  if (policyIds.length > 0) await client.deletePolicies({ policyIds });
  const isForgotten = await forgetProfile(name, organizationId, env);
  const place = isForgotten ? ". The profile is forgotten, and its key file is where it was" : "";
  return {
    exitCode: 0,
    json: { userId, policyIds },
    text: () =>
      `removed the agent ${name} and ${count(policyIds.length, "policy", "policies")}${place}`,
  };
}

async function forgetProfile(name: string, organizationId: string, env: Surroundings["env"]) {
  const { names } = await listProfiles(env);
  if (!names.includes(name)) return false;
  if ((await readProfile(name, env)).organizationId !== organizationId) return false;
  await removeProfile(name, env);
  return true;
}
