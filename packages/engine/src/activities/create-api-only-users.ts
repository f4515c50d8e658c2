import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { ApiKeyParams } from "../fields/credentials.ts";
import { Email, label, list, UserId, UserTagId } from "../fields/schemas.ts";
import { withCurve } from "../people/api-keys.ts";
import { keyHolderWant } from "../people/taken-keys.ts";
import { addUsers, checkNewUsers } from "../people/users.ts";

const ApiOnlyUserParams = z
  .strictObject({
    userName: label("Name of the user."),
    userEmail: Email.optional(),
    userTags: list(UserTagId, "Ids of the tags to add to the user."),
    apiKeys: list(ApiKeyParams, "API keys to register."),
  })
  .describe("A user to create who only uses the API.")
  .meta({ id: "ApiOnlyUserParams" });

/** Creates users by their API keys alone, such as programs. */
export const createApiOnlyUsers = defineActivity({
  name: "create_api_only_users",
  tag: "Users",
  summary: "Create API-only users",
  description:
    "Create users who stamp with P-256 API keys, such as programs. They can get other credentials later.",
  policy: { resource: "USER", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_API_ONLY_USERS",
  versions: {
    ACTIVITY_TYPE_CREATE_API_ONLY_USERS: {
      intentKey: "createApiOnlyUsersIntent",
      resultKey: "createApiOnlyUsersResult",
      intent: z.strictObject({ apiOnlyUsers: list(ApiOnlyUserParams, "Users to create.") }),
      result: z.strictObject({
        userIds: z.array(UserId).describe("Ids of the users, in the order of the request."),
      }),
    },
  },
  example: {
    apiOnlyUsers: [
      {
        userName: "signer bot",
        userTags: [],
        apiKeys: [
          {
            apiKeyName: "bot key",
            publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
          },
        ],
      },
    ],
  },

  wants: ({ apiOnlyUsers }) => [
    keyHolderWant({ apiKeys: apiOnlyUsers.flatMap(({ apiKeys }) => apiKeys) }),
  ],

  check(context, { apiOnlyUsers }) {
    checkNewUsers(context, apiOnlyUsers.map(withCurve), "parameters.apiOnlyUsers");
  },

  execute(context, { apiOnlyUsers }) {
    return { userIds: addUsers(context, apiOnlyUsers.map(withCurve)) };
  },
});
