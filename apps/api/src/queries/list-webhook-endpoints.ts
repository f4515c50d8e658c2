import { OrganizationId } from "@keyhearth/engine/fields/schemas";
import { showEndpoint, WebhookEndpointData } from "@keyhearth/engine/records/webhook-endpoints";
import * as z from "zod";
import { defineQuery } from "../query/define.ts";

/** All webhook endpoints, oldest first. */
export const listWebhookEndpoints = defineQuery({
  name: "list_webhook_endpoints",
  tag: "Webhooks",
  summary: "List webhook endpoints",
  description:
    "List the webhook endpoints of an organization, oldest first. Those of its parent get its events too and are not in the list.",
  requestName: "ListWebhookEndpointsRequest",
  responseName: "ListWebhookEndpointsResponse",
  request: z.object({ organizationId: OrganizationId }),
  response: z.object({
    webhookEndpoints: z.array(WebhookEndpointData).describe("The endpoints."),
  }),
  example: { organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11" },

  async answer({ organizationId, document: { webhookEndpoints } }) {
    return { webhookEndpoints: webhookEndpoints.map((line) => showEndpoint(organizationId, line)) };
  },
});
