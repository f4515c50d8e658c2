import type { ActivityStatus } from "@keyhearth/sdk";
import type { Given, Surroundings } from "../command.ts";
import { connect } from "../connection/connect.ts";
import type { Report } from "../output.ts";
import { pagesOf } from "../pages.ts";
import { listReport, timeOf } from "../tables.ts";

const STATUSES = {
  all: undefined,
  waiting: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
  completed: "ACTIVITY_STATUS_COMPLETED",
  failed: "ACTIVITY_STATUS_FAILED",
  rejected: "ACTIVITY_STATUS_REJECTED",
} as const satisfies Record<string, ActivityStatus | undefined>;

/** The activities, newest first. */
export async function activitiesList(given: Given, surroundings: Surroundings): Promise<Report> {
  const status =
    STATUSES[given.choice("status", ["all", "waiting", "completed", "failed", "rejected"])];
  const { client } = await connect(given, surroundings);
  const pages = await pagesOf(
    given,
    async ({ limit, last }) => {
      const { activities } = await client.listActivities({
        ...(status !== undefined && { filterByStatus: [status] }),
        paginationOptions: { limit, ...(last && { before: last }) },
      });
      return activities;
    },
    ({ id }) => id,
  );
  return listReport("activities", pages, {
    shown: [
      ["ACTIVITY", ({ id }) => id],
      ["TYPE", ({ type }) => type.replace("ACTIVITY_TYPE_", "")],
      ["STATUS", ({ status: each }) => each.replace("ACTIVITY_STATUS_", "")],
      ["BY", ({ votes }) => votes[0]?.user.userName ?? ""],
      ["AT", ({ createdAt }) => timeOf(createdAt)],
    ],
    none: "there is no such activity",
  });
}
