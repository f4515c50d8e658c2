import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { label, UserId } from "../fields/schemas.ts";
import { requireUser } from "../records/organization.ts";

/** Renames a user. */
export const updateUserName = defineActivity({
  name: "update_user_name",
  tag: "Users",
  summary: "Update user name",
  description: "Give a user another name.",
  policy: { resource: "USER", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_USER_NAME",
  versions: {
    ACTIVITY_TYPE_UPDATE_USER_NAME: {
      intentKey: "updateUserNameIntent",
      resultKey: "updateUserNameResult",
      intent: z.strictObject({ userId: UserId, userName: label("New name of the user.") }),
      result: z.strictObject({ userId: UserId }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", userName: "Ada Lovelace" },

  check({ document }, { userId }) {
    requireUser(document, userId);
  },

  execute(context, { userId, userName }) {
    const user = requireUser(context.update(), userId);
    user.userName = userName;
    user.updatedAtMs = context.nowMs;
    return { userId };
  },
});
