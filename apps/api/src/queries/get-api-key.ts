import { notFound } from "@keyhearth/engine/errors";
import { ApiKeyId, OrganizationId } from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderApiKeys } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { listSessionEntries } from "../store/sessions.ts";
import { ApiKey } from "../wire/objects.ts";

/** One API key of any user. */
export const getApiKey = defineQuery({
  name: "get_api_key",
  tag: "API Keys",
  summary: "Get API key",
  description: "Get an API key by its id. A key that has expired is not found.",
  requestName: "GetApiKeyRequest",
  responseName: "GetApiKeyResponse",
  request: z.object({ organizationId: OrganizationId, apiKeyId: ApiKeyId }),
  response: z.object({ apiKey: ApiKey }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    apiKeyId: "9e405f6b-ad87-4db1-9c81-304d5e6f7081",
  },

  async answer({ db, organizationId, document: { users }, nowMs }, { apiKeyId }) {
    const userIds = users.map(({ userId }) => userId);
    const entries = await listSessionEntries(db, organizationId, userIds);
    const apiKey = users
      .flatMap((user) =>
        renderApiKeys(user, { sessionEntries: entries.get(user.userId) ?? [], nowMs }),
      )
      .find((each) => each.apiKeyId === apiKeyId);
    if (!apiKey) throw notFound("apiKeyId", "API key", apiKeyId);
    return { apiKey };
  },
});
