import type { Request } from "@keyhearth/engine/core/protocol";
import { ApiError, toErrorMessage } from "@keyhearth/engine/errors";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { sealSegments } from "../jobs/seal-segments.ts";
import { startDelivering } from "../jobs/webhooks/deliver.ts";
import { startReceiver } from "../jobs/webhooks/receiver.testing.ts";
import { describeSigner } from "../start/open-signer.ts";
import { listOpenSegments } from "../store/segments.ts";
import { newOrganization, startTestServer, type TestServer } from "../testing.ts";

// The signer refuses calls of the host while too many wait. The host loses nothing by that.

let server: TestServer;
let askSigner: TestServer["host"]["askSigner"];

beforeAll(async () => {
  server = await startTestServer();
  askSigner = server.host.askSigner;
});

afterEach(() => {
  server.host.askSigner = askSigner;
});

afterAll(() => server?.stop());

/** The signer has no place for the first calls of this kind. Returns how many calls it refused. */
function crowd(call: Request["call"], times: number): () => number {
  let refused = 0;
  server.host.askSigner = async (request, organizationId) => {
    if (request.call !== call || refused === times) return askSigner(request, organizationId);
    refused += 1;
    const error = new ApiError("RESOURCE_EXHAUSTED", "RATE_LIMITED", "too many requests wait");
    return { kind: "error", error: toErrorMessage(error) };
  };
  return () => refused;
}

test("a change that is committed while confirmations find no place is confirmed and answered", async () => {
  const { root } = await newOrganization(server);
  const refused = crowd("confirm", 4);
  const { activity } = await root.createUserTag({ userTagName: "one", userIds: [] });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  expect(refused()).toBe(4);
  const { walletId } = await root.createWallet({ walletName: "exported", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  const again = crowd("confirm", 4);
  const { exportBundle } = await root.exportWallet({ walletId, targetPublicKey });
  expect(JSON.parse(exportBundle)).toMatchObject({ version: "v1.0.0" });
  expect(again()).toBe(4);
});

test("a confirmation that finds no place for seconds costs nothing that is committed", async () => {
  const { root } = await newOrganization(server);
  crowd("confirm", Number.POSITIVE_INFINITY);
  // The client sends the same bytes again after the refusal.
  const { activity, userTagId } = await root.createUserTag({ userTagName: "late", userIds: [] });
  expect(activity.status).toBe("ACTIVITY_STATUS_COMPLETED");
  server.host.askSigner = askSigner;
  await root.createUserTag({ userTagName: "next", userIds: [] });
  const { userTags } = await root.listUserTags({});
  expect(userTags.map((tag) => tag.tagId)).toContain(userTagId);
  expect(userTags).toHaveLength(2);
});

test("a segment that finds no place is sealed in a later round", async () => {
  await newOrganization(server);
  const refused = crowd("attest", Number.POSITIVE_INFINITY);
  expect(await sealSegments(server.host)).toBe(0);
  expect(refused()).toBeGreaterThan(0);
  const open = await listOpenSegments(server.store.db, 100);
  expect(open.length).toBeGreaterThan(0);
  server.host.askSigner = askSigner;
  expect(await sealSegments(server.host)).toBe(open.length);
  expect(await listOpenSegments(server.store.db, 100)).toEqual([]);
});

test("an event that finds no place is delivered later, and none is given up", async () => {
  const { root } = await newOrganization(server);
  const receiver = await startReceiver();
  server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
  const timing = { idleMs: 10, retryMs: 20, maxRetryMs: 100, maxAttempts: 2 };
  await root.createWebhookEndpoint({ url: receiver.url, name: "receiver" });
  const refused = crowd("sign-webhooks", 2);
  const delivering = startDelivering(server.host, { timing });
  try {
    await root.createUserTag({ userTagName: "event", userIds: [] });
    const list = async () =>
      (await root.listWebhookDeliveries()).deliveries.map((each) => each.status);
    await expect
      .poll(list, { timeout: 15_000 })
      .toEqual(expect.arrayContaining(["WEBHOOK_DELIVERY_STATUS_DELIVERED"]));
    expect(refused()).toBe(2);
    expect(await list()).not.toContain("WEBHOOK_DELIVERY_STATUS_FAILED");
  } finally {
    await delivering.stop();
    await receiver.close();
    server.host.webhookPrivateTargets = [];
  }
});

test("a start waits for a signer that has no place", async () => {
  const refused = crowd("describe", 2);
  expect(await describeSigner(server.host)).toMatchObject({ kind: "description" });
  expect(refused()).toBe(2);
});
