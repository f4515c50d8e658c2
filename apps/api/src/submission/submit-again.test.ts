import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey, newOrganization, startTestServer, type TestServer } from "../testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const HOUR_MS = 60 * 60 * 1000;

// The clock only moves forward, so the tests that need the present come first.
test("old bytes of a waiting activity are a poll, not another approval", async () => {
  const { root, userId } = await newOrganization(server);
  const key = { ...newKey(), curveType: "API_KEY_CURVE_P256" as const };
  const { userIds } = await root.createUsers({
    users: [
      {
        userName: "second",
        apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: key.curveType }],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, ...userIds] });
  const timestampMs = String(Date.now() + server.clock.offsetMs);
  const ask = () => root.createUserTag({ userTagName: "c", userIds: [] }, { timestampMs });
  const waiting = await ask().catch((error) => error.activity);
  server.clock.offsetMs += 2 * HOUR_MS;
  const polled = await ask().catch((error) => error.activity);
  expect(polled.id).toBe(waiting.id);
  expect(polled.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
  expect(polled.votes).toHaveLength(1);
});

test("bytes older than an hour still return their outcome, and start nothing", async () => {
  server.clock.offsetMs = 2 * HOUR_MS;
  const { root } = await newOrganization(server);
  const timestampMs = String(Date.now() + server.clock.offsetMs);
  const first = await root.createUserTag({ userTagName: "a", userIds: [] }, { timestampMs });
  server.clock.offsetMs += 2 * HOUR_MS;
  const again = await root.createUserTag({ userTagName: "a", userIds: [] }, { timestampMs });
  expect(again.activity.id).toBe(first.activity.id);
  await expect(
    root.createUserTag({ userTagName: "b", userIds: [] }, { timestampMs }),
  ).rejects.toMatchObject({ code: "TIMESTAMP_OUT_OF_RANGE" });
});
