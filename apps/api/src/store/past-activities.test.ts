import { addUser, startWaiting } from "@keyhearth/engine/organization.testing";
import { beforeAll, expect, test } from "vitest";
import { newOrganization, type TestServer } from "../testing.ts";
import { sizeOf } from "./activities.ts";
import { claimDeliveries, deleteDoneDeliveries, listDueEndpoints } from "./webhook-deliveries.ts";

const ENDPOINTS = 10;

let server: TestServer;
let organizationId: string;
let activityId: string;

beforeAll(async () => {
  const organization = await newOrganization();
  ({ server, organizationId } = organization);
  const { root, userId } = organization;
  server.host.webhookPrivateTargets = [{ target: "203.0.113.7", familyId: null }];
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

/** Endpoints of other tests may be in the same database. */
async function firstDue(nowMs: number): Promise<string> {
  const due = await listDueEndpoints(server.store, { after: null, nowMs, limit: 1000 });
  return due.find(({ target }) => target?.organizationId === organizationId)?.endpointId ?? "";
}

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

test("a delivery has about the size of its event, in which the same bytes appear for each vote over them", async () => {
  const message = "x".repeat(1000);
  const votes = [message, null, null, "y".repeat(10)].map((each) => ({ message: each }));
  expect(sizeOf(new Uint8Array(1500), { votes })).toBe(3500);
  const noted = await read(
    `SELECT DISTINCT d.bytes, octet_length(coalesce(p.record, a.record)) AS length
     FROM webhook_deliveries d LEFT JOIN past_activities p
       ON p.activity_id = d.activity_id AND p.version = d.activity_version
     LEFT JOIN activities a ON a.activity_id = d.activity_id AND a.version = d.activity_version
     WHERE d.activity_id = '${activityId}'`,
  );
  expect(noted).toHaveLength(3);
  for (const { bytes, length } of noted) expect(Number(bytes)).toBe(Number(length));
});

test("a delivery of an earlier version has the record of that version", async () => {
  const nowMs = Date.now() + 1000;
  const claim = {
    endpointId: await firstDue(nowMs),
    after: null,
    nowMs,
    untilMs: nowMs,
    limit: 100,
  };
  const claimed = await claimDeliveries(server.store, claim);
  const versions = claimed.map(({ record }) => record?.length ?? 0);
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

test("a delivery from before sizes were noted is taken like a small one, and alone if it is large", async () => {
  await read(`UPDATE webhook_deliveries SET bytes = 0 WHERE activity_id = '${activityId}'`);
  await read(
    `UPDATE activities SET record = decode(repeat('00', 300000), 'hex')
     WHERE activity_id = '${activityId}'`,
  );
  const nowMs = Date.now() + 1000;
  const endpointId = await firstDue(nowMs);
  const claim = { endpointId, after: null, nowMs, untilMs: nowMs, limit: 100 };
  // Its earlier versions come first.
  await read(
    `UPDATE webhook_deliveries SET state = 'delivered' WHERE activity_id = '${activityId}'
     AND activity_version < 3 AND endpoint_id = '${endpointId}'`,
  );
  await read(
    `UPDATE webhook_deliveries SET next_attempt_at_ms = 0 WHERE activity_id = '${activityId}'
     AND endpoint_id = '${endpointId}'`,
  );
  const claimed = await claimDeliveries(server.store, claim);
  expect(claimed.map(({ record }) => record?.length)).toEqual([300_000]);
});

async function countKept(): Promise<number> {
  const rows = await read(
    `SELECT version FROM past_activities WHERE organization_id = '${organizationId}'
     AND activity_id = '${activityId}'`,
  );
  return rows.length;
}
