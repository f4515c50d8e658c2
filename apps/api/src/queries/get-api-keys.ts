import { OrganizationId, UserId } from "@keyhearth/engine/fields/schemas";
import { requireUser } from "@keyhearth/engine/records/organization";
import * as z from "zod";
import { renderApiKeys } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { ApiKey } from "../wire/objects.ts";

/** The API keys of one user or of all users. */
export const getApiKeys = defineQuery({
  name: "get_api_keys",
  tag: "API Keys",
  summary: "Get API keys",
  description:
    "Get the API keys of a user that have not expired. Without `userId`, get those of all users.",
  requestName: "GetApiKeysRequest",
  responseName: "GetApiKeysResponse",
  request: z.object({ organizationId: OrganizationId, userId: UserId.optional() }),
  response: z.object({ apiKeys: z.array(ApiKey).describe("The API keys.") }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    userId: "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e",
  },

  async answer({ db, organizationId, document, nowMs }, { userId }) {
    const users = userId ? [requireUser(document, userId, "userId")] : document.users;
    const userIds = users.map((user) => user.userId);
    const entries = await listSessionEntries(db, organizationId, userIds);
    const apiKeys = users.flatMap((user) =>
      renderApiKeys(user, { sessionEntries: entries.get(user.userId) ?? [], nowMs }),
    );
    return { apiKeys };
  },
});
