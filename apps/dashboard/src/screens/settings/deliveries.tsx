import {
  listWebhookDeliveries,
  resendWebhookDelivery,
  type WebhookDelivery,
  type WebhookDeliveryStatus,
  type WebhookEndpointData,
} from "@keyhearth/sdk";
import { useState } from "react";
import { Link } from "wouter";
import { Loaded } from "../../data/loaded.tsx";
import { usePages } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { Select } from "../../ui/choices.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag, type Tone } from "../../ui/tag.tsx";
import { Time } from "../../ui/time.tsx";

const statuses: Record<WebhookDeliveryStatus, { label: string; tone: Tone }> = {
  WEBHOOK_DELIVERY_STATUS_WAITING: { label: "Waiting", tone: "warning" },
  WEBHOOK_DELIVERY_STATUS_DELIVERED: { label: "Delivered", tone: "good" },
  WEBHOOK_DELIVERY_STATUS_FAILED: { label: "Refused", tone: "danger" },
  WEBHOOK_DELIVERY_STATUS_EXHAUSTED: { label: "Given up", tone: "danger" },
  WEBHOOK_DELIVERY_STATUS_CANCELLED: { label: "Cancelled", tone: "neutral" },
};

/** The log of all endpoints, newest first, read again while somebody looks. */
export function Deliveries({ endpoints }: { endpoints: readonly WebhookEndpointData[] }) {
  const [status, setStatus] = useState<string>("all");
  const [endpointId, setEndpointId] = useState("all");
  const { query, pages } = usePages(
    "list_webhook_deliveries",
    listWebhookDeliveries,
    {
      ...(status !== "all" && { status: status as WebhookDeliveryStatus }),
      ...(endpointId !== "all" && { endpointId }),
    },
    {
      limit: 20,
      everyMs: 2000,
      isNewestFirst: true,
      idsOf: ({ deliveries }) => deliveries.map(({ deliveryId }) => deliveryId),
    },
  );
  const { submit, isBusy } = useSubmit(
    (connection, deliveryId: string) => resendWebhookDelivery(connection, { deliveryId }),
    { done: "It is sent again" },
  );
  const isFiltered = status !== "all" || endpointId !== "all";
  const nameOf = (id: string) =>
    endpoints.find((endpoint) => endpoint.endpointId === id)?.name ?? "The feature’s webhook";
  const isOwn = (id: string) => endpoints.some((endpoint) => endpoint.endpointId === id);
  return (
    <>
      <div className="grid">
        <Select
          label="Status"
          value={status}
          onChange={(id) => setStatus(String(id))}
          options={[
            { id: "all", label: "All" },
            ...Object.entries(statuses).map(([id, { label }]) => ({ id, label })),
          ]}
        />
        <Select
          label="Webhook"
          value={endpointId}
          onChange={(id) => setEndpointId(String(id))}
          options={[
            { id: "all", label: "All" },
            ...endpoints.map((endpoint) => ({ id: endpoint.endpointId, label: endpoint.name })),
          ]}
        />
      </div>
      <Loaded query={query} what="deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <Empty title={isFiltered ? "No delivery is like that" : "Nothing was delivered yet"}>
              Each activity from now on is a delivery to every active webhook.
            </Empty>
          ) : (
            <Table
              label="Deliveries"
              rows={deliveries}
              keyOf={({ deliveryId }) => deliveryId}
              columns={[
                { name: "Webhook", cell: ({ endpointId: id }) => nameOf(id), isMain: true },
                { name: "Status", cell: (delivery) => <State {...{ delivery }} /> },
                {
                  name: "Answer",
                  cell: ({ lastStatusCode, lastError }) => lastError ?? lastStatusCode ?? "",
                },
                { name: "Attempts", cell: ({ attempts }) => attempts, isNumber: true },
                {
                  name: "About",
                  cell: ({ activityId }) => (
                    <Link href={`/activities/${activityId}`}>Activity</Link>
                  ),
                },
                { name: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
                {
                  name: "Actions",
                  cell: ({ deliveryId, endpointId: id }) =>
                    isOwn(id) && (
                      <Button
                        isSmall
                        isDisabled={isBusy}
                        aria-label={`Send again to ${nameOf(id)}`}
                        onPress={() => void submit(deliveryId)}
                      >
                        Send again
                      </Button>
                    ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <Pager {...pages} />
    </>
  );
}

function State({ delivery: { status, nextAttemptAt } }: { delivery: WebhookDelivery }) {
  const { label, tone } = statuses[status] ?? { label: status, tone: "neutral" };
  return (
    <span className="row">
      <Tag tone={tone}>{label}</Tag>
      {nextAttemptAt && (
        <span className="faint">
          again <Time at={nextAttemptAt} />
        </span>
      )}
    </span>
  );
}
