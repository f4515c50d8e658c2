import { encodeUtf8 } from "@keyhearth/crypto/encoding/bytes";
import { fingerprint } from "@keyhearth/crypto/stamps/fingerprint";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { ConsensusNeeded, KeyhearthError } from "./errors/errors.ts";
import {
  newActivity,
  newClient,
  organizationId,
  type Received,
  startPeer,
} from "./peer.testing.ts";

type Peer = Awaited<ReturnType<typeof startPeer>>;
let peer: Peer | undefined;

async function peerWith(...answers: Parameters<typeof startPeer>): Promise<Peer> {
  peer = await startPeer(...answers);
  return peer;
}

afterEach(async () => {
  await peer?.stop();
  peer = undefined;
});

function fingerprintOf(received: Received | undefined): string {
  return fingerprint(encodeUtf8(received?.body ?? ""));
}

const other = "0f6d2c1b-93c3-4f0b-8a5e-6a3f1b2c4d5e";
const walletId = "7c2e3d4f-8b65-4b9f-9a6f-1e2b3c4d5e6f";
const userId = "6b1f2c3d-7a54-4a8e-8f5e-0d1a2b3c4d5e";
const wallet = { walletName: "treasury", accounts: [] };
const completed = newActivity({
  result: { createWalletResult: { walletId, addresses: ["0x1"] } },
});
const pending = newActivity({ status: "ACTIVITY_STATUS_PENDING" });

