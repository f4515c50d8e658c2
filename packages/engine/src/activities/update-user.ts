import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, invalid } from "../errors.ts";
import { Email, label, optionalList, PhoneNumber, UserId, UserTagId } from "../fields/schemas.ts";
import { changesContactOfRoot } from "../people/root-quorum.ts";
import { checkTags, setTags } from "../people/user-tags.ts";
import { setContact } from "../people/verified-contacts.ts";
import { requireUser } from "../records/organization.ts";

/** Changes a user's name, contacts or tags. Credentials have activities of their own. */
export const updateUser = defineActivity({
  name: "update_user",
  tag: "Users",
  summary: "Update user",
  description:
    "Change the name, the contacts or the tags of a user. What you leave out stays. `userTagIds` replaces all of the user's tags. A new contact is not verified; update_user_email and update_user_phone_number take a proof. Only the root quorum can change the contacts of a root user.",
  policy: { resource: "USER", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_USER",
  versions: {
    ACTIVITY_TYPE_UPDATE_USER: {
      intentKey: "updateUserIntent",
      resultKey: "updateUserResult",
      intent: z.strictObject({
        userId: UserId,
        userName: label("New name of the user.").optional(),
        userEmail: Email.describe("New email address of the user.").optional(),
        userTagIds: optionalList(
          UserTagId,
          "Ids of all tags of the user from now on. If it is left out, the tags stay.",
        ),
        userPhoneNumber: PhoneNumber.describe(
          "New phone number of the user in E.164 form.",
        ).optional(),
      }),
      result: z.strictObject({ userId: UserId }),
    },
  },
  example: { userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e", userName: "Ada Lovelace" },
  rootQuorumOnly: changesContactOfRoot,

  check({ document }, { userId, ...changes }) {
    checkAll(
      () => requireUser(document, userId),
      () => checkTags(changes.userTagIds ?? [], document, "parameters.userTagIds"),
      () => {
        if (Object.values(changes).some((change) => change !== undefined)) return;
        throw invalid(
          "parameters",
          `nothing to change: \`parameters\` names user \`${userId}\` and none of userName, userEmail, userTagIds, userPhoneNumber`,
        );
      },
    );
  },

  execute(context, { userId, userName, userEmail, userPhoneNumber, userTagIds }) {
    const { nowMs } = context;
    const user = requireUser(context.update(), userId);
    if (userName !== undefined) user.userName = userName;
    if (userEmail !== undefined) setContact(user, { type: "email", contact: userEmail });
    if (userPhoneNumber !== undefined)
      setContact(user, { type: "phone", contact: userPhoneNumber });
    if (userTagIds !== undefined) setTags(user, userTagIds, nowMs);
    user.updatedAtMs = nowMs;
    return { userId };
  },
});
