import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { findOperation, versionOf } from "../contract/operations.ts";
import { parametersOf } from "../contract/parameters.ts";
import { outcomeReasons } from "../denials.ts";
import { InputError } from "../errors.ts";
import { REFUSED, WAITS } from "../exit-codes.ts";
import { byWhom } from "../outcomes.ts";
import { join, plain, type Report } from "../output.ts";

/** What the organization's policies would decide about a request that nobody sends. */
export async function policySimulate(given: Given, surroundings: Surroundings): Promise<Report> {
  const operation = findOperation(given.word(0));
  if (operation.defaultType === undefined) {
    throw new InputError(
      `${operation.name} is a query, and policies decide about submissions only`,
    );
  }
  const [type, schema] = versionOf(operation, given.option("type"));
  const { client, organizationId } = await connect(given, surroundings);
  const parameters = await parametersOf(given, schema, operation, organizationId);
  const userId = given.option("user");
  const approverUserIds = given.list("approver");
  const answer = await client.simulateActivity({
    activity: { type, parameters },
    ...(userId !== undefined && { userId }),
    ...(approverUserIds.length > 0 && { approverUserIds: [...approverUserIds] }),
  });
  const { outcome, reason, neededApprovals, evaluations } = answer;
  const lines = evaluations.length === 0 ? [] : await outcomeReasons(evaluations, client);
  const isAllowed = outcome === "OUTCOME_ALLOW";
  const waits = outcome === "OUTCOME_REQUIRES_CONSENSUS";
  return {
    exitCode: isAllowed ? 0 : waits ? WAITS : REFUSED,
    json: answer,
    text: (paint) =>
      [
        `${paint(isAllowed ? "green" : waits ? "yellow" : "red", plain(outcome))}, decided by ${byWhom(reason)}`,
        ...lines.map(({ line }) => line),
        ...neededApprovals.map(
          (ids) => `approvals that would complete it: ${join(ids.map(plain))}`,
        ),
      ].join("\n"),
  };
}
