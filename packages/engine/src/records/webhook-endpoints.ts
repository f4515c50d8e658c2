import { parseUrl } from "@keyhearth/crypto/encoding/url";
import * as z from "zod";
import { invalid, notFound, shorten } from "../errors.ts";
import { boundedText } from "../fields/bounded-text.ts";
import { label, OrganizationId, WebhookEndpointId } from "../fields/schemas.ts";
import type { OrganizationDocument, WebhookEndpointLine } from "./organization.ts";

/** Events that an endpoint may subscribe to. Only those of activities happen in this version. */
export const EVENT_TYPES = [
  "ACTIVITY_UPDATES",
  "BALANCE_CONFIRMED_UPDATES",
  "BALANCE_FINALIZED_UPDATES",
  "SEND_TRANSACTION_STATUS_UPDATES",
] as const;

export const ACTIVITY_UPDATES = EVENT_TYPES[0];

const MAX_URL_LENGTH = 2048;

/** White space and control characters would be left out by a parser. */
function isWebhookUrl(text: string): boolean {
  const url = /^https?:\/\/[\x21-\x7e]+$/i.test(text) ? parseUrl(text) : null;
  return url !== null && !url.username && !url.password && !text.includes("#");
}

export const WebhookUrl = boundedText(MAX_URL_LENGTH)
  .refine(isWebhookUrl, "must be an https URL without a user name or a fragment")
  .describe(
    "Where events are sent: an https URL at a public address. The operator can allow private ones.",
  )
  .meta({ examples: ["https://example.com/webhooks"] });

const types: readonly string[] = EVENT_TYPES;

const subscription = {
  eventType: z
    .string()
    .refine((text) => types.includes(text), `must be one of ${types.join(", ")}`)
    .describe(
      `Which events to send: one of ${types.join(", ")}. In this version only ACTIVITY_UPDATES happen.`,
    )
    .meta({ examples: [ACTIVITY_UPDATES] }),
  filtersJson: z
    .string()
    .min(1, "must not be empty")
    .max(1000, "must have at most 1000 characters")
    .describe("Filters as JSON. This version has none: leave it out, or send `{}`.")
    .optional(),
  isActive: z.boolean().describe("Whether these events are sent. If absent, true.").optional(),
};

const WebhookSubscriptionParams = z
  .strictObject(subscription)
  .describe("Events that an endpoint gets.")
  .meta({ id: "WebhookSubscriptionParams" });

export const Subscriptions = z
  .array(WebhookSubscriptionParams)
  .max(EVENT_TYPES.length, `must have at most ${EVENT_TYPES.length} entries`)
  .describe(
    "Events that the endpoint gets, each type once. If absent or empty, `ACTIVITY_UPDATES`.",
  )
  .optional();

export const WebhookEndpointData = z
  .strictObject({
    endpointId: WebhookEndpointId,
    organizationId: OrganizationId,
    url: z.string().describe("Where events are sent."),
    name: label("Name of the endpoint."),
    isActive: z.boolean().describe("Whether events are sent."),
    subscriptions: z.array(WebhookSubscriptionParams).describe("Events that the endpoint gets."),
  })
  .describe("An endpoint that events are sent to.")
  .meta({ id: "WebhookEndpointData" });

export function showEndpoint(organizationId: string, line: WebhookEndpointLine) {
  return {
    endpointId: line.endpointId,
    organizationId,
    url: line.url,
    name: line.endpointName,
    isActive: line.isActive,
    subscriptions: line.subscriptions.map(({ eventType, filtersJson, isActive }) => ({
      eventType,
      ...(filtersJson === null ? {} : { filtersJson }),
      isActive,
    })),
  };
}

export function checkSubscriptions(
  subscriptions: z.output<typeof WebhookSubscriptionParams>[],
  field: string,
) {
  for (const [index, { eventType, filtersJson }] of subscriptions.entries()) {
    if (!hasNoFilter(filtersJson)) {
      const at = `${field}[${index}].filtersJson`;
      throw invalid(
        at,
        `\`${at}\` is \`${shorten(filtersJson ?? "")}\`, but this version has no filters: leave it out, or send \`{}\``,
      );
    }
    if (subscriptions.findIndex((each) => each.eventType === eventType) === index) continue;
    const at = `${field}[${index}].eventType`;
    throw invalid(at, `\`${at}\` is \`${eventType}\` again: give each event type once`);
  }
}

function hasNoFilter(text: string | undefined): boolean {
  return text === undefined || /^\s*\{\s*\}\s*$/.test(text);
}

export function findEndpoint(
  { webhookEndpoints }: OrganizationDocument,
  endpointId: string,
): WebhookEndpointLine {
  const line = webhookEndpoints.find((each) => each.endpointId === endpointId);
  if (!line) throw notFound("parameters.endpointId", "webhook endpoint", endpointId);
  return line;
}
