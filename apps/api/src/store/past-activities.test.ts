import { addUser, startWaiting } from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test } from "vitest";
import { newOrganization, type TestServer } from "../testing.ts";
import { claimDeliveries, deleteDoneDeliveries, listDueEndpoints } from "./webhook-deliveries.ts";

const ENDPOINTS = 10;

let server: TestServer;
let organizationId: string;
let activityId: string;

beforeAll(async () => {
  const organization = await newOrganization();
  ({ server, organizationId } = organization);
  const { root, userId } = organization;
  server.host.webhookPrivateTargets = ["203.0.113.7"];
  for (let i = 0; i < ENDPOINTS; i++) {
    await root.createWebhookEndpoint({ url: "https://203.0.113.7/", name: `receiver ${i}` });
  }
  const second = await addUser(organization, "Second");
  const third = await addUser(organization, "Third");
  const userIds = [userId, second.userId, third.userId];
  await root.updateRootQuorum({ threshold: 3, userIds });
  const waiting = await startWaiting(root, "create_user_tag", {
    type: "ACTIVITY_TYPE_CREATE_USER_TAG",
    parameters: { userTagName: "tag", userIds: [] },
  });
  activityId = waiting.id;
  for (const { client } of [second, third])
    await client.approveActivity({ fingerprint: waiting.fingerprint });
}, 60_000);

const read = (text: string) => server.store.run("", text, []);

test("the record of an event is stored once, whatever number of endpoints get it", async () => {
  const deliveries = await read(
    `SELECT record, activity_version AS version FROM webhook_deliveries WHERE activity_id = '${activityId}'`,
  );
  expect(deliveries).toHaveLength(3 * ENDPOINTS);
  expect(deliveries.filter(({ record }) => record !== null)).toEqual([]);
  const kept = await read(
    `SELECT version FROM past_activities WHERE activity_id = '${activityId}' ORDER BY version`,
  );
  expect(kept.map(({ version }) => Number(version))).toEqual([1, 2]);
});

test("a delivery of an earlier version has the record of that version", async () => {
  const nowMs = Date.now() + 1000;
  const due = await listDueEndpoints(server.store, { after: null, nowMs, limit: 100 });
  const versions: number[] = [];
  for (const { endpointId } of due.slice(0, 1)) {
    const claim = { endpointId, nowMs, untilMs: nowMs, limit: 100 };
    const claimed = await claimDeliveries(server.store, claim);
    versions.push(...claimed.map(({ record }) => record?.length ?? 0));
  }
  expect(versions.length).toBeGreaterThan(0);
  expect(versions).not.toContain(0);
});

test("what was kept goes with the last delivery that needs it", async () => {
  await read(
    `UPDATE webhook_deliveries SET state = 'delivered' WHERE activity_id = '${activityId}'
     AND activity_version = 1`,
  );
  await deleteDoneDeliveries(server.store, Date.now() + 1000, 5);
  expect(await countKept()).toBe(2);
  await deleteDoneDeliveries(server.store, Date.now() + 1000, 1000);
  expect(await countKept()).toBe(1);
});

async function countKept(): Promise<number> {
  const rows = await read(
    `SELECT version FROM past_activities WHERE organization_id = '${organizationId}'
     AND activity_id = '${activityId}'`,
  );
  return rows.length;
}
