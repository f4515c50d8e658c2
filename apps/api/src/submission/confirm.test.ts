import { setTimeout } from "node:timers/promises";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findActivity, readActivity } from "../store/activities.ts";
import { findDocument } from "../store/organizations.ts";
import {
  clientOf,
  newOrganization,
  secondServer,
  startTestServer,
  type TestServer,
} from "../testing.ts";
import { withResult } from "./confirm.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.stop());

test("an export is released although the document moves on in between, again and again", async () => {
  const { organizationId, root, rootKey } = await newOrganization(server);
  const { walletId } = await root.createWallet({ walletName: "exported", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  const { exportBundle, activity } = await root.exportWallet({ walletId, targetPublicKey });
  const other = clientOf(secondServer(server), organizationId, rootKey);
  const { askSigner } = server.host;
  let changes = 0;
  server.host.askSigner = async (request, organization) => {
    // Right before a release, another process changes the organization.
    if (request.call === "confirm" && "attachments" in request && changes < 3) {
      changes += 1;
      await other.createUserTag({ userTagName: `tag ${changes}`, userIds: [] });
    }
    return askSigner(request, organization);
  };
  try {
    await forget(activity.id);
    const { db } = server.store;
    const found = await findActivity(db, organizationId, activity.id);
    const stored = await findDocument(db, organizationId);
    if (!found || !stored) throw new Error("the export was committed");
    // Without a client, which would send its request again.
    const shown = await withResult(server.host, readActivity(found), found.bytes, stored);
    expect(shown.result).toEqual({ walletId, exportBundle });
    expect(changes).toBe(3);
  } finally {
    server.host.askSigner = askSigner;
  }
});

test("exports are released while other processes change the organization", async () => {
  const { organizationId, root, rootKey } = await newOrganization(server);
  const { walletId } = await root.createWallet({ walletName: "exported", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  const others = [secondServer(server), secondServer(server)].map((each) =>
    clientOf(each, organizationId, rootKey),
  );
  let isDone = false;
  let changed = 0;
  let rounds = 1;
  const changes = others.map(async (client, index) => {
    for (let i = 0; !isDone; i++) {
      // After 32 changes, a result that was not released is left out; an organization has 100 tags.
      while (!isDone && i >= 4 * rounds) await setTimeout(1);
      if (isDone) break;
      await client.createUserTag({ userTagName: `${index} ${i}`, userIds: [] });
      changed += 1;
    }
  });
  const bundles = new Set<string>();
  const now = Date.now();
  for (let i = 0; i < 12; i++) {
    const run = () =>
      root.exportWallet({ walletId, targetPublicKey }, { timestampMs: String(now - i) });
    const { exportBundle, activity } = await run();
    bundles.add(exportBundle);
    // As if the first answer had been lost before the result was kept.
    await forget(activity.id);
    expect((await run()).exportBundle).toBe(exportBundle);
    await forget(activity.id);
    const shown = await root.getActivity({ activityId: activity.id });
    expect(shown.activity.result).toEqual({ exportWalletResult: { walletId, exportBundle } });
    rounds += 1;
  }
  isDone = true;
  await Promise.all(changes);
  expect(bundles.size).toBe(12);
  expect(changed).toBeGreaterThan(10);
});

test("a result that was released stays after many changes, and one that was not is left out", async () => {
  const { root } = await newOrganization(server);
  const { walletId } = await root.createWallet({ walletName: "exported", accounts: [] });
  const { targetPublicKey } = createTargetKey();
  const { exportBundle, activity } = await root.exportWallet({ walletId, targetPublicKey });
  for (let i = 0; i < 34; i++) await root.createWallet({ walletName: `w ${i}`, accounts: [] });
  const result = async () =>
    (await root.getActivity({ activityId: activity.id })).activity.result.exportWalletResult;
  expect(await result()).toEqual({ walletId, exportBundle });
  await forget(activity.id);
  expect(await result()).toBeUndefined();
});

function forget(activityId: string) {
  const text = "UPDATE activities SET released = NULL WHERE activity_id = $1::uuid";
  return server.store.run("forget-released", text, [activityId]);
}
