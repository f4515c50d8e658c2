import { ApiError } from "@keyhearth/engine/errors";
import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { proveAddresses } from "../presentation/address-proofs.ts";
import { presentActivity } from "../presentation/present.ts";
import { defineQuery } from "../query/define.ts";
import { readHere } from "../reader/allowance.ts";
import { findActivityWithin, readActivity } from "../store/activities.ts";
import { missingActivity } from "../store/removed-activities.ts";
import { UNKNOWN } from "../wire/answered.ts";
import { ActivityId, ActivityResponse, IncludeAddressProofs } from "../wire/objects.ts";

/** An activity in its current state. Clients poll it while it is PENDING or waits for consensus. */
export const getActivity = defineQuery({
  name: "get_activity",
  tag: "Activities",
  summary: "Get activity",
  description: "Get an activity by its id.",
  requestName: "GetActivityRequest",
  responseName: "ActivityResponse",
  request: z.object({
    organizationId: OrganizationId,
    activityId: ActivityId,
    includeAddressProofs: IncludeAddressProofs,
  }),
  response: ActivityResponse,
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    activityId: "019a9a51-7c3e-7d21-8a44-5b6c7d8e9f00",
  },

  maxBytes: 4 * 1024 * 1024,
  async answer(
    { db, organizationId, stored, caller, shownPending, withResult, ...context },
    { activityId, includeAddressProofs = false },
  ) {
    const pending = await shownPending(activityId);
    const shown = pending === UNKNOWN ? undefined : pending;
    if (shown?.status === "ACTIVITY_STATUS_PENDING") return { activity: shown };

    const { record } = context.allowance;
    const found = readHere(await findActivityWithin(db, organizationId, activityId, record));
    if (!found && shown) return { activity: shown };
    if (!found && pending === UNKNOWN) throw outcomeUnknown(activityId);
    if (!found) throw await missingActivity(db, organizationId, activityId);
    const activity = await withResult(readActivity(found), found.bytes);
    const viewer = caller.user;
    const presented = await presentActivity(db, { ...context, stored, activity, viewer });
    if (!includeAddressProofs) return { activity: presented };
    const [proven = presented] = await proveAddresses(db, [presented]);
    return { activity: proven };
  },
});

function outcomeUnknown(activityId: string): ApiError {
  return new ApiError(
    "UNAVAILABLE",
    "DATABASE_UNAVAILABLE",
    `the database or the signer was lost while activity \`${activityId}\` was under way, so nobody knows yet whether it takes effect; send the bytes of its request again to get its outcome`,
  );
}
