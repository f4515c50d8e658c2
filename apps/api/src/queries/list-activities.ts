import { OrganizationId } from "@keyhearth/engine/fields";
import * as z from "zod";
import {
  Activity,
  ActivityStatus,
  ActivityType,
  IncludeAddressProofs,
  Pagination,
} from "../contract/objects.ts";
import { proveAddresses } from "../presentation/address-proofs.ts";
import { presentActivities } from "../presentation/present.ts";
import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import {
  hasActivity,
  listActivities as listStoredActivities,
  readActivity,
} from "../store/activities.ts";

/** Activities, newest first. */
export const listActivities = defineQuery({
  name: "list_activities",
  tag: "Activities",
  summary: "List activities",
  description:
    "List activities of an organization, newest first. To get the next older page, give the id of the page's last activity as `before`.",
  requestName: "GetActivitiesRequest",
  responseName: "GetActivitiesResponse",
  request: z.object({
    organizationId: OrganizationId,
    filterByStatus: z
      .array(ActivityStatus)
      .describe("Only activities with one of these statuses. If absent, all.")
      .optional(),
    paginationOptions: Pagination.optional(),
    filterByType: z
      .array(ActivityType)
      .describe("Only activities of one of these types. If absent, all.")
      .optional(),
    includeAddressProofs: IncludeAddressProofs,
  }),
  response: z.object({
    activities: z.array(Activity).describe("The activities, newest first."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
    paginationOptions: { limit: "20" },
  },

  async answer(
    { db, organizationId, stored, caller, interfaces, log, nowMs },
    { filterByStatus, filterByType, paginationOptions, includeAddressProofs = false },
  ) {
    const page = parsePagination(paginationOptions);
    await assertCursors(page, "activity", (id) => hasActivity(db, organizationId, id));
    const found = await listStoredActivities(db, organizationId, {
      statuses: filterByStatus,
      types: filterByType,
      ...page,
    });
    const activities = found.map(readActivity);
    const viewer = caller.user;
    const view = { activities, stored, viewer, interfaces, log, nowMs };
    const shown = await presentActivities(db, view);
    return { activities: includeAddressProofs ? await proveAddresses(db, shown) : shown };
  },
});
