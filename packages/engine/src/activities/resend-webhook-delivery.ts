import * as z from "zod";
import { defineActivity } from "../declare/define.ts";
import { WebhookDeliveryId } from "../fields/schemas.ts";

/**
 * Sends a delivery again. The core does not know deliveries: it decides who may ask, and the host puts
 * the delivery back with the commit.
 */
export const resendWebhookDelivery = defineActivity({
  name: "resend_webhook_delivery",
  tag: "Webhooks",
  summary: "Resend webhook delivery",
  description:
    "Send a delivery of one of the organization's own endpoints again, with the same event id: one that ended, or that waits for an endpoint that fails, which is then tried at once. list_webhook_deliveries lists them.",
  policy: { resource: "WEBHOOK_ENDPOINT", action: "UPDATE" },
  changes: "nothing",
  defaultType: "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY",
  versions: {
    ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY: {
      intentKey: "resendWebhookDeliveryIntent",
      resultKey: "resendWebhookDeliveryResult",
      intent: z.strictObject({ deliveryId: WebhookDeliveryId }),
      result: z.strictObject({ deliveryId: WebhookDeliveryId }),
    },
  },
  example: { deliveryId: "7e304152-9da4-4fb5-8ec6-3f4a5b6c7d8e" },

  execute: (_context, { deliveryId }) => ({ deliveryId }),
});
