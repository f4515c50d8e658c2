import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { checkEach, invalid } from "../errors.ts";
import { ApiKeyId, ids, UserId } from "../fields/schemas.ts";
import { checkNotLockedOut, lastingLoginsOf } from "../people/lock-out.ts";
import { requireUser } from "../records/organization.ts";
import { moveToNewEpoch, moveToNewEpochWithTokens } from "../records/sessions.ts";

/** Deletes API keys of a user, with immediate effect in every process. */
export const deleteApiKeys = defineActivity({
  name: "delete_api_keys",
  tag: "API Keys",
  summary: "Delete API keys",
  description: "Remove API keys from a user.",
  policy: { resource: "CREDENTIAL", action: "DELETE" },
  changes: "fewer credentials",
  defaultType: "ACTIVITY_TYPE_DELETE_API_KEYS",
  versions: {
    ACTIVITY_TYPE_DELETE_API_KEYS: {
      intentKey: "deleteApiKeysIntent",
      resultKey: "deleteApiKeysResult",
      intent: z.strictObject({
        userId: UserId,
        apiKeyIds: ids(ApiKeyId, "API key", "Ids of the API keys to delete."),
      }),
      result: z.strictObject({
        apiKeyIds: z.array(ApiKeyId).describe("Ids of the API keys that were deleted."),
      }),
    },
  },
  example: {
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
    apiKeyIds: ["9e405f6b-ad87-4db1-9c81-304d5e6f7081"],
  },
  isOwn: ({ userId }, user) => userId === user.userId,
  wants: ({ userId }) => [{ type: "sessions", userId }],

  check({ document, records }, { userId, apiKeyIds }) {
    const user = requireUser(document, userId);
    const { entries } = records.sessions(userId);
    checkEach(apiKeyIds, (apiKeyId, index) => {
      const isKnown = [...user.apiKeys, ...entries].some((key) => key.apiKeyId === apiKeyId);
      if (isKnown) return;
      const field = `parameters.apiKeyIds[${index}]`;
      const message = `API key not found: \`${apiKeyId}\` is not a key of the user`;
      throw invalid(field, message, "NOT_FOUND");
    });
    const kept = user.apiKeys.filter(({ apiKeyId }) => !apiKeyIds.includes(apiKeyId));
    if (kept.length < user.apiKeys.length) {
      checkNotLockedOut(
        lastingLoginsOf({ ...user, apiKeys: kept }),
        "parameters.apiKeyIds",
        document,
      );
    }
  },

  execute(context, { userId, apiKeyIds }) {
    const user = requireUser(context.update(), userId);
    const isKept = ({ apiKeyId }: { apiKeyId: string }) => !apiKeyIds.includes(apiKeyId);
    user.apiKeys = user.apiKeys.filter(isKept);
    user.updatedAtMs = context.nowMs;
    const { entries } = context.records.sessions(userId);
    const kept = entries.filter(isKept);
    // The token that began a session must not begin it again.
    const endsSession = kept.length < entries.length;
    const move = endsSession ? moveToNewEpoch : moveToNewEpochWithTokens;
    context.write.sessions({ userId, entries: move(user, kept, context) });
    return { apiKeyIds: [...new Set(apiKeyIds)] };
  },
});
