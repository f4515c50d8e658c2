import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll } from "../errors.ts";
import { label, list, UserId, UserTagId } from "../fields/schemas.ts";
import { addTag, checkTagName, checkUserIds } from "../people/user-tags.ts";
import { checkTagLimit } from "../records/limits.ts";

/** Creates a tag and adds it to users. */
export const createUserTag = defineActivity({
  name: "create_user_tag",
  tag: "User Tags",
  summary: "Create user tag",
  description: "Create a user tag and add it to users.",
  policy: { resource: "USER", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_USER_TAG",
  versions: {
    ACTIVITY_TYPE_CREATE_USER_TAG: {
      intentKey: "createUserTagIntent",
      resultKey: "createUserTagResult",
      intent: z.strictObject({
        userTagName: label("Name of the tag, unique among the user tags of the organization."),
        userIds: list(UserId, "Ids of the users to add the tag to."),
      }),
      result: z.strictObject({
        userTagId: UserTagId,
        userIds: z.array(UserId).describe("Ids of the users that have the tag."),
      }),
    },
  },
  example: { userTagName: "admins", userIds: ["6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"] },

  check({ document }, { userTagName, userIds }) {
    checkAll(
      () => checkTagName(document, userTagName, "parameters.userTagName"),
      () => checkUserIds(document, userIds, "parameters.userIds"),
      () => checkTagLimit(document, "parameters.userTagName"),
    );
  },

  execute(context, { userTagName, userIds }) {
    const { nowMs } = context;
    const userTagId = context.newId("user-tag");
    const draft = context.update();
    const times = { createdAtMs: nowMs, updatedAtMs: nowMs };
    draft.userTags.push({ tagId: userTagId, tagName: userTagName, ...times });
    for (const user of draft.users) {
      if (userIds.includes(user.userId)) addTag(user, userTagId, nowMs);
    }
    return { userTagId, userIds: [...new Set(userIds)] };
  },
});
