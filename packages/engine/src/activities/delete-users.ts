import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach, invalid } from "../errors.ts";
import { ids, UserId } from "../fields/schemas.ts";
import { requireUser } from "../records/organization.ts";

/**
 * Deletes users with everything that is theirs. Session entries and votes count only for users of the
 * document, so they end with its commit.
 */
export const deleteUsers = defineActivity({
  name: "delete_users",
  tag: "Users",
  summary: "Delete users",
  description:
    "Delete users, with their credentials, sessions and started imports: all of the users, or none if one cannot be deleted. Their approvals no longer count, and the invitations that they sent end. Members of the root quorum cannot be deleted.",
  policy: { resource: "USER", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_USERS",
  versions: {
    ACTIVITY_TYPE_DELETE_USERS: {
      intentKey: "deleteUsersIntent",
      resultKey: "deleteUsersResult",
      intent: z.strictObject({ userIds: ids(UserId, "user", "Ids of the users to delete.") }),
      result: z.strictObject({
        userIds: z.array(UserId).describe("Ids of the users that were deleted."),
      }),
    },
  },
  example: { userIds: ["6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e"] },

  check({ document }, { userIds }) {
    checkEach(userIds, (userId, index) => {
      const field = `parameters.userIds[${index}]`;
      requireUser(document, userId, field);
      if (!document.rootQuorum.userIds.includes(userId)) return;
      const message = `quorum users missing: user \`${userId}\` is in the root quorum; change the quorum first, with update_root_quorum`;
      throw invalid(field, message, "QUORUM_INVALID");
    });
  },

  execute(context, { userIds }) {
    const draft = context.update();
    const isKept = (userId: string) => !userIds.includes(userId);
    draft.users = draft.users.filter(({ userId }) => isKept(userId));
    draft.imports = draft.imports.filter(({ userId }) => isKept(userId));
    // Otherwise someone who is about to be deleted could leave a way back in.
    draft.invitations = draft.invitations.filter(
      ({ senderUserId, creatorUserId }) => isKept(senderUserId) && isKept(creatorUserId),
    );
    return { userIds: [...new Set(userIds)] };
  },
});
