import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { label, WebhookEndpointId } from "../fields/schemas.ts";
import { checkLimit, LIMITS } from "../records/limits.ts";
import type { WebhookEndpointLine } from "../records/organization.ts";
import {
  ACTIVITY_UPDATES,
  checkSubscriptions,
  Subscriptions,
  showEndpoint,
  WebhookEndpointData,
  WebhookUrl,
} from "../records/webhook-endpoints.ts";

/** Adds an endpoint that gets events of the organization and its sub-organizations. */
export const createWebhookEndpoint = defineActivity({
  name: "create_webhook_endpoint",
  tag: "Webhooks",
  summary: "Create webhook endpoint",
  description:
    "Send events to a URL: those of the organization and of all its sub-organizations. An organization may have 10 endpoints. Only `ACTIVITY_UPDATES` happen in this version; other types are accepted and never sent.",
  policy: { resource: "WEBHOOK_ENDPOINT", action: "CREATE" },
  defaultType: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT",
  versions: {
    ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT: {
      intentKey: "createWebhookEndpointIntent",
      resultKey: "createWebhookEndpointResult",
      intent: z.strictObject({
        url: WebhookUrl,
        name: label("Name of the endpoint. It need not be unique."),
        subscriptions: Subscriptions,
      }),
      result: z.strictObject({
        endpointId: WebhookEndpointId,
        webhookEndpoint: WebhookEndpointData,
      }),
    },
  },
  example: {
    url: "https://example.com/webhooks",
    name: "audit log",
    subscriptions: [{ eventType: "ACTIVITY_UPDATES" }],
  },

  check({ document }, { subscriptions = [] }) {
    checkSubscriptions(subscriptions, "parameters.subscriptions");
    checkLimit(document.webhookEndpoints.length + 1, LIMITS.webhookEndpoints, {
      noun: "webhook endpoints",
      field: "parameters.url",
    });
  },

  execute(context, { url, name, subscriptions = [] }) {
    const { nowMs, organizationId } = context;
    const given =
      subscriptions.length > 0 ? subscriptions : [{ eventType: ACTIVITY_UPDATES, isActive: true }];
    const line: WebhookEndpointLine = {
      endpointId: context.newId("webhook-endpoint"),
      url,
      endpointName: name,
      isActive: true,
      subscriptions: given.map(({ eventType, isActive = true }) => ({
        eventType,
        filtersJson: null,
        isActive,
      })),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    context.update().webhookEndpoints.push(line);
    const webhookEndpoint = showEndpoint(organizationId, line);
    return { endpointId: line.endpointId, webhookEndpoint };
  },
});
