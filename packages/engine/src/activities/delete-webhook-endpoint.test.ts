import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal, submit } from "../organization.testing.ts";
import { endpoint, endpointId as unknownId } from "../webhooks.testing.ts";

const type = "ACTIVITY_TYPE_DELETE_WEBHOOK_ENDPOINT";

test("an endpoint is deleted once", async () => {
  const { root } = await newOrganization();
  const { endpointId } = await root.createWebhookEndpoint(endpoint);
  const deleted = await root.deleteWebhookEndpoint({ endpointId });
  expect(deleted.endpointId).toBe(endpointId);
  expect((await root.listWebhookEndpoints()).webhookEndpoints).toEqual([]);
  const refused = await refusal(root.deleteWebhookEndpoint({ endpointId }));
  expect(refused).toMatchObject({ httpStatus: 404, field: "parameters.endpointId" });
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const parameters = { endpointId: "x" };
  const refused = await refusal(submit(root, "delete_webhook_endpoint", { type, parameters }));
  expect(refused).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.endpointId",
      "not a UUID in lower case (webhook endpoint id): `parameters.endpointId` is `x`",
    ),
  );
});

test("an endpoint of another organization, and an unknown one, are not found", async () => {
  const { root } = await newOrganization();
  const other = await newOrganization();
  const { endpointId } = await other.root.createWebhookEndpoint(endpoint);
  for (const id of [endpointId, unknownId]) {
    const refused = await refusal(root.deleteWebhookEndpoint({ endpointId: id }));
    expect(refused).toMatchObject({ httpStatus: 404, field: "parameters.endpointId" });
  }
  expect((await other.root.listWebhookEndpoints()).webhookEndpoints).toHaveLength(1);
});
