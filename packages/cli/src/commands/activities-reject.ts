import { activityReport } from "../activity-report.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { confirmed } from "../prompts.ts";

/** Rejects an activity: nobody can approve it afterwards. */
export async function activitiesReject(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const activityId = given.word(0);
  await confirmed(surroundings, `Reject the activity ${activityId}?`, given.has("yes"));
  const { activity } = await client.reject(activityId);
  return activityReport(activity, client);
}
