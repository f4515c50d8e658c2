import { OrganizationId, UserId } from "@keyhearth/engine/fields/schemas";
import { requireUser } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { renderOauthProvider } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { OauthProvider } from "../wire/objects.ts";

/** The social logins of one user or of all users. */
export const getOauthProviders = defineQuery({
  name: "get_oauth_providers",
  tag: "User Auth",
  summary: "Get OAuth providers",
  description: "Get the OAuth providers of a user. Without `userId`, get those of all users.",
  requestName: "GetOauthProvidersRequest",
  responseName: "GetOauthProvidersResponse",
  request: z.object({ organizationId: OrganizationId, userId: UserId.optional() }),
  response: z.object({
    oauthProviders: z.array(OauthProvider).describe("The OAuth providers, user by user."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },

  async answer({ document }, { userId }) {
    const users = userId ? [requireUser(document, userId, "userId")] : document.users;
    return {
      oauthProviders: users.flatMap((user) => user.oauthProviders.map(renderOauthProvider)),
    };
  },
});
