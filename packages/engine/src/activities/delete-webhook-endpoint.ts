import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { WebhookEndpointId } from "../fields/schemas.ts";
import { findEndpoint } from "../records/webhook-endpoints.ts";

/** Removes an endpoint. Nothing is sent to it from then on. */
export const deleteWebhookEndpoint = defineActivity({
  name: "delete_webhook_endpoint",
  tag: "Webhooks",
  summary: "Delete webhook endpoint",
  description: "Delete a webhook endpoint. What waited for it is cancelled.",
  policy: { resource: "WEBHOOK_ENDPOINT", action: "DELETE" },
  defaultType: "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT",
  versions: {
    ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT: {
      intentKey: "deleteWebhookEndpointIntent",
      resultKey: "deleteWebhookEndpointResult",
      intent: z.strictObject({ endpointId: WebhookEndpointId }),
      result: z.strictObject({ endpointId: WebhookEndpointId }),
    },
  },
  example: { endpointId: "6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d" },

  check({ document }, { endpointId }) {
    findEndpoint(document, endpointId);
  },

  execute(context, { endpointId }) {
    const draft = context.update();
    draft.webhookEndpoints = draft.webhookEndpoints.filter(
      (line) => line.endpointId !== endpointId,
    );
    return { endpointId };
  },
});
