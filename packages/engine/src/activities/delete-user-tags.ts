import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach, notFound } from "../errors.ts";
import { ids, UserId, UserTagId } from "../fields/schemas.ts";
import { removeTags } from "../people/user-tags.ts";

/** Deletes user tags, and removes them from the users who have them. */
export const deleteUserTags = defineActivity({
  name: "delete_user_tags",
  tag: "User Tags",
  summary: "Delete user tags",
  description:
    "Delete user tags and remove them from all users: all of the tags, or none if one does not exist. The users stay. Policies that name a deleted tag no longer match any user.",
  policy: { resource: "USER", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_USER_TAGS",
  versions: {
    ACTIVITY_TYPE_DELETE_USER_TAGS: {
      intentKey: "deleteUserTagsIntent",
      resultKey: "deleteUserTagsResult",
      intent: z.strictObject({
        userTagIds: ids(UserTagId, "user tag", "Ids of the tags to delete."),
      }),
      result: z.strictObject({
        userTagIds: z.array(UserTagId).describe("Ids of the tags that were deleted."),
        userIds: z.array(UserId).describe("Ids of the users that had at least one of the tags."),
      }),
    },
  },
  example: { userTagIds: ["af51607c-be98-4ec2-8d92-415e6f708192"] },

  check({ document }, { userTagIds }) {
    checkEach(userTagIds, (userTagId, index) => {
      if (document.userTags.some(({ tagId }) => tagId === userTagId)) return;
      throw notFound(`parameters.userTagIds[${index}]`, "user tag", userTagId);
    });
  },

  execute(context, { userTagIds }) {
    const { nowMs } = context;
    const draft = context.update();
    draft.userTags = draft.userTags.filter(({ tagId }) => !userTagIds.includes(tagId));
    const tagged = draft.users.filter(({ userTags }) =>
      userTags.some((tagId) => userTagIds.includes(tagId)),
    );
    for (const user of tagged) removeTags(user, userTagIds, nowMs);
    return {
      userTagIds: [...new Set(userTagIds)],
      userIds: tagged.map(({ userId }) => userId),
    };
  },
});
