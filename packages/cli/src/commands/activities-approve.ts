import { activityReport } from "../activity-report.ts";
import { linesOf, voteChecks } from "../approvals.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { plain, type Report, shown } from "../output.ts";

/** Approves an activity, after showing the request that its requester stamped and asking. */
export async function activitiesApprove(given: Given, surroundings: Surroundings): Promise<Report> {
  const { assertExpected, asked } = voteChecks(given, surroundings);
  const { client } = await connect(given, surroundings);
  const { activity } = await client.approve(given.word(0), async (request) => {
    assertExpected(request, "approved");
    const lines = [`stamped by    ${plain(request.publicKey)}`, ...linesOf(request)];
    surroundings.stderr.write(`${shown(lines.join("\n"))}\n`);
    await asked("Approve this request?");
    return true;
  });
  return activityReport(activity, client);
}
