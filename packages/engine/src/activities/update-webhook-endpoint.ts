import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { invalid } from "../errors.ts";
import { label, WebhookEndpointId } from "../fields/schemas.ts";
import {
  findEndpoint,
  showEndpoint,
  WebhookEndpointData,
  WebhookUrl,
} from "../records/webhook-endpoints.ts";

/** Changes the given fields of an endpoint. What waits is sent to the new URL. */
export const updateWebhookEndpoint = defineActivity({
  name: "update_webhook_endpoint",
  tag: "Webhooks",
  summary: "Update webhook endpoint",
  description:
    "Change a webhook endpoint. Only the given fields change. Events that wait are sent to the new URL. An endpoint that is not active gets nothing, and what waited for it is cancelled.",
  policy: { resource: "WEBHOOK_ENDPOINT", action: "UPDATE" },
  defaultType: "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT",
  versions: {
    ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT: {
      intentKey: "updateWebhookEndpointIntent",
      resultKey: "updateWebhookEndpointResult",
      intent: z.strictObject({
        endpointId: WebhookEndpointId,
        url: WebhookUrl.optional(),
        name: label("New name of the endpoint.").optional(),
        isActive: z.boolean().describe("Whether events are sent.").optional(),
      }),
      result: z.strictObject({
        endpointId: WebhookEndpointId,
        webhookEndpoint: WebhookEndpointData,
      }),
    },
  },
  example: { endpointId: "6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d", isActive: false },

  check({ document }, { endpointId, url, name, isActive }) {
    findEndpoint(document, endpointId);
    if (url !== undefined || name !== undefined || isActive !== undefined) return;
    throw invalid(
      "parameters",
      "`parameters` changes nothing: give at least one of `url`, `name` and `isActive`",
    );
  },

  execute(context, { endpointId, url, name, isActive }) {
    const draft = context.update();
    const line = findEndpoint(draft, endpointId);
    const changed = {
      ...line,
      url: url ?? line.url,
      endpointName: name ?? line.endpointName,
      isActive: isActive ?? line.isActive,
      updatedAtMs: context.nowMs,
    };
    draft.webhookEndpoints = draft.webhookEndpoints.map((each) =>
      each.endpointId === endpointId ? changed : each,
    );
    return { endpointId, webhookEndpoint: showEndpoint(context.organizationId, changed) };
  },
});
