import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import {
  ApiKeyParams,
  ApiKeyParamsV2,
  AuthenticatorParams,
  AuthenticatorParamsV2,
  OauthProviderParams,
  OauthProviderParamsV2,
} from "../fields/credentials.ts";
import {
  AccessType,
  Email,
  label,
  list,
  PhoneNumber,
  UserId,
  UserTagId,
} from "../fields/schemas.ts";
import { withCurve } from "../people/api-keys.ts";
import { fromBrowser } from "../people/authenticators.ts";
import { keyHolderWant } from "../people/taken-keys.ts";
import { addUsers, checkNewUsers } from "../people/users.ts";

const contact = { userName: label("Name of the user."), userEmail: Email.optional() };
const userPhoneNumber = PhoneNumber.optional();
const userTags = list(UserTagId, "Ids of the tags to add to the user.");
const authenticators = list(AuthenticatorParamsV2, "Passkeys to register.");
const p256ApiKeys = list(ApiKeyParams, "API keys to register.");
const apiKeys = list(ApiKeyParamsV2, "API keys to register.");

const Users = users("UserParams", {
  ...contact,
  accessType: AccessType,
  apiKeys: p256ApiKeys,
  authenticators: list(AuthenticatorParams, "Passkeys to register."),
  userTags,
});
const UsersV2 = users("UserParamsV2", {
  ...contact,
  apiKeys: p256ApiKeys,
  authenticators,
  userTags,
});
const UsersV3 = users("UserParamsV3", {
  ...contact,
  userPhoneNumber,
  apiKeys,
  authenticators,
  oauthProviders: list(OauthProviderParams, "Social logins to register."),
  userTags,
});
const UsersV4 = users("UserParamsV4", {
  ...contact,
  userPhoneNumber,
  apiKeys,
  authenticators,
  oauthProviders: list(OauthProviderParamsV2, "Social logins to register."),
  userTags,
});

function users<T extends z.ZodRawShape>(id: string, params: T) {
  const user = z.strictObject(params).describe("A user to create.").meta({ id });
  return z.strictObject({ users: list(user, "Users to create.") });
}

const result = z.strictObject({
  userIds: z.array(UserId).describe("Ids of the users, in the order of the request."),
});

/** Creates users of the organization, each with at least one long-lived credential. */
export const createUsers = defineActivity({
  name: "create_users",
  tag: "Users",
  summary: "Create users",
  description: "Create users in an existing organization.",
  policy: { resource: "USER", action: "CREATE" },
  readsSender: true,
  defaultType: "ACTIVITY_TYPE_CREATE_USERS_V3",
  versions: {
    ACTIVITY_TYPE_CREATE_USERS: {
      intentKey: "createUsersIntent",
      resultKey: "createUsersResult",
      intent: Users,
      result,
    },
    ACTIVITY_TYPE_CREATE_USERS_V2: {
      intentKey: "createUsersIntentV2",
      resultKey: "createUsersResult",
      intent: UsersV2,
      result,
    },
    ACTIVITY_TYPE_CREATE_USERS_V3: {
      intentKey: "createUsersIntentV3",
      resultKey: "createUsersResult",
      intent: UsersV3,
      result,
    },
    ACTIVITY_TYPE_CREATE_USERS_V4: {
      intentKey: "createUsersIntentV4",
      resultKey: "createUsersResult",
      intent: UsersV4,
      result,
    },
  },
  example: {
    users: [
      {
        userName: "signer bot",
        apiKeys: [
          {
            apiKeyName: "bot key",
            publicKey: "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
            curveType: "API_KEY_CURVE_SECP256K1",
          },
        ],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  },
  upgrade: {
    ACTIVITY_TYPE_CREATE_USERS: ({ users }) => ({
      users: users.map(({ accessType: _, authenticators, ...user }) => ({
        ...withCurve(user),
        authenticators: authenticators.map(fromBrowser),
        oauthProviders: [],
      })),
    }),
    ACTIVITY_TYPE_CREATE_USERS_V2: ({ users }) => ({
      users: users.map((user) => ({ ...withCurve(user), oauthProviders: [] })),
    }),
    // It differs from V3 only in the social logins, which handlers read in both forms.
    ACTIVITY_TYPE_CREATE_USERS_V4: (newer) => newer as unknown as z.output<typeof UsersV3>,
  },

  wants: ({ users }) => [
    keyHolderWant({
      apiKeys: users.flatMap(({ apiKeys }) => apiKeys),
      authenticators: users.flatMap((user) => user.authenticators),
    }),
  ],
  registersPasskeys: ({ users }) => users.some((user) => user.authenticators.length > 0),

  check(context, { users }) {
    checkNewUsers(context, users, "parameters.users");
  },

  execute(context, { users }) {
    return { userIds: addUsers(context, users) };
  },
});
