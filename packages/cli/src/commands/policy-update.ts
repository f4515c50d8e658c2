import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { InputError } from "../errors.ts";
import { checkYes, findPolicy } from "../found.ts";
import { labelOf } from "../json.ts";
import { plain, type Report } from "../output.ts";
import { readGivenPolicies, reviewed, unmade } from "../policy-change.ts";

/** Replaces a policy by the one of a file, after showing what this allows in addition. */
export async function policyUpdate(given: Given, surroundings: Surroundings): Promise<Report> {
  const file = given.word(1);
  const [policy, ...others] = await readGivenPolicies(file);
  if (policy === undefined || others.length > 0) {
    throw new InputError(`${labelOf(file)} must contain one policy, because one is updated`);
  }
  const { client } = await connect(given, surroundings);
  const { policyId, policyName } = await findPolicy(client, given.word(0));
  checkYes(given.has("yes"), "policy", given.word(0), policyId);
  const { organizationData: organization } = await client.getOrganization({});
  const comparison = await reviewed(surroundings, {
    organization,
    after: (before) =>
      before.map((each) => (each.policyId === policyId ? { ...unmade(policy), policyId } : each)),
    question: `Update the policy ${plain(policyName)} (${plain(policyId)})?`,
    hasYes: given.has("yes"),
  });
  await client.updatePolicy({
    policyId,
    policyName: policy.policyName,
    policyEffect: policy.effect,
    // An empty clause is removed: the file is the whole policy.
    policyCondition: policy.condition ?? "",
    policyConsensus: policy.consensus ?? "",
    policyNotes: policy.notes,
    time: policy.time ?? "",
  });
  return {
    exitCode: 0,
    json: { policyId, comparison },
    text: () => `updated ${plain(policy.policyName)} (${plain(policyId)})`,
  };
}
