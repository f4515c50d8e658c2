import { newOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, refusal, submit } from "../organization.testing.ts";
import { activityUpdates, endpoint } from "../webhooks.testing.ts";

const type = "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT";

test("an endpoint is created, and shown with its subscriptions", async () => {
  const { root, organizationId } = await newOrganization();
  const subscriptions = [
    { eventType: "ACTIVITY_UPDATES", filtersJson: "{}" },
    { eventType: "BALANCE_CONFIRMED_UPDATES", isActive: false },
  ];
  const { endpointId, webhookEndpoint } = await root.createWebhookEndpoint({
    ...endpoint,
    subscriptions,
  });
  expect(webhookEndpoint).toEqual({
    endpointId,
    organizationId,
    ...endpoint,
    isActive: true,
    subscriptions: [activityUpdates, { eventType: "BALANCE_CONFIRMED_UPDATES", isActive: false }],
  });
  const { webhookEndpoints } = await root.listWebhookEndpoints();
  expect(webhookEndpoints).toEqual([webhookEndpoint]);
});

test.each([[undefined], [[]]])("without subscriptions (%j) it gets activities", async (given) => {
  const { root } = await newOrganization();
  const created = await root.createWebhookEndpoint({ ...endpoint, subscriptions: given });
  expect(created.webhookEndpoint.subscriptions).toEqual([activityUpdates]);
});

test.each([
  [{ url: "ftp://example.com" }, "parameters.url", /https URL/],
  [{ url: "https://u:p@example.com" }, "parameters.url", /without a user name/],
  [{ url: "https://u@example.com" }, "parameters.url", /without a user name/],
  [{ url: "https://:p@example.com" }, "parameters.url", /without a user name/],
  [{ url: "https://[::1" }, "parameters.url", /https URL/],
  [{ url: " https://example.com" }, "parameters.url", /https URL/],
  [{ url: "https://example.com/\n" }, "parameters.url", /https URL/],
  [{ url: "ahttps://example.com/" }, "parameters.url", /https URL/],
  [{ url: "https://example.com/#x" }, "parameters.url", /fragment/],
  [{ url: "https://exa\tmple.com" }, "parameters.url", /https URL/],
  [{ url: `https://example.com/${"x".repeat(2048)}` }, "parameters.url", /2048/],
  [{ name: "" }, "parameters.name", /empty/],
  [{ name: "a\nb" }, "parameters.name", /./],
  [
    { subscriptions: [{ eventType: "EVERYTHING" }] },
    "parameters.subscriptions[0].eventType",
    /one of ACTIVITY_UPDATES/,
  ],
  [
    { subscriptions: [{ eventType: "ACTIVITY_UPDATES", filtersJson: '{"type":"x"}' }] },
    "parameters.subscriptions[0].filtersJson",
    /has no filters/,
  ],
  [
    { subscriptions: [{ eventType: "ACTIVITY_UPDATES", filtersJson: "[]" }] },
    "parameters.subscriptions[0].filtersJson",
    /has no filters/,
  ],
  [
    { subscriptions: [{ eventType: "ACTIVITY_UPDATES" }, { eventType: "ACTIVITY_UPDATES" }] },
    "parameters.subscriptions[1].eventType",
    /each event type once/,
  ],
] as const)("%j is refused by field", async (change, field, message) => {
  const { root } = await newOrganization();
  const parameters = { ...endpoint, ...change };
  const refused = await refusal(submit(root, "create_webhook_endpoint", { type, parameters }));
  expect(refused).toEqual(
    badRequest("FIELD_INVALID", field, expect.stringMatching(message) as unknown as string),
  );
});

test.each([
  [
    "http://127.0.0.1:8080/events",
    /must be an https URL, unless the operator of this service lists `127.0.0.1:8080` in KEYHEARTH_WEBHOOK_PRIVATE_TARGETS$/,
  ],
  ["https://[::1]:8443/", /lists `\[::1\]:8443` in KEYHEARTH_WEBHOOK_PRIVATE_TARGETS$/],
  ["https://[::1]/", /lists `::1` in KEYHEARTH_WEBHOOK_PRIVATE_TARGETS$/],
  ["http://example.com/", /must be an https URL, unless/],
  ["https://127.0.0.1/", /not a public one/],
  ["https://[::ffff:10.0.0.1]/", /not a public one/],
  ["https://0x7f.1/", /not a public one/],
  ["https://169.254.169.254/latest", /not a public one/],
  ["https://example.com:25/", /port 25/],
])("the host refuses %s before anything is stored", async (url, message) => {
  const { root } = await newOrganization();
  const refused = await refusal(root.createWebhookEndpoint({ ...endpoint, url }));
  expect(refused).toMatchObject({ httpStatus: 400, field: "parameters.url" });
  expect(refused.message).toMatch(message);
  expect((await root.listWebhookEndpoints()).webhookEndpoints).toEqual([]);
});

test("an organization has ten endpoints at most", async () => {
  const { root } = await newOrganization();
  for (let i = 0; i < 10; i++) await root.createWebhookEndpoint(endpoint);
  const refused = await refusal(root.createWebhookEndpoint(endpoint));
  expect(refused.message).toMatch(/10 webhook endpoints/);
});
