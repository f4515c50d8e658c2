import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { oneLine, type Report } from "../output.ts";
import { tableOf } from "../tables.ts";

/** The policies of the organization. As JSON, they are a file for the other policy commands. */
export async function policyList(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { policies } = await client.listPolicies({});
  return {
    exitCode: 0,
    json: { policies },
    text: (paint) =>
      policies.length === 0
        ? "there is no policy: only the root quorum may do something"
        : tableOf(
            policies,
            [
              ["POLICY", ({ policyId }) => policyId],
              ["NAME", ({ policyName }) => policyName],
              ["EFFECT", ({ effect }) => effect.replace("EFFECT_", "")],
              ["CONDITION", ({ condition }) => oneLine(condition, 60)],
              ["CONSENSUS", ({ consensus }) => oneLine(consensus, 40)],
            ],
            paint,
          ).join("\n"),
  };
}
