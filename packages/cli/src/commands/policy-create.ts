import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { count, plain, type Report } from "../output.ts";
import { readGivenPolicies, reviewed, unmade } from "../policy-change.ts";

/** Creates the policies of a file, after showing what they allow in addition. */
export async function policyCreate(given: Given, surroundings: Surroundings): Promise<Report> {
  const policies = await readGivenPolicies(given.word(0));
  const { client } = await connect(given, surroundings);
  const { organizationData: organization } = await client.getOrganization({});
  const comparison = await reviewed(surroundings, {
    organization,
    after: (before) => [...before, ...policies.map(unmade)],
    question: `Create ${count(policies.length, "policy", "policies")}?`,
    hasYes: given.has("yes"),
  });
  const { policyIds } = await client.createPolicies({ policies });
  return {
    exitCode: 0,
    json: { policyIds, comparison },
    text: () =>
      policies
        .map(({ policyName }, i) => `created ${plain(policyName)} (${plain(policyIds[i] ?? "")})`)
        .join("\n"),
  };
}
