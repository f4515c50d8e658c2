import { agentsIn } from "../agents/policies.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { cut } from "../pages.ts";
import { listReport } from "../tables.ts";

/** The agents of the organization: users whom a policy of `agent create` restricts. */
export async function agentList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { organizationData } = await client.getOrganization({});
  const { policies = [], users = [], rootQuorum } = organizationData;
  const agents = agentsIn(organizationData).map(({ name, userId }) => ({
    ...{ userId, name },
    keys: users.find((user) => user.userId === userId)?.apiKeys.length ?? 0,
    policies: policies
      .filter(({ condition, consensus }) => `${condition} ${consensus}`.includes(userId))
      .map(({ policyName }) => policyName),
    isRoot: rootQuorum?.userIds.includes(userId) === true,
  }));
  return listReport("agents", cut(given, agents), {
    shown: [
      ["USER", ({ userId }) => userId],
      ["NAME", ({ name }) => name],
      ["KEYS", ({ keys }) => String(keys)],
      ["POLICIES", (agent) => String(agent.policies.length)],
      ["BOUND", ({ isRoot }) => (isRoot ? "no: a root user" : "yes")],
    ],
    none: "there is no agent: make one with `keyhearth agent create NAME --policy FILE`",
  });
}
