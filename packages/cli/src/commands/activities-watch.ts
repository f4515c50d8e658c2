import { setTimeout as delay } from "node:timers/promises";
import type { Activity } from "@keyhearth/sdk";
import { activityReport } from "../activity-report.ts";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import { REFUSED, WAITS } from "../exit-codes.ts";
import type { Report } from "../output.ts";

/** Waits until an activity has ended, and ends as it did: 0 completed, 4 rejected or failed, 5 still waiting. */
export async function activitiesWatch(given: Given, surroundings: Surroundings): Promise<Report> {
  const { progress } = surroundings;
  const timeoutSeconds = given.count("timeout", { least: 0, most: 86_400 }) ?? 600;
  const { client } = await connect(given, surroundings);
  const activityId = given.word(0);
  const deadlineMs = performance.now() + timeoutSeconds * 1000;
  for (;;) {
    const { activity } = await client.getActivity({ activityId });
    const leftMs = deadlineMs - performance.now();
    if (hasEnded(activity) || leftMs <= 0) {
      return activityReport(activity, client, exitCodeOf(activity) ?? WAITS);
    }
    progress.show(
      `${activity.status.replace("ACTIVITY_STATUS_", "")}, ${activity.votes.length} votes`,
    );
    await delay(Math.min(1000, leftMs));
  }
}

const EXIT_CODES: Partial<Record<Activity["status"], number>> = {
  ACTIVITY_STATUS_COMPLETED: 0,
  ACTIVITY_STATUS_FAILED: REFUSED,
  ACTIVITY_STATUS_REJECTED: REFUSED,
};

/** One that no vote decides any more has failed, although its status stays. */
function exitCodeOf({ status, failure }: Activity): number | undefined {
  return EXIT_CODES[status] ?? (failure ? REFUSED : undefined);
}

function hasEnded(activity: Activity): boolean {
  return exitCodeOf(activity) !== undefined;
}
