import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkAll, checkEach, invalid } from "../errors.ts";
import { credentialTypeNames, traitsOf } from "../fields/logins.ts";
import { ids, OauthProviderId, UserId } from "../fields/schemas.ts";
import { checkNotLockedOut, lastingLoginsOf } from "../people/lock-out.ts";
import { requireUser } from "../records/organization.ts";
import { moveToNewEpochWithTokens } from "../records/sessions.ts";

const BY_SOCIAL_LOGIN = credentialTypeNames.filter((type) => traitsOf(type).isOfSocialLogin);

/** Deletes social logins of a user, and ends the sessions that may have begun with them. */
export const deleteOauthProviders = defineActivity({
  name: "delete_oauth_providers",
  tag: "User Auth",
  summary: "Delete OAuth providers",
  description: `Remove social logins from a user, and end the user's logins: sessions of ${BY_SOCIAL_LOGIN.toSorted().join(" and ")}. Users can do this for themselves.`,
  policy: { resource: "CREDENTIAL", action: "DELETE" },
  changes: "fewer credentials",
  defaultType: "ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS",
  versions: {
    ACTIVITY_TYPE_DELETE_OAUTH_PROVIDERS: {
      intentKey: "deleteOauthProvidersIntent",
      resultKey: "deleteOauthProvidersResult",
      intent: z.strictObject({
        userId: UserId,
        providerIds: ids(
          OauthProviderId,
          "OAuth provider",
          "Ids of the OAuth providers to delete.",
        ),
      }),
      result: z.strictObject({
        providerIds: z
          .array(OauthProviderId)
          .describe("Ids of the OAuth providers that were deleted."),
      }),
    },
  },
  example: {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    providerIds: ["e395a4b0-f2dc-4c06-81d6-859203142536"],
  },
  isOwn: ({ userId }, user) => userId === user.userId,
  wants: ({ userId }) => [{ type: "sessions", userId }],

  check({ document }, { userId, providerIds }) {
    const user = requireUser(document, userId);
    const kept = user.oauthProviders.filter(({ providerId }) => !providerIds.includes(providerId));
    checkAll(
      () =>
        checkEach(providerIds, (providerId, index) => {
          if (user.oauthProviders.some((each) => each.providerId === providerId)) return;
          const field = `parameters.providerIds[${index}]`;
          const message = `OAuth provider not found: \`${providerId}\` is not an OAuth provider of the user`;
          throw invalid(field, message, "NOT_FOUND");
        }),
      () => {
        const left = lastingLoginsOf({ ...user, oauthProviders: kept });
        if (kept.length < user.oauthProviders.length) {
          checkNotLockedOut(left, "parameters.providerIds", document);
        }
      },
    );
  },

  execute(context, { userId, providerIds }) {
    const user = requireUser(context.update(), userId);
    user.oauthProviders = user.oauthProviders.filter(
      ({ providerId }) => !providerIds.includes(providerId),
    );
    user.updatedAtMs = context.nowMs;
    // What was begun with it ends too. Nothing says by which login a session began, so all of these end.
    const { entries } = context.records.sessions(userId);
    const kept = entries.filter(({ credential }) => !BY_SOCIAL_LOGIN.includes(credential.type));
    // Tokens of the deleted logins no longer belong to anybody, and those of the others may begin new sessions.
    const moved = moveToNewEpochWithTokens(user, kept, context);
    context.write.sessions({ userId, entries: moved });
    return { providerIds: [...new Set(providerIds)] };
  },
});
