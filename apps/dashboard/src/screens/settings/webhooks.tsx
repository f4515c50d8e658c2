import {
  type CreateWebhookEndpointIntent,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listWebhookEndpoints,
  type UpdateWebhookEndpointIntent,
  updateWebhookEndpoint,
  type WebhookEndpointData,
} from "@keyhearth/sdk";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useDocs } from "../../data/docs.ts";
import { Loaded } from "../../data/loaded.tsx";
import { useRead } from "../../data/read.ts";
import { useSubmit } from "../../data/submit.ts";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { FormText } from "../../ui/form-text.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { Tag } from "../../ui/tag.tsx";
import { Deliveries } from "./deliveries.tsx";

export function WebhooksTab() {
  const read = useRead("list_webhook_endpoints", listWebhookEndpoints, {});
  const docs = useDocs();
  const [edited, setEdited] = useState<WebhookEndpointData | "new">();
  const [deleted, setDeleted] = useState<WebhookEndpointData>();
  const { submit: remove } = useSubmit(
    (connection, endpointId: string) => deleteWebhookEndpoint(connection, { endpointId }),
    { done: "The webhook is deleted" },
  );
  const { submit: update } = useSubmit(
    (connection, parameters: UpdateWebhookEndpointIntent) =>
      updateWebhookEndpoint(connection, parameters),
    { done: "Saved" },
  );
  return (
    <>
      <div className="row row-between">
        <p className="soft">
          The service sends every activity of this organization and its sub-organizations, signed.{" "}
          <a href={docs("/developer-reference/webhooks")} target="_blank" rel="noreferrer">
            How to verify it
          </a>
        </p>
        <Button onPress={() => setEdited("new")}>Create a webhook</Button>
      </div>
      <Loaded query={read} what="webhooks">
        {({ webhookEndpoints }) =>
          webhookEndpoints.length === 0 ? (
            <Empty title="There are no webhooks yet">
              The service tells an address of yours about each activity.
            </Empty>
          ) : (
            <>
              <Table
                label="Webhooks"
                rows={webhookEndpoints}
                keyOf={({ endpointId }) => endpointId}
                columns={[
                  { name: "Name", cell: ({ name }) => name, isMain: true },
                  { name: "Address", cell: ({ url }) => <span className="mono">{url}</span> },
                  {
                    name: "State",
                    cell: ({ isActive }) => (
                      <Tag tone={isActive ? "good" : "neutral"}>{isActive ? "Active" : "Off"}</Tag>
                    ),
                  },
                  {
                    name: "Actions",
                    cell: (endpoint) => (
                      <span className="row">
                        <Button
                          isSmall
                          aria-label={`Change the webhook ${endpoint.name}`}
                          onPress={() => setEdited(endpoint)}
                        >
                          Change
                        </Button>
                        <Button
                          isSmall
                          aria-label={`Switch ${endpoint.isActive ? "off" : "on"}: ${endpoint.name}`}
                          onPress={() =>
                            void update({
                              endpointId: endpoint.endpointId,
                              isActive: !endpoint.isActive,
                            })
                          }
                        >
                          Switch {endpoint.isActive ? "off" : "on"}
                        </Button>
                        <Button
                          isSmall
                          kind="quiet"
                          aria-label={`Delete the webhook ${endpoint.name}`}
                          onPress={() => setDeleted(endpoint)}
                        >
                          Delete
                        </Button>
                      </span>
                    ),
                  },
                ]}
              />
              <Section title="Deliveries">
                <Deliveries endpoints={webhookEndpoints} />
              </Section>
            </>
          )
        }
      </Loaded>
      {edited !== undefined && (
        <EndpointDialog
          endpoint={edited === "new" ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      <ConfirmDialog
        title={`Delete the webhook ${deleted?.name ?? ""}?`}
        isOpen={deleted !== undefined}
        onClose={() => setDeleted(undefined)}
        action="Delete the webhook"
        onConfirm={async () =>
          deleted !== undefined && (await remove(deleted.endpointId)) !== undefined
        }
      >
        <p>Deliveries that wait for it are cancelled, and its log is no longer shown.</p>
      </ConfirmDialog>
    </>
  );
}

function EndpointDialog({
  endpoint,
  onClose,
}: {
  endpoint: WebhookEndpointData | undefined;
  onClose: () => void;
}) {
  const form = useForm({ defaultValues: { name: endpoint?.name ?? "", url: endpoint?.url ?? "" } });
  const { control, handleSubmit } = form;
  const create = useSubmit(
    (connection, parameters: CreateWebhookEndpointIntent) =>
      createWebhookEndpoint(connection, parameters),
    { form, done: "The webhook is there", onSent: onClose },
  );
  const update = useSubmit(
    (connection, parameters: UpdateWebhookEndpointIntent) =>
      updateWebhookEndpoint(connection, parameters),
    { form, done: "Saved", onSent: onClose },
  );
  return (
    <FormDialog
      title={endpoint ? `Change ${endpoint.name}` : "Create a webhook"}
      isOpen
      {...{ onClose }}
      isBusy={create.isBusy || update.isBusy}
      error={create.error ?? update.error}
      action={endpoint ? "Save" : "Create the webhook"}
      onSubmit={handleSubmit(({ name, url }) => {
        const values = { name: name.trim(), url: url.trim() };
        return endpoint
          ? update.submit({ endpointId: endpoint.endpointId, ...values })
          : create.submit(values);
      })}
    >
      <FormText
        {...{ control }}
        name="name"
        label="Name"
        rules={{ required: "Give the webhook a name." }}
      />
      <FormText
        {...{ control }}
        name="url"
        label="Address"
        type="url"
        isMono
        hint="An https address that the service can reach. Private ones need the operator's permission."
        rules={{ required: "Enter the address that receives the events." }}
      />
    </FormDialog>
  );
}
