import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal, submit } from "../organization.testing.ts";
import { endpoint, endpointId as unknownId } from "../webhooks.testing.ts";

const type = "ACTIVITY_TYPE_UPDATE_WEBHOOK_ENDPOINT";

test("only the given fields change", async () => {
  const { root } = await newOrganization();
  const { endpointId, webhookEndpoint } = await root.createWebhookEndpoint(endpoint);
  const paused = await root.updateWebhookEndpoint({ endpointId, isActive: false });
  expect(paused.webhookEndpoint).toEqual({ ...webhookEndpoint, isActive: false });
  const url = "https://other.example.com/";
  const moved = await root.updateWebhookEndpoint({
    endpointId,
    url,
    name: "other",
    isActive: true,
  });
  expect(moved.webhookEndpoint).toEqual({ ...webhookEndpoint, url, name: "other" });
  const { webhookEndpoints } = await root.listWebhookEndpoints();
  expect(webhookEndpoints).toEqual([moved.webhookEndpoint]);
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const { endpointId } = await root.createWebhookEndpoint(endpoint);
  const cases = [
    [{ endpointId }, "parameters", /changes nothing/],
    [{ endpointId, url: "nowhere" }, "parameters.url", /https URL/],
    [{ endpointId: "x", name: "a" }, "parameters.endpointId", /UUID/],
  ] as const;
  for (const [parameters, field, message] of cases) {
    const refused = await refusal(submit(root, "update_webhook_endpoint", { type, parameters }));
    expect(refused).toEqual(
      badRequest("FIELD_INVALID", field, expect.stringMatching(message) as unknown as string),
    );
  }
});

test("the host refuses a URL that it would not send to, and the old one stays", async () => {
  const { root } = await newOrganization();
  const { endpointId } = await root.createWebhookEndpoint(endpoint);
  for (const url of ["http://example.com/", "https://10.0.0.1/", "https://[::1]/"]) {
    const refused = await refusal(root.updateWebhookEndpoint({ endpointId, url }));
    expect(refused).toMatchObject({ httpStatus: 400, field: "parameters.url" });
  }
  const { webhookEndpoints } = await root.listWebhookEndpoints();
  expect(webhookEndpoints.map(({ url }) => url)).toEqual([endpoint.url]);
});

test("an endpoint of another organization, and an unknown one, are not found", async () => {
  const { root } = await newOrganization();
  const { endpointId } = await (await newOrganization()).root.createWebhookEndpoint(endpoint);
  for (const id of [endpointId, unknownId]) {
    const refused = await refusal(root.updateWebhookEndpoint({ endpointId: id, name: "mine" }));
    expect(refused).toMatchObject({ httpStatus: 404, field: "parameters.endpointId" });
  }
});
