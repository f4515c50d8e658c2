import { createLargeRequests } from "@keyhearth/api/host/large-requests";
import { newOrganization, startTestServer, type TestOrganization } from "@keyhearth/api/testing";
import { expect, test } from "vitest";
import { badRequest, bodyOf, first, post, refusal, submit } from "../organization.testing.ts";
import { endpoint, endpointId as unknownId } from "../webhooks.testing.ts";

const type = "ACTIVITY_TYPE_RESEND_WEBHOOK_DELIVERY";

/** An endpoint with one delivery, which nothing delivers here: it waits until the test changes that. */
async function newDelivery({ root, server, organizationId }: TestOrganization) {
  await root.createWebhookEndpoint(endpoint);
  await root.createUserTag({ userTagName: "a tag", userIds: [] });
  const { deliveryId } = first((await root.listWebhookDeliveries()).deliveries);
  const end = (state: string) =>
    server.store.run(
      "",
      `UPDATE webhook_deliveries SET state = $2, attempts = 3 WHERE owner_id = $1 AND delivery_id = $3`,
      [organizationId, state, deliveryId],
    );
  const shown = async () => {
    const { deliveries } = await root.listWebhookDeliveries();
    const found = deliveries.find((each) => each.deliveryId === deliveryId);
    if (!found) throw new Error("the delivery is not listed");
    return found;
  };
  return { deliveryId, end, shown };
}

test.each(["delivered", "failed", "exhausted", "cancelled"])(
  "a delivery that was %s waits again",
  async (state) => {
    const organization = await newOrganization();
    const { deliveryId, end, shown } = await newDelivery(organization);
    await end(state);
    const resent = await organization.root.resendWebhookDelivery({ deliveryId });
    expect(resent.deliveryId).toBe(deliveryId);
    expect(await shown()).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_WAITING",
      attempts: 0,
    });
  },
);

test("large deliveries are sent again no faster than large requests are accepted", async () => {
  const server = await startTestServer();
  const organization = await newOrganization(server);
  const { root, organizationId } = organization;
  const pace = { perSecond: 1, atOnce: 250_000 };
  const limits = { organization: pace, subOrganizations: pace, signups: pace, waitMs: 100 };
  const { deliveryId, end } = await newDelivery(organization);
  const text = "UPDATE webhook_deliveries SET bytes = $1 WHERE owner_id = $2";
  const resend = async () => {
    await end("delivered");
    return root.resendWebhookDelivery({ deliveryId });
  };
  await server.store.run("", text, [100_000, organizationId]);
  server.host.largeRequests = createLargeRequests(limits);
  for (let i = 0; i < 3; i++) await resend();
  expect(await refusal(resend())).toMatchObject({ httpStatus: 429, code: "RATE_LIMITED" });
  // Small ones go on.
  await server.store.run("", text, [1000, organizationId]);
  await resend();
  await server.stop();
});

test("the same bytes again are the same activity, and send nothing again", async () => {
  const organization = await newOrganization();
  const { root, organizationId } = organization;
  const { deliveryId, end, shown } = await newDelivery(organization);
  await end("failed");
  const body = bodyOf(organizationId, { type, parameters: { deliveryId } });
  const one = await post(root, "resend_webhook_delivery", body);
  expect(await post(root, "resend_webhook_delivery", body)).toEqual(one);
  await end("exhausted");
  expect(await post(root, "resend_webhook_delivery", body)).toEqual(one);
  expect(await shown()).toMatchObject({
    status: "WEBHOOK_DELIVERY_STATUS_EXHAUSTED",
    attempts: 3,
  });
});

test("a delivery that still waits is refused", async () => {
  const organization = await newOrganization();
  const { deliveryId } = await newDelivery(organization);
  const refused = await refusal(organization.root.resendWebhookDelivery({ deliveryId }));
  expect(refused).toMatchObject({ httpStatus: 400, field: "parameters.deliveryId" });
  expect(refused.message).toMatch(/still waits/);
});

test("bad parameters are refused by field", async () => {
  const { root } = await newOrganization();
  const parameters = { deliveryId: "x" };
  const refused = await refusal(submit(root, "resend_webhook_delivery", { type, parameters }));
  expect(refused).toEqual(
    badRequest(
      "FIELD_INVALID",
      "parameters.deliveryId",
      "not a UUID in lower case (webhook delivery id): `parameters.deliveryId` is `x`",
    ),
  );
});

test("a delivery of another organization, and an unknown one, are not found", async () => {
  const other = await newOrganization();
  const { deliveryId, end, shown } = await newDelivery(other);
  await end("failed");
  const { root } = await newOrganization();
  for (const id of [deliveryId, unknownId]) {
    const refused = await refusal(root.resendWebhookDelivery({ deliveryId: id }));
    expect(refused).toMatchObject({ httpStatus: 404, field: "parameters.deliveryId" });
  }
  expect((await shown()).status).toBe("WEBHOOK_DELIVERY_STATUS_FAILED");
});
