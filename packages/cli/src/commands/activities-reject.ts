import { activityReport } from "../activity-report.ts";
import { linesOf, voteChecks } from "../approvals.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { type Report, shown } from "../output.ts";

/** Rejects an activity, after showing its request and asking: nobody can approve it afterwards. */
export async function activitiesReject(given: Given, surroundings: Surroundings): Promise<Report> {
  const { assertExpected, asked } = voteChecks(given, surroundings);
  const { client } = await connect(given, surroundings);
  const { activity } = await client.reject(given.word(0), {
    decide: async (request) => {
      assertExpected(request, "rejected");
      surroundings.stderr.write(`${shown(linesOf(request).join("\n"))}\n`);
      await asked("Reject this request?");
      return true;
    },
  });
  return activityReport(activity, client);
}
