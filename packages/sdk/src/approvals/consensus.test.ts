import { afterEach, describe, expect, test } from "vitest";
import type { Activity } from "../generated/types.ts";
import {
  newApiKey,
  newClient,
  organizationId,
  startPeer,
  waitingActivity,
} from "../peer.testing.ts";
import { type VerifiedRequest, verifyStampedRequest } from "./consensus.ts";

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

const parameters = { walletName: "treasury", accounts: [] };
const envelope = {
  type: "ACTIVITY_TYPE_CREATE_WALLET",
  timestampMs: "1700000000000",
  organizationId,
  parameters,
};

/** An activity that waits for approvals, as an honest service shows it. */
function waiting(body = JSON.stringify(envelope)): Promise<Activity> {
  return waitingActivity(body);
}

function withVote(activity: Activity, changes: Partial<Activity["votes"][number]>): Activity {
  return { ...activity, votes: activity.votes.map((vote) => ({ ...vote, ...changes })) };
}

describe("a verified request", () => {
  test("comes from the stamped bytes, not from what the service displays", async () => {
    const honest = await waiting();
    const displayed = {
      createWalletIntent: { walletName: "harmless", accounts: [] },
    };
    expect(verifyStampedRequest({ ...honest, intent: displayed } as Activity)).toEqual({
      activityId: honest.id,
      ...envelope,
      fingerprint: honest.fingerprint,
      publicKey: honest.votes[0]?.publicKey,
      body: JSON.stringify(envelope),
    });
  });

  test.each<[string, (activity: Activity) => Activity | Promise<Activity>]>([
    ["no vote", (activity) => ({ ...activity, votes: [] })],
    [
      "another fingerprint",
      (activity) => ({ ...activity, fingerprint: `sha256:${"1".repeat(64)}` }),
    ],
    [
      "bytes that do not match the fingerprint",
      (activity) => withVote(activity, { message: `${activity.votes[0]?.message} ` }),
    ],
    [
      "a signature of other bytes",
      async (activity) =>
        withVote(activity, { signature: (await waiting("{}")).votes[0]?.signature ?? "" }),
    ],
    [
      "the public key of somebody else",
      (activity) => withVote(activity, { publicKey: newApiKey().apiPublicKey }),
    ],
    ["an unknown scheme", (activity) => withVote(activity, { scheme: "SIGNATURE_SCHEME_NONE" })],
    ["another organization", (activity) => ({ ...activity, organizationId: activity.id })],
    ["an answer instead of a submission", () => waiting('{"organizationId":"x"}')],
    [
      "a member twice",
      () => waiting(JSON.stringify(envelope).replace("{", '{"type":"ACTIVITY_TYPE_DELETE_USERS",')),
    ],
  ])("is refused with %s", async (_, change) => {
    const activity = await change(await waiting());
    expect(() => verifyStampedRequest(activity)).toThrow(
      expect.objectContaining({ code: "UNVERIFIED" }),
    );
  });
});

