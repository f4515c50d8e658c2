import { expect, test } from "vitest";
import { newOrganization } from "../testing.ts";
import { expectOnlyFamilyReads, newFamily } from "./queries.testing.ts";

const url = "https://receiver.example.com/";

test("the organization's own endpoints are listed in the order of creation", async () => {
  const { parent, child } = await newFamily();
  expect(await parent.root.listWebhookEndpoints()).toEqual({ webhookEndpoints: [] });
  for (const name of ["b", "a"]) await parent.root.createWebhookEndpoint({ url, name });
  const { webhookEndpoints } = await parent.root.listWebhookEndpoints();
  expect(webhookEndpoints.map(({ name }) => name)).toEqual(["b", "a"]);
  expect(await child.root.listWebhookEndpoints()).toEqual({ webhookEndpoints: [] });
});

test("a body without a good organization id is refused", async () => {
  const { root } = await newOrganization();
  const asked = root.request("/public/v1/query/list_webhook_endpoints", '{"organizationId":"x"}');
  await expect(asked).rejects.toMatchObject({ code: "ORGANIZATION_ID_MALFORMED", httpStatus: 400 });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_webhook_endpoints", async ({ root }) => {
    await root.createWebhookEndpoint({ url, name: "audit log" });
    return {};
  });
});
