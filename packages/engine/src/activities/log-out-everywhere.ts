import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { UserId } from "../fields/schemas.ts";
import { requireUser } from "../records/organization.ts";
import { startSessionEpoch } from "../records/sessions.ts";

const user = z.strictObject({ userId: UserId });

/** Ends all sessions of a user, and all other credentials that expire. */
export const logOutEverywhere = defineActivity({
  name: "log_out_everywhere",
  tag: "Sessions",
  summary: "Log out everywhere",
  description:
    "End all sessions of a user, read-only ones included, and all API keys that expire. Credentials that do not expire stay.",
  policy: { resource: "USER", action: "UPDATE" },
  changes: "fewer credentials",
  defaultType: "ACTIVITY_TYPE_LOG_OUT_EVERYWHERE",
  versions: {
    ACTIVITY_TYPE_LOG_OUT_EVERYWHERE: {
      intentKey: "logOutEverywhereIntent",
      resultKey: "logOutEverywhereResult",
      intent: user,
      result: user,
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e" },
  isOwn: ({ userId }, { userId: own }) => userId === own,

  check({ document }, { userId }) {
    requireUser(document, userId);
  },

  execute(context, { userId }) {
    const found = requireUser(context.update(), userId);
    startSessionEpoch(found, context);
    found.updatedAtMs = context.nowMs;
    return { userId };
  },
});
