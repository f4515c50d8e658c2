import { first, refusal } from "@keyhearth/engine/organization.testing";
import { expect, test } from "vitest";
import { newOrganization, type TestOrganization } from "../testing.ts";
import { anyTime, ask, expectOnlyFamilyReads, newFamily, unknownId } from "./queries.testing.ts";

const url = "https://receiver.example.com/";

async function subscribe({ root }: TestOrganization) {
  const { endpointId } = await root.createWebhookEndpoint({ url, name: "audit log" });
  return endpointId;
}

async function act({ root }: TestOrganization, userTagName: string) {
  const { activity } = await root.createUserTag({ userTagName, userIds: [] });
  return activity.id;
}

test("nothing is written while nobody subscribes", async () => {
  const organization = await newOrganization();
  await act(organization, "a");
  expect(await organization.root.listWebhookDeliveries()).toEqual({ deliveries: [] });
});

test("each activity after the subscription has a delivery to each endpoint, newest first", async () => {
  const organization = await newOrganization();
  const endpointIds = [await subscribe(organization), await subscribe(organization)];
  const activityId = await act(organization, "a");
  const { deliveries } = await organization.root.listWebhookDeliveries({
    endpointId: endpointIds[1] ?? "",
  });
  expect(deliveries).toEqual([
    {
      deliveryId: expect.any(String),
      endpointId: endpointIds[1],
      activityId,
      eventType: "ACTIVITY_UPDATES",
      status: "WEBHOOK_DELIVERY_STATUS_WAITING",
      attempts: 0,
      nextAttemptAt: anyTime,
      createdAt: anyTime,
    },
  ]);
  const all = (await organization.root.listWebhookDeliveries()).deliveries;
  // The first endpoint also got the creation of the second one.
  expect(all.map((each) => each.endpointId).sort()).toEqual(
    [endpointIds[0], endpointIds[0], endpointIds[1]].sort(),
  );
  expect(new Set(all.slice(0, 2).map((each) => each.activityId))).toEqual(new Set([activityId]));
});

test("a parent's endpoints get the events of its sub-organizations, and these only their own", async () => {
  const { parent, child } = await newFamily();
  const [ofParent, ofChild] = [await subscribe(parent), await subscribe(child)];
  const [inParent, inChild] = [await act(parent, "a"), await act(child, "b")];
  const sent = async ({ root }: TestOrganization) =>
    (await root.listWebhookDeliveries()).deliveries.map((each) => [
      each.endpointId,
      each.activityId,
    ]);
  expect(await sent(parent)).toEqual(
    expect.arrayContaining([
      [ofParent, inParent],
      [ofParent, inChild],
    ]),
  );
  expect(await sent(child)).toEqual([[ofChild, inChild]]);
});

test("the URL of the feature has the organization's id as its endpoint", async () => {
  const { parent, child } = await newFamily();
  await parent.root.setOrganizationFeature({ name: "FEATURE_NAME_WEBHOOK", value: url });
  const activityId = await act(child, "a");
  const { deliveries } = await parent.root.listWebhookDeliveries();
  expect(deliveries).toMatchObject([{ endpointId: parent.organizationId, activityId }]);
  await parent.root.removeOrganizationFeature({ name: "FEATURE_NAME_WEBHOOK" });
  await act(child, "b");
  // The removal itself was sent, what came after it was not.
  expect((await parent.root.listWebhookDeliveries()).deliveries).toHaveLength(2);
});

test.each(["deleted", "inactive", "without activities"])(
  "an endpoint that is %s gets no further event",
  async (how) => {
    const organization = await newOrganization();
    const { root } = organization;
    const endpointId = await subscribe(organization);
    if (how === "deleted") await root.deleteWebhookEndpoint({ endpointId });
    else await root.updateWebhookEndpoint({ endpointId, isActive: false });
    const subscriptions = [{ eventType: "ACTIVITY_UPDATES", isActive: false }];
    if (how === "without activities") {
      await root.createWebhookEndpoint({ url, name: "quiet", subscriptions });
    }
    const activityId = await act(organization, "a");
    const { deliveries } = await root.listWebhookDeliveries();
    expect(deliveries.filter((each) => each.activityId === activityId)).toEqual([]);
  },
);

test("pages and filters", async () => {
  const organization = await newOrganization();
  const { root } = organization;
  await subscribe(organization);
  const activityIds: string[] = [];
  for (const name of ["a", "b", "c"]) activityIds.unshift(await act(organization, name));
  const list = async (parameters: object) => {
    const { deliveries } = await root.listWebhookDeliveries(parameters);
    return deliveries.map(({ activityId }) => activityId);
  };
  const all = (await root.listWebhookDeliveries()).deliveries;
  expect(all.map(({ activityId }) => activityId)).toEqual(activityIds);
  const [newest, middle, oldest] = all;
  const after = (deliveryId = "") => ({ paginationOptions: { after: deliveryId } });
  const before = (deliveryId = "") => ({ paginationOptions: { before: deliveryId } });
  expect(await list({ paginationOptions: { limit: "1" } })).toEqual(activityIds.slice(0, 1));
  expect(await list(before(newest?.deliveryId))).toEqual(activityIds.slice(1));
  expect(await list(after(oldest?.deliveryId))).toEqual(activityIds.slice(0, 2));
  expect(await list(before(middle?.deliveryId))).toEqual(activityIds.slice(2));
  expect(await list({ status: "WEBHOOK_DELIVERY_STATUS_DELIVERED" })).toEqual([]);
  expect(await list({ status: "WEBHOOK_DELIVERY_STATUS_WAITING" })).toEqual(activityIds);
  expect(await list({ endpointId: unknownId })).toEqual([]);
  expect(await refusal(root.listWebhookDeliveries(before(unknownId)))).toMatchObject({
    httpStatus: 400,
    field: "paginationOptions.before",
  });
});

test.each([
  [{ status: "DONE" }, "status"],
  [{ endpointId: "x" }, "endpointId"],
  [{ paginationOptions: { limit: "0" } }, "paginationOptions.limit"],
])("%j is refused by field", async (parameters, field) => {
  const { root, organizationId } = await newOrganization();
  const refused = await refusal(ask(root, "list_webhook_deliveries", organizationId, parameters));
  expect(refused).toMatchObject({ httpStatus: 400, field });
});

test("the organization and its parent may list them, nobody else", async () => {
  await expectOnlyFamilyReads("list_webhook_deliveries", async (organization) => {
    await subscribe(organization);
    const activityId = await act(organization, "a");
    expect(first((await organization.root.listWebhookDeliveries()).deliveries)).toMatchObject({
      activityId,
    });
    return {};
  });
});