describe("approve", () => {
  test("stamps the fingerprint of the bytes that were shown", async () => {
    const activity = await waiting();
    const result = { createWalletResult: { walletId: activity.id, addresses: [] } };
    const completed = { ...activity, status: "ACTIVITY_STATUS_COMPLETED", result };
    const { url, received } = await peerWith(
      { json: { activity } },
      { json: { activity: completed } },
    );
    const shown: VerifiedRequest[] = [];
    const decision = await newClient(url).approve(activity.id, (request) => {
      shown.push(request);
      return true;
    });
    expect(shown).toMatchObject([envelope]);
    expect(decision).toEqual({ activity: completed, result: result.createWalletResult });
    expect(received.map(({ path }) => path)).toEqual([
      "/public/v1/query/get_activity",
      "/public/v1/submit/approve_activity",
    ]);
    expect(JSON.parse(received[1]?.body ?? "")).toMatchObject({
      type: "ACTIVITY_TYPE_APPROVE_ACTIVITY",
      organizationId,
      parameters: { fingerprint: activity.fingerprint },
    });
  });

  test("returns the activity if more approvals are still needed", async () => {
    const activity = await waiting();
    const { url } = await peerWith({ json: { activity } });
    const decision = await newClient(url).approve(activity, async () => true);
    expect(decision).toEqual({ activity, result: undefined });
  });

  test("returns no result of an activity that still waits, whatever the service sends", async () => {
    const activity = await waiting();
    const result = { createWalletResult: { walletId: activity.id, addresses: [] } };
    const lie = { ...activity, result };
    const { url } = await peerWith({ json: { activity: lie } });
    const decision = await newClient(url).approve(activity, async () => true);
    expect(decision).toEqual({ activity: lie, result: undefined });
  });

  test("sends nothing if the decision is no", async () => {
    const activity = await waiting();
    const { url, received } = await peerWith();
    const declined = newClient(url).approve(activity, () => false);
    await expect(declined).rejects.toMatchObject({ code: "DECLINED" });
    expect(received).toEqual([]);
  });

  test("does not call `decide` and sends nothing if the service shows another request", async () => {
    const activity = withVote(await waiting(), { message: "{}" });
    const { url, received } = await peerWith({ json: { activity } });
    const refused = newClient(url).approve(activity.id, () => {
      throw new Error("must not be called");
    });
    await expect(refused).rejects.toMatchObject({ code: "UNVERIFIED" });
    expect(received).toHaveLength(1);
  });
});

test.each([
  ["another activity", { id: "018f3c1e-7d5a-7c31-9a65-0a4b2d6c7e89" }],
  [
    "an activity of another organization",
    { organizationId: "0f6d2c1b-93c3-4f0b-8a5e-6a3f1b2c4d5e" },
  ],
])("neither approve nor reject votes if the service answers with %s", async (_, change) => {
  const asked = await waiting();
  const activity = { ...asked, ...change };
  const { url, received } = await peerWith({ json: { activity } }, { json: { activity } });
  const client = newClient(url);
  const approved = client.approve(asked.id, () => true);
  await expect(approved).rejects.toMatchObject({ code: "UNVERIFIED" });
  await expect(client.reject(asked.id)).rejects.toMatchObject({ code: "UNVERIFIED" });
  expect(received.map(({ path }) => path).filter((path) => path.includes("submit"))).toEqual([]);
});

describe("a vote with the requester's fingerprint", () => {
  test("is stamped if the bytes have it", async () => {
    const activity = await waiting();
    const { fingerprint } = activity;
    const { url, received } = await peerWith({ json: { activity } }, { json: { activity } });
    const client = newClient(url);
    await client.approve(activity, () => true, { fingerprint });
    await client.reject(activity, { fingerprint });
    expect(received.map(({ body }) => JSON.parse(body).parameters)).toEqual([
      { fingerprint },
      { fingerprint },
    ]);
  });

  test("is not stamped, and `decide` not called, if the service has another request under the id", async () => {
    const { fingerprint } = await waiting();
    const other = await waiting(JSON.stringify({ ...envelope, timestampMs: "1700000000001" }));
    const answer = { json: { activity: other } };
    const { url, received } = await peerWith(answer, answer);
    const client = newClient(url);
    const decide = () => {
      throw new Error("must not be called");
    };
    const refused = {
      code: "UNVERIFIED",
      message: expect.stringMatching(`has the fingerprint ${other.fingerprint}, .*${fingerprint}`),
    };
    await expect(client.approve(other.id, decide, { fingerprint })).rejects.toMatchObject(refused);
    await expect(client.reject(other.id, { fingerprint, decide })).rejects.toMatchObject(refused);
    const paths = received.map(({ path }) => path);
    expect(paths).toEqual(Array(2).fill("/public/v1/query/get_activity"));
  });

  test.each(["", "sha256:12", `sha256:${"A".repeat(64)}`, null, 5])(
    "is refused before anything is asked for if the fingerprint is %j",
    async (given) => {
      const { url, received } = await peerWith();
      const client = newClient(url);
      const { id } = await waiting();
      const wrong = { fingerprint: given as string, decide: 1 as unknown as () => true };
      const both = {
        code: "INVALID_OPTION",
        fields: [{ field: "decide" }, { field: "fingerprint" }],
      };
      const { decide, ...options } = wrong;
      await expect(client.approve(id, decide, options)).rejects.toMatchObject(both);
      await expect(client.reject(id, wrong)).rejects.toMatchObject(both);
      expect(received).toEqual([]);
    },
  );
});

