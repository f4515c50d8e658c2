import {
  OrganizationId,
  WebhookDeliveryId,
  WebhookEndpointId,
} from "@keyhearth/engine/fields/schemas";
import * as z from "zod";
import { renderTimestamp } from "../presentation/render.ts";
import { defineQuery } from "../query/define.ts";
import { parsePagination, unknownCursor } from "../query/pagination.ts";
import { assertLight } from "../reader/allowance.ts";
import type { Db } from "../store/connect.ts";
import type { DeliveryState } from "../store/schema.ts";
import { type Delivery, findDelivery, listDeliveries } from "../store/webhook-deliveries.ts";
import { ActivityId, Pagination, Timestamp } from "../wire/objects.ts";

const statuses = {
  WEBHOOK_DELIVERY_STATUS_WAITING: "waiting",
  WEBHOOK_DELIVERY_STATUS_DELIVERED: "delivered",
  WEBHOOK_DELIVERY_STATUS_FAILED: "failed",
  WEBHOOK_DELIVERY_STATUS_EXHAUSTED: "exhausted",
  WEBHOOK_DELIVERY_STATUS_CANCELLED: "cancelled",
} as const satisfies Record<string, DeliveryState>;

const statusNames = Object.keys(statuses) as [keyof typeof statuses];

const WebhookDeliveryStatus = z
  .enum(statusNames)
  .describe(
    "`WAITING`: tried at `nextAttemptAt`. `FAILED`: the receiver refused it, or the URL is not accepted. `EXHAUSTED`: given up after several attempts, or after it waited for hours for an endpoint that failed other deliveries. `CANCELLED`: the endpoint was deleted, or is not active.",
  )
  .meta({ id: "WebhookDeliveryStatus" });

const WebhookDelivery = z
  .object({
    deliveryId: WebhookDeliveryId.describe(
      "Unique identifier of the delivery, and the event id that the receiver gets.",
    ),
    endpointId: z
      .string()
      .describe("Id of the endpoint; the organization's id for the URL of `FEATURE_NAME_WEBHOOK`.")
      .meta({ examples: ["6d2f3041-8c93-4ea4-9db5-2e3f4a5b6c7d"] }),
    activityId: ActivityId,
    eventType: z
      .string()
      .describe("Which kind of event it is.")
      .meta({ examples: ["ACTIVITY_UPDATES"] }),
    status: WebhookDeliveryStatus,
    attempts: z.number().int().describe("How often it was tried."),
    lastStatusCode: z
      .number()
      .int()
      .describe("Status of the receiver's last answer, if there was one.")
      .optional(),
    lastError: z.string().describe("Why there was no answer the last time.").optional(),
    nextAttemptAt: Timestamp.describe(
      "When it is tried again, if it waits. If it waits for an endpoint that fails, when the endpoint is tried again.",
    ).optional(),
    createdAt: Timestamp,
  })
  .describe("An event for one endpoint, and what became of it.")
  .meta({ id: "WebhookDelivery" });

/** What was sent to the endpoints of an organization, newest first. */
export const listWebhookDeliveries = defineQuery({
  name: "list_webhook_deliveries",
  tag: "Webhooks",
  summary: "List webhook deliveries",
  description:
    "List what was sent to the webhook endpoints of an organization and what waits, newest first. Deliveries that ended are kept for seven days.",
  requestName: "ListWebhookDeliveriesRequest",
  responseName: "ListWebhookDeliveriesResponse",
  request: z.object({
    organizationId: OrganizationId,
    endpointId: WebhookEndpointId.describe(
      "Only deliveries to this endpoint. If absent, to all.",
    ).optional(),
    status: WebhookDeliveryStatus.optional(),
    paginationOptions: Pagination.optional(),
  }),
  response: z.object({
    deliveries: z.array(WebhookDelivery).describe("The deliveries, newest first."),
  }),
  example: {
    organizationId: "5f7c0c6a-1f2a-4f0e-9d2c-8b8f0a4f1c11",
    status: "WEBHOOK_DELIVERY_STATUS_EXHAUSTED",
    paginationOptions: { limit: "20" },
  },

  mayAskStandby: true,
  async answer({ db, organizationId, allowance }, { endpointId, status, paginationOptions }) {
    const { limit, before, after } = parsePagination(paginationOptions);
    const deliveries = await listDeliveries(db, organizationId, {
      endpointId,
      state: status && statuses[status],
      limit,
      before: await findCursor(db, organizationId, "before", before),
      after: await findCursor(db, organizationId, "after", after),
      goOn: () => assertLight(allowance, false),
    });
    return { deliveries: deliveries.map(renderDelivery) };
  },
});

async function findCursor(
  db: Db,
  organizationId: string,
  name: string,
  deliveryId: string | undefined,
): Promise<Delivery | undefined> {
  if (deliveryId === undefined) return undefined;
  const found = await findDelivery(db, organizationId, deliveryId);
  if (!found) throw unknownCursor(name, "webhook delivery", deliveryId);
  return found;
}

function renderDelivery(delivery: Delivery): z.output<typeof WebhookDelivery> {
  const { deliveryId, endpointId, activityId, eventType, state, attempts } = delivery;
  const { lastStatusCode, lastError, nextAttemptAtMs, createdAtMs } = delivery;
  const status = statusNames.find((name) => statuses[name] === state);
  if (!status) throw new Error(`a delivery in the state ${state}`);
  return {
    deliveryId,
    endpointId,
    activityId,
    eventType,
    status,
    attempts,
    ...(lastStatusCode === null ? {} : { lastStatusCode }),
    ...(lastError === null ? {} : { lastError }),
    ...(state === "waiting" ? { nextAttemptAt: renderTimestamp(nextAttemptAtMs) } : {}),
    createdAt: renderTimestamp(createdAtMs),
  };
}
