import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach, invalid } from "../errors.ts";
import { AuthenticatorId, ids, UserId } from "../fields/schemas.ts";
import { checkNotLockedOut, lastingLoginsOf } from "../people/lock-out.ts";
import { requireUser } from "../records/organization.ts";
import { moveToNewEpochWithTokens } from "../records/sessions.ts";

/** Deletes passkeys of a user, with immediate effect in every process. */
export const deleteAuthenticators = defineActivity({
  name: "delete_authenticators",
  tag: "Authenticators",
  summary: "Delete authenticators",
  description: "Remove passkeys from a user.",
  policy: { resource: "CREDENTIAL", action: "DELETE" },
  changes: "fewer credentials",
  defaultType: "ACTIVITY_TYPE_DELETE_AUTHENTICATORS",
  versions: {
    ACTIVITY_TYPE_DELETE_AUTHENTICATORS: {
      intentKey: "deleteAuthenticatorsIntent",
      resultKey: "deleteAuthenticatorsResult",
      intent: z.strictObject({
        userId: UserId,
        authenticatorIds: ids(
          AuthenticatorId,
          "authenticator",
          "Ids of the authenticators to delete.",
        ),
      }),
      result: z.strictObject({
        authenticatorIds: z
          .array(AuthenticatorId)
          .describe("Ids of the authenticators that were deleted."),
      }),
    },
  },
  example: {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    authenticatorIds: ["d28493af-e1cb-4bf5-90c5-748192031425"],
  },
  isOwn: ({ userId }, user) => userId === user.userId,
  wants: ({ userId }) => [{ type: "sessions", userId }],

  check({ document }, { userId, authenticatorIds }) {
    const user = requireUser(document, userId);
    checkEach(authenticatorIds, (authenticatorId, index) => {
      const isKnown = user.authenticators.some((each) => each.authenticatorId === authenticatorId);
      if (isKnown) return;
      const field = `parameters.authenticatorIds[${index}]`;
      const message = `authenticator not found: \`${authenticatorId}\` is not an authenticator of the user`;
      throw invalid(field, message, "NOT_FOUND");
    });
    const kept = user.authenticators.filter(
      ({ authenticatorId }) => !authenticatorIds.includes(authenticatorId),
    );
    const left = lastingLoginsOf({ ...user, authenticators: kept });
    checkNotLockedOut(left, "parameters.authenticatorIds", document);
  },

  execute(context, { userId, authenticatorIds }) {
    const user = requireUser(context.update(), userId);
    user.authenticators = user.authenticators.filter(
      ({ authenticatorId }) => !authenticatorIds.includes(authenticatorId),
    );
    user.updatedAtMs = context.nowMs;
    // A vote or a login that is under way with a deleted passkey must no longer count.
    const { entries } = context.records.sessions(userId);
    const moved = moveToNewEpochWithTokens(user, entries, context);
    context.write.sessions({ userId, entries: moved });
    return { authenticatorIds: [...new Set(authenticatorIds)] };
  },
});
