import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, checkEach, invalid, notFound } from "../errors.ts";
import { label, list, UserId, UserTagId } from "../fields/schemas.ts";
import { addTag, checkTagName, checkUserIds, removeTags } from "../people/user-tags.ts";

/** Renames a user tag, adds it to users and removes it from others, all at once. */
export const updateUserTag = defineActivity({
  name: "update_user_tag",
  tag: "User Tags",
  summary: "Update user tag",
  description:
    "Rename a user tag, add it to users and remove it from others: all of it or nothing. Policies may give permissions by tag.",
  policy: { resource: "USER", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_USER_TAG",
  versions: {
    ACTIVITY_TYPE_UPDATE_USER_TAG: {
      intentKey: "updateUserTagIntent",
      resultKey: "updateUserTagResult",
      intent: z.strictObject({
        userTagId: UserTagId,
        newUserTagName: label(
          "New name, unique among the user tags of the organization.",
        ).optional(),
        addUserIds: list(UserId, "Ids of the users to add the tag to."),
        removeUserIds: list(UserId, "Ids of the users to remove the tag from."),
      }),
      result: z.strictObject({ userTagId: UserTagId }),
    },
  },
  example: {
    userTagId: "af51607c-be98-4ec2-8d92-415e6f708192",
    newUserTagName: "operators",
    addUserIds: [],
    removeUserIds: ["6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"],
  },

  check({ document }, { userTagId, newUserTagName: name, addUserIds, removeUserIds }) {
    checkAll(
      () => {
        if (document.userTags.some(({ tagId }) => tagId === userTagId)) return;
        throw notFound("parameters.userTagId", "user tag", userTagId);
      },
      () => {
        if (name === undefined) return;
        checkTagName(document, name, "parameters.newUserTagName", userTagId);
      },
      () => checkUserIds(document, addUserIds, "parameters.addUserIds"),
      () => checkUserIds(document, removeUserIds, "parameters.removeUserIds"),
      () =>
        checkEach(removeUserIds, (userId, index) => {
          if (!addUserIds.includes(userId)) return;
          const field = `parameters.removeUserIds[${index}]`;
          throw invalid(field, `user \`${userId}\` is in addUserIds and in removeUserIds`);
        }),
      () => {
        if (name !== undefined || addUserIds.length + removeUserIds.length > 0) return;
        throw invalid(
          "parameters",
          `nothing to change: \`parameters\` names tag \`${userTagId}\`, no newUserTagName, and no users to add it to or remove it from`,
        );
      },
    );
  },

  execute(context, { userTagId, newUserTagName, addUserIds, removeUserIds }) {
    const { nowMs } = context;
    const draft = context.update();
    draft.userTags = draft.userTags.map((tag) =>
      tag.tagId === userTagId
        ? { ...tag, tagName: newUserTagName ?? tag.tagName, updatedAtMs: nowMs }
        : tag,
    );
    for (const user of draft.users) {
      if (addUserIds.includes(user.userId)) addTag(user, userTagId, nowMs);
      if (removeUserIds.includes(user.userId)) removeTags(user, [userTagId], nowMs);
    }
    return { userTagId };
  },
});