test.each([
  ["another id", { id: "018f3c1e-7d5a-7c31-9a65-0a4b2d6c7e89" }],
  ["another fingerprint", { fingerprint: `sha256:${"1".repeat(64)}` }],
  ["another organization", { organizationId: "0f6d2c1b-93c3-4f0b-8a5e-6a3f1b2c4d5e" }],
])("an answer to a vote is not believed if it is about an activity with %s", async (_, change) => {
  const activity = await waiting();
  const answer = { json: { activity: { ...activity, ...change } } };
  const { url, received } = await peerWith(answer, answer);
  const client = newClient(url);
  const unverified = { code: "UNVERIFIED" };
  await expect(client.approve(activity, () => true)).rejects.toMatchObject(unverified);
  await expect(client.reject(activity)).rejects.toMatchObject(unverified);
  expect(received).toHaveLength(2);
});

const lies: [string, (activity: Activity) => Promise<Activity>][] = [
  [
    "the fingerprint of another request",
    async (activity) => ({ ...activity, fingerprint: (await waiting("{}")).fingerprint }),
  ],
  ["other bytes", async (activity) => withVote(activity, { message: "{}" })],
  ["no vote", async (activity) => ({ ...activity, votes: [] })],
];

test.each(lies)("reject sends nothing if the service shows %s", async (_, change) => {
  const honest = await waiting();
  const activity = await change(honest);
  const { url, received } = await peerWith({ json: { activity } }, { json: { activity } });
  const client = newClient(url);
  const refused = { code: "UNVERIFIED" };
  await expect(client.reject(honest.id)).rejects.toMatchObject(refused);
  await expect(client.reject(activity)).rejects.toMatchObject(refused);
  expect(received.map(({ path }) => path)).toEqual(["/public/v1/query/get_activity"]);
});

describe("reject", () => {
  test("asks `decide` about what the bytes say, and sends nothing unless it returns true", async () => {
    const activity = await waiting();
    const { url, received } = await peerWith();
    const shown: unknown[] = [];
    const kept = newClient(url).reject(activity, {
      decide: (request) => {
        shown.push(request);
        return false;
      },
    });
    await expect(kept).rejects.toMatchObject({ code: "DECLINED" });
    expect(shown).toMatchObject([{ ...envelope, fingerprint: activity.fingerprint }]);
    expect(received).toEqual([]);
  });

  test("ends a request whose stamp only the signer can verify", async () => {
    const activity = withVote(await waiting(), { scheme: "STAMP_ATTESTED_SCHEME_P256_OIDC" });
    const { url, received } = await peerWith({ json: { activity } });
    await newClient(url).reject(activity, { decide: () => true });
    expect(received).toHaveLength(1);
  });
});

test("reject names the fingerprint and returns the rejected activity", async () => {
  const activity = await waiting();
  const rejected = { ...activity, status: "ACTIVITY_STATUS_REJECTED" };
  const { url, received } = await peerWith(
    { json: { activity } },
    { json: { activity: rejected } },
  );
  const decision = await newClient(url).reject(activity.id);
  expect(decision).toEqual({ activity: rejected, result: undefined });
  expect(JSON.parse(received[1]?.body ?? "")).toMatchObject({
    type: "ACTIVITY_TYPE_REJECT_ACTIVITY",
    parameters: { fingerprint: activity.fingerprint },
  });
});
