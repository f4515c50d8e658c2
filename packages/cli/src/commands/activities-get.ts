import { activityReport } from "../activity-report.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";

/** An activity: its state, its votes and its result. */
export async function activitiesGet(given: Given, surroundings: Surroundings): Promise<Report> {
  const { client } = await connect(given, surroundings);
  const { activity } = await client.getActivity({ activityId: given.word(0) });
  return activityReport(activity, client);
}
