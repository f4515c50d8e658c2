import { agentsIn, weakPoliciesOf } from "../agents/policies.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { plain, type Report } from "../output.ts";
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
    weakPolicies: weakPoliciesOf({ name, userId }, organizationData),
    isRoot: rootQuorum?.userIds.includes(userId) === true,
  }));
  const shown = cut(given, agents);
  const report = listReport("agents", shown, {
    shown: [
      ["USER", ({ userId }) => userId],
      ["NAME", ({ name }) => name],
      ["KEYS", ({ keys }) => String(keys)],
      ["POLICIES", (agent) => String(agent.policies.length)],
      ["BOUND", boundOf],
    ],
    none: "there is no agent: make one with `keyhearth agent create NAME --policy FILE`",
  });
  const advice = shown.items.flatMap(({ name, weakPolicies }) =>
    weakPolicies.map(
      ({ policyId, policyName, why }) =>
        `${JSON.stringify(plain(policyName))} of ${plain(name)} ${why}, so another program could approve: name who approves in its consensus, such as \`approvers.any(user, user.id == 'YOUR_USER_ID')\`, in a file, and run \`keyhearth policy update ${plain(policyId)} FILE\``,
    ),
  );
  return { ...report, text: (paint) => [report.text(paint), ...advice].join("\n") };
}

type Listed = { readonly isRoot: boolean; readonly weakPolicies: readonly unknown[] };

function boundOf({ isRoot, weakPolicies }: Listed): string {
  if (isRoot) return "no: a root user";
  return weakPolicies.length > 0 ? "no: another program could approve" : "yes";
}