describe("a submission", () => {
  test("returns the activity and the fields of its result", async () => {
    const { url, received } = await peerWith({ json: { activity: completed } });
    const answer = await newClient(url).createWallet(wallet, { timestampMs: "1700000000000" });
    const activity = { ...completed, fingerprint: fingerprintOf(received[0]) };
    expect(answer).toEqual({ activity, walletId, addresses: ["0x1"] });
    expect(received[0]?.path).toBe("/public/v1/submit/create_wallet");
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({
      type: "ACTIVITY_TYPE_CREATE_WALLET",
      timestampMs: "1700000000000",
      organizationId,
      parameters: wallet,
    });
  });

  test("has the same bytes if its parameters and its timestampMs are the same", async () => {
    const { url, received } = await peerWith(
      { json: { activity: completed } },
      { json: { activity: completed } },
    );
    for (const client of [newClient(url), newClient(url)]) {
      await client.createWallet(wallet, { timestampMs: "1700000000000" });
    }
    expect(received[0]?.body).toBe(received[1]?.body);
  });

  test("uses another organization and another version if the options say so", async () => {
    const users = newActivity({
      type: "ACTIVITY_TYPE_CREATE_USERS_V2",
      result: { createUsersResult: { userIds: [userId] } },
    });
    const { url, received } = await peerWith({ json: { activity: users } });
    const user = { userName: "ada", apiKeys: [], authenticators: [], userTags: [] };
    const { userIds } = await newClient(url).createUsers(
      { users: [user] },
      { organizationId: other, type: "ACTIVITY_TYPE_CREATE_USERS_V2", generateAppProofs: true },
    );
    expect(userIds).toEqual([userId]);
    expect(JSON.parse(received[0]?.body ?? "")).toMatchObject({
      type: "ACTIVITY_TYPE_CREATE_USERS_V2",
      organizationId: other,
      generateAppProofs: true,
    });
  });

  test("is read in its own organization until it is no longer pending", async () => {
    const elsewhere = { ...pending, organizationId: other };
    const { url, received } = await peerWith(
      { json: { activity: elsewhere } },
      { json: { activity: elsewhere } },
      { json: { activity: completed } },
    );
    expect(await newClient(url).createWallet(wallet)).toMatchObject({ walletId });
    expect(received.map(({ path }) => path)).toEqual([
      "/public/v1/submit/create_wallet",
      "/public/v1/query/get_activity",
      "/public/v1/query/get_activity",
    ]);
    expect(JSON.parse(received[1]?.body ?? "")).toEqual({
      activityId: pending.id,
      organizationId: other,
    });
  });

  test("is polled no longer than the client's limit", async () => {
    const { url } = await peerWith(...Array(10).fill({ json: { activity: pending } }));
    const client = newClient(url, { poll: { intervalMs: 10, timeoutMs: 25 } });
    await expect(client.createWallet(wallet)).rejects.toMatchObject({
      code: "POLL_TIMEOUT",
      activityStatus: "ACTIVITY_STATUS_PENDING",
      activity: { id: pending.id },
    });
  });

  test("that needs approvals throws the activity for the other approvers", async () => {
    const waiting = newActivity({ status: "ACTIVITY_STATUS_CONSENSUS_NEEDED" });
    const { url, received } = await peerWith({ json: { activity: waiting } });
    const error = await newClient(url)
      .createWallet(wallet)
      .catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConsensusNeeded);
    expect(error).toBeInstanceOf(KeyhearthError);
    expect(error).toMatchObject({
      code: "CONSENSUS_NEEDED",
      activityStatus: "ACTIVITY_STATUS_CONSENSUS_NEEDED",
      activity: { ...waiting, fingerprint: fingerprintOf(received[0]) },
    });
  });

  test("that failed throws the failure", async () => {
    const failure = {
      code: 3,
      message: "path is taken",
      details: [{ "@type": "x", code: "PATH_TAKEN" }],
    };
    const failed = newActivity({ status: "ACTIVITY_STATUS_FAILED", failure });
    const { url } = await peerWith({ json: { activity: failed } });
    await expect(newClient(url).createWallet(wallet)).rejects.toMatchObject({
      name: "ActivityFailed",
      message: `Activity ${failed.id} failed: path is taken`,
      code: "PATH_TAKEN",
      grpcCode: 3,
      activityStatus: "ACTIVITY_STATUS_FAILED",
    });
  });

  test("that was rejected throws", async () => {
    const rejected = newActivity({ status: "ACTIVITY_STATUS_REJECTED" });
    const { url } = await peerWith({ json: { activity: rejected } });
    await expect(newClient(url).createWallet(wallet)).rejects.toMatchObject({
      code: "ACTIVITY_REJECTED",
    });
  });

  test("answered with the activity of another request throws UNVERIFIED", async () => {
    const fingerprint = `sha256:${"1".repeat(64)}`;
    const { url } = await peerWith({ json: { activity: { ...completed, fingerprint } } });
    await expect(newClient(url).createWallet(wallet)).rejects.toMatchObject({
      name: "Unverified",
      code: "UNVERIFIED",
    });
  });

  test.each([
    ["fingerprint", { fingerprint: `sha256:${"1".repeat(64)}` }],
    ["id", { id: "018f3c1e-7d5a-7c31-9a65-0a4b2d6c7e89" }],
  ])("polled into an activity with another %s throws UNVERIFIED", async (_, change) => {
    const { url } = await peerWith(
      { json: { activity: pending } },
      { json: { activity: { ...completed, ...change } } },
    );
    const failed = newClient(url).createWallet(wallet);
    await expect(failed).rejects.toMatchObject({ code: "UNVERIFIED" });
  });

  // Programs write ids into policies, and print them as parts of commands.
  test.each([
    ["a piece of a policy", `${userId}') || approvers.any(u, u.id == 'x`],
    ["upper case, which no policy finds", userId.toUpperCase()],
    ["an end of a line", `${userId}\n`],
    ["no text", null],
    ["a list in a list", [`${userId}') || true`]],
    ["another thing", { id: userId }],
  ])("answered with an id that has %s throws UNVERIFIED", async (_, given) => {
    // What a host sends has no types.
    const id = given as string;
    const refused = { name: "Unverified", code: "UNVERIFIED" };
    const type = "ACTIVITY_TYPE_CREATE_USERS_V3";
    const made = newActivity({ type, result: { createUsersResult: { userIds: [userId, id] } } });
    const own = newActivity({ id, result: completed.result });
    const keys = { result: { createPrivateKeysResultV2: { privateKeys: [{ privateKeyId: id }] } } };
    for (const activity of [made, own, newActivity({ type, ...keys })]) {
      const { url, stop } = await startPeer(
        { json: { activity } },
        { json: { activity: { ...pending, type } } },
        { json: { activity } },
        { json: { activity } },
        { json: { activities: [completed, activity] } },
      );
      onTestFinished(stop);
      const client = newClient(url);
      await expect(client.createUsers({ users: [] })).rejects.toMatchObject(refused);
      await expect(client.createUsers({ users: [] })).rejects.toMatchObject(refused);
      await expect(client.getActivity({ activityId: other })).rejects.toMatchObject(refused);
      await expect(client.listActivities()).rejects.toMatchObject(refused);
    }
  });

  test("is the same without WebCrypto", async () => {
    vi.stubGlobal("crypto", { getRandomValues: crypto.getRandomValues.bind(crypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { url } = await peerWith({ json: { activity: completed } });
    const client = newClient(url, {
      stamper: { stamp: async () => ({ name: "X-Stamp", value: "" }) },
    });
    expect(await client.createWallet(wallet)).toMatchObject({ walletId });
  });

  test.each([
    ["no activity", { ok: true }],
    ["a completed activity without its result", { activity: newActivity() }],
  ])("answered with %s throws INVALID_RESPONSE", async (_, json) => {
    const { url } = await peerWith({ json });
    await expect(newClient(url).createWallet(wallet)).rejects.toMatchObject({
      code: "INVALID_RESPONSE",
    });
  });
});

describe("a query", () => {
  test("reads the client's organization unless the options name another", async () => {
    const { url, received } = await peerWith({ json: { users: [] } }, { json: { users: [] } });
    const client = newClient(url);
    expect(await client.listUsers()).toEqual({ users: [] });
    await client.listUsers({}, { organizationId: other });
    expect(received.map(({ body }) => JSON.parse(body))).toEqual([
      { organizationId },
      { organizationId: other },
    ]);
  });
});

test("a malformed base URL is refused at once", () => {
  expect(() => newClient("localhost")).toThrow();
});
