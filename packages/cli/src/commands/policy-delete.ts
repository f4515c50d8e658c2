import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { checkYes, findPolicy } from "../found.ts";
import { plain, type Report } from "../output.ts";
import { reviewed } from "../policy-change.ts";

/** Deletes a policy, after showing what is allowed without it. */
export async function policyDelete(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { policyId, policyName } = await findPolicy(client, given.word(0));
  checkYes(given.has("yes"), "policy", given.word(0), policyId);
  const { organizationData: organization } = await client.getOrganization({});
  const comparison = await reviewed(surroundings, {
    organization,
    after: (before) => before.filter((each) => each.policyId !== policyId),
    question: `Delete the policy ${plain(policyName)} (${plain(policyId)})?`,
    hasYes: given.has("yes"),
  });
  await client.deletePolicy({ policyId });
  return {
    exitCode: 0,
    json: { policyId, comparison },
    text: () => `deleted ${plain(policyName)} (${plain(policyId)})`,
  };
}
