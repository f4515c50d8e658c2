import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { proveAddresses } from "../presentation/address-proofs.ts";
import { presentActivities } from "../presentation/present.ts";
import { defineQuery } from "../query/define.ts";
import { assertCursors, parsePagination } from "../query/pagination.ts";
import { assertLight } from "../reader/allowance.ts";
import {
  hadActivity,
  listActivities as listStoredActivities,
  readActivity,
} from "../store/activities.ts";
import type { ShownActivity } from "../wire/objects.ts";
import {
  Activity,
  ActivityStatus,
  ActivityType,
  IncludeAddressProofs,
  Pagination,
} from "../wire/objects.ts";

/** More than there are types. */
const MAX_FILTERED = 500;
const TOO_MANY = `must have at most ${MAX_FILTERED} entries`;

/** Activities, newest first. */
export const listActivities = defineQuery({
  name: "list_activities",
  tag: "Activities",
  summary: "List activities",
  description:
    "List activities of an organization, newest first. To get the next older page, give the id of the page's last activity as `before`. A page of large activities ends before its `limit`, and says so in `endedEarly`.",
  requestName: "GetActivitiesRequest",
  responseName: "GetActivitiesResponse",
  request: z.object({
    organizationId: OrganizationId,
    filterByStatus: z
      .array(ActivityStatus)
      .max(MAX_FILTERED, TOO_MANY)
      .describe("Only activities with one of these statuses. If absent, all.")
      .optional(),
    paginationOptions: Pagination.optional(),
    filterByType: z
      .array(ActivityType)
      .max(MAX_FILTERED, TOO_MANY)
      .describe("Only activities of one of these types. If absent, all.")
      .optional(),
    includeAddressProofs: IncludeAddressProofs,
  }),
  response: z.object({
    activities: z.array(Activity).describe("The activities, newest first."),
    endedEarly: z
      .boolean()
      .describe(
        "`true` if the page ended before its `limit` because its activities are large. More may follow, as on every page. Otherwise absent.",
      )
      .optional(),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"],
    paginationOptions: { limit: "20" },
  },

  maxBytes: 8 * 1024 * 1024,
  mayAskStandby: true,
  async answer(
    { db, organizationId, stored, caller, interfaces, warn, allowance, nowMs },
    { filterByStatus, filterByType, paginationOptions, includeAddressProofs = false },
  ) {
    const page = parsePagination(paginationOptions);
    await assertCursors(page, "activity", (id) => hadActivity(db, organizationId, id));
    const found = await listStoredActivities(db, organizationId, {
      statuses: filterByStatus,
      types: filterByType,
      maxBytes: allowance.records,
      maxRecordBytes: allowance.record,
      goOn: () => assertLight(allowance, false),
      ...page,
    });
    assertLight(allowance, !found.isCut);
    const shown = await presentActivities(db, {
      activities: found.activities.map(readActivity),
      stored,
      viewer: caller.user,
      interfaces,
      warn,
      allowance,
      nowMs,
    });
    const isForward = page.after !== undefined && page.before === undefined;
    const fitting = withinAnswer(shown, isForward);
    const activities = includeAddressProofs ? await proveAddresses(db, fitting) : fitting;
    const isCut = found.isCut || fitting.length < shown.length;
    return { activities, ...(isCut && { endedEarly: true }) };
  },
});

/** Characters of the activities on one page. */
const MAX_SHOWN = 8 * 1024 * 1024;

/** The longer list of voters makes an activity larger than its record says. */
const MANY_VOTES = 4;

/** As many as fit into an answer, from the end at which the page begins. */
function withinAnswer(shown: ShownActivity[], isForward: boolean): ShownActivity[] {
  if (shown.every(({ votes }) => votes.length <= MANY_VOTES)) return shown;
  const inOrder = isForward ? shown.toReversed() : shown;
  let left = MAX_SHOWN;
  const kept = inOrder.filter((each, index) => {
    left -= left > 0 ? JSON.stringify(each).length : 0;
    return index === 0 || left >= 0;
  });
  return isForward ? kept.reverse() : kept;
}
