import { decodeBase64Url, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { createTargetKey } from "@keyhearth/sdk/crypto";
import { verifyTurnkeyWebhookSignature } from "@turnkey/crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claimEvent, listCausers, listDueLarge } from "../../store/large-deliveries.ts";
import { claimDeliveries } from "../../store/webhook-deliveries.ts";
import {
  clientOf,
  newKey,
  newOrganization,
  startTestServer,
  type TestServer,
} from "../../testing.ts";
import type { Timing } from "./batch.ts";
import { LIMITS, startDelivering } from "./deliver.ts";
import { type Answering, type Received, startReceiver } from "./receiver.testing.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  server.host.webhookPrivateTargets = [];
});

/** Other tests use the machine too. */
const poll = <T>(read: () => T) => expect.poll(read, { timeout: 15_000 });

const fast: Partial<Timing> = { idleMs: 10, retryMs: 20, maxRetryMs: 100, maxAttempts: 5 };

function deliver(timing: Partial<Timing> = {}, limits?: Parameters<typeof startDelivering>[1]) {
  const delivering = startDelivering(server.host, { timing: { ...fast, ...timing }, ...limits });
  closers.unshift(() => delivering.stop());
  return delivering;
}

async function receive(answer?: Answering) {
  const receiver = await startReceiver(answer);
  closers.push(receiver.close);
  server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
  return receiver;
}

async function subscribed(url: string) {
  const organization = await newOrganization(server);
  const { endpointId } = await organization.root.createWebhookEndpoint({ url, name: "receiver" });
  const act = async (userTagName = "a tag") =>
    (await organization.root.createUserTag({ userTagName, userIds: [] })).activity;
  const list = async () => (await organization.root.listWebhookDeliveries()).deliveries;
  return { ...organization, endpointId, act, list };
}

/** From now on, the root quorum needs both. */
async function secondRootUser({
  root,
  userId,
  organizationId,
}: Pick<Awaited<ReturnType<typeof subscribed>>, "root" | "userId" | "organizationId">) {
  const key = newKey();
  const { userIds } = await root.createUsers({
    users: [
      {
        userName: "second",
        apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
        authenticators: [],
        oauthProviders: [],
        userTags: [],
      },
    ],
  });
  await root.updateRootQuorum({ threshold: 2, userIds: [userId, ...userIds] });
  return clientOf(server, organizationId, key);
}

const account = {
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: "m/44'/60'/0'/0/0",
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
} as const;

async function verificationKeys() {
  const response = await server.fetch("http://keyhearth.test/public/v1/discovery/webhooks/jwks");
  expect(response.headers.get("cache-control")).toBe("public, max-age=3600");
  const { keys } = await response.json();
  return { keys, found: keys.map(toVerificationKey) };
}

function toVerificationKey({ kid, x }: { kid: string; x: string }) {
  return { keyId: kid, publicKey: encodeHex(decodeBase64Url(x)), algorithm: "ed25519" as const };
}

async function verify({ headers, body }: Pick<Received, "headers" | "body">) {
  const { found } = await verificationKeys();
  return verifyTurnkeyWebhookSignature({
    headers,
    body,
    verificationKeys: found,
    maxTimestampAgeMs: 60_000,
  });
}

describe("a delivery", () => {
  test("is the activity as the API shows it, and the official function accepts it", async () => {
    const { url, received } = await receive();
    const { act, organizationId, root, list } = await subscribed(url);
    const { id: activityId } = await act();
    deliver();
    await poll(() => received.length).toBe(1);
    const [delivery] = received;
    if (!delivery) throw new Error("nothing was received");

    const { keys } = await verificationKeys();
    expect(keys).toEqual([
      {
        kty: "OKP",
        crv: "Ed25519",
        alg: "EdDSA",
        use: "sig",
        kid: expect.stringMatching(/^[0-9a-f]{32}$/),
        x: expect.stringMatching(/^[\w-]{43}$/),
        turnkey_signature_algorithm: "ed25519",
        turnkey_signature_version: "v1",
      },
    ]);
    expect(await verify(delivery)).toMatchObject({ ok: true });
    expect(await verify({ ...delivery, body: `${delivery.body} ` })).toMatchObject({ ok: false });

    const [logged] = await list();
    expect(delivery.headers).toMatchObject({
      "content-type": "application/json",
      "user-agent": "Keyhearth",
      "x-turnkey-organization-id": organizationId,
      "x-turnkey-event-type": "ACTIVITY_UPDATES",
      "x-turnkey-webhook-version": "1",
      "x-turnkey-event-id": logged?.deliveryId,
      "x-turnkey-signature-key-id": keys[0].kid,
      "x-turnkey-signature-algorithm": "ed25519",
      "x-turnkey-signature-version": "v1",
    });
    const { activity } = await root.getActivity({ activityId });
    expect(delivery.activity).toEqual(activity);
    await poll(async () => (await list())[0]).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_DELIVERED",
      attempts: 1,
      lastStatusCode: 200,
    });
  });

  test("does not show what the API shows only to the user who asked", async () => {
    const { url, received } = await receive();
    const { root } = await subscribed(url);
    const { session } = await root.createReadOnlySession();
    expect(session).not.toBe("");
    deliver();
    await poll(() => received.length).toBe(1);
    expect(received[0]?.activity.result).toMatchObject({
      createReadOnlySessionResult: { session: "" },
    });
    expect(received[0]?.body).not.toContain(session);
  });

  test("of a sub-organization goes to its parent's endpoint", async () => {
    const { url, received } = await receive();
    const { root } = await subscribed(url);
    const key = newKey();
    const { subOrganizationId } = await root.createSubOrganization({
      subOrganizationName: "child",
      rootQuorumThreshold: 1,
      rootUsers: [
        {
          userName: "Ada",
          userEmail: "ada@example.com",
          apiKeys: [{ apiKeyName: "k", publicKey: key.publicKey, curveType: "API_KEY_CURVE_P256" }],
          authenticators: [],
          oauthProviders: [],
        },
      ],
    });
    await clientOf(server, subOrganizationId, key).createUserTag({ userTagName: "t", userIds: [] });
    // A user of the parent stamps this one, so the voter is not in the sub-organization's document.
    await root.setOrganizationFeature({ name: "FEATURE_NAME_EMAIL_AUTH" });
    const { targetPublicKey } = createTargetKey();
    await root.emailAuth(
      { email: "ada@example.com", targetPublicKey, emailCustomization: { appName: "Acme" } },
      { organizationId: subOrganizationId },
    );
    deliver();
    await poll(() => received.length).toBe(4);
    const ofChild = received.find(({ activity }) => activity.organizationId === subOrganizationId);
    expect(received.map(({ activity }) => activity.type)).toContain("ACTIVITY_TYPE_EMAIL_AUTH_V2");
    expect(ofChild?.headers["x-turnkey-organization-id"]).toBe(subOrganizationId);
    for (const each of received) expect(await verify(each)).toMatchObject({ ok: true });
  });

  test("to the URL of the feature is the same", async () => {
    const { url, received } = await receive();
    const { root } = await newOrganization(server);
    await root.setOrganizationFeature({ name: "FEATURE_NAME_WEBHOOK", value: url });
    await root.createUserTag({ userTagName: "t", userIds: [] });
    deliver();
    await poll(() => received.length).toBe(1);
    expect(await verify(received[0] as Received)).toMatchObject({ ok: true }); // Polled above.
  });
});

describe("an answer", () => {
  test("of 5xx is tried again with the same event id, a new timestamp and a new signature", async () => {
    const { url, received } = await receive(() => (received.length < 3 ? 503 : 204));
    const { act, list } = await subscribed(url);
    await act();
    deliver();
    await poll(() => received.length).toBe(3);
    const values = (name: string) => new Set(received.map(({ headers }) => headers[name]));
    expect(values("x-turnkey-event-id").size).toBe(1);
    expect(values("x-turnkey-timestamp").size).toBe(3);
    expect(values("x-turnkey-signature").size).toBe(3);
    for (const each of received) expect(await verify(each)).toMatchObject({ ok: true });
    await poll(async () => (await list())[0]).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_DELIVERED",
      attempts: 3,
      lastStatusCode: 204,
    });
  });

  test.each([301, 302, 307, 400, 401, 404, 410, 429])("of %i is final", async (status) => {
    const { url, received } = await receive((_received, response) => {
      response.writeHead(status, { location: url }).end();
      return undefined;
    });
    const { act, list } = await subscribed(url);
    await act();
    deliver();
    await poll(async () => (await list())[0]).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_FAILED",
      attempts: 1,
      lastStatusCode: status,
    });
    expect(received).toHaveLength(1);
  });

  test("that never comes right is given up visibly, and sent again on request", async () => {
    const receiver = await receive(() => 500);
    const { act, list, root } = await subscribed(receiver.url);
    await act();
    deliver();
    await poll(async () => (await list())[0]).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_EXHAUSTED",
      attempts: 5,
      lastStatusCode: 500,
    });
    receiver.state.answer = () => 200;
    const { deliveryId = "" } = (await list())[0] ?? {};
    await root.resendWebhookDelivery({ deliveryId });
    await poll(async () =>
      (await list()).find((each) => each.deliveryId === deliveryId),
    ).toMatchObject({ status: "WEBHOOK_DELIVERY_STATUS_DELIVERED", attempts: 1 });
    const ids = receiver.received.map(({ headers }) => headers["x-turnkey-event-id"]);
    expect(ids.filter((id) => id === deliveryId)).toHaveLength(6);
  });

  test("of nobody is tried again", async () => {
    const { url, close } = await receive();
    const { act, list } = await subscribed(url);
    await close();
    await act();
    deliver({ maxAttempts: 2 });
    await poll(async () => (await list())[0]).toMatchObject({
      status: "WEBHOOK_DELIVERY_STATUS_EXHAUSTED",
      attempts: 2,
      lastError: "the request failed: ECONNREFUSED",
    });
  });
});

describe("events", () => {
  test("of an activity that has been decided since are sent again as they were", async () => {
    const { url, received } = await receive();
    const { root, userId, organizationId, list } = await subscribed(url);
    const second = await secondRootUser({ root, userId, organizationId });
    const { activity } = await root
      .createUserTag({ userTagName: "t", userIds: [] })
      .catch((error) => error);
    deliver();
    const ofTag = () => received.filter((each) => each.activity.id === activity.id);
    await poll(() => ofTag().length).toBe(1);
    await second.approveActivity({ fingerprint: activity.fingerprint });
    await poll(() => ofTag().length).toBe(2);
    const [asked, decided] = ofTag() as [Received, Received]; // Polled above.
    expect(asked.activity.status).toBe("ACTIVITY_STATUS_CONSENSUS_NEEDED");
    expect(decided.activity.status).toBe("ACTIVITY_STATUS_COMPLETED");

    for (const [i, earlier] of [asked, decided].entries()) {
      const deliveryId = String(earlier.headers["x-turnkey-event-id"]);
      const status = async () =>
        (await list()).find((each) => each.deliveryId === deliveryId)?.status;
      await poll(status).toBe("WEBHOOK_DELIVERY_STATUS_DELIVERED");
      await second
        .resendWebhookDelivery({ deliveryId })
        .catch((error) => root.approveActivity({ fingerprint: error.activity.fingerprint }));
      await poll(() => ofTag().length).toBe(3 + i);
      const again = ofTag()[2 + i] as Received; // Polled above.
      expect(again.body).toBe(earlier.body);
      expect(again.headers["x-turnkey-event-id"]).toBe(deliveryId);
      expect(Number(again.headers["x-turnkey-timestamp"])).toBeGreaterThan(
        Number(earlier.headers["x-turnkey-timestamp"]),
      );
      expect(await verify(again)).toMatchObject({ ok: true });
      await poll(status).toBe("WEBHOOK_DELIVERY_STATUS_DELIVERED");
    }
    expect(ofTag()).toHaveLength(4);
  });

  test("of one activity arrive in order, although the receiver fails half of them at first", async () => {
    const failed = new Set<unknown>();
    const done: Received["activity"][] = [];
    const { url } = await receive(({ headers, activity }) => {
      const id = headers["x-turnkey-event-id"];
      if (failed.size % 2 === 0 && !failed.has(id)) {
        failed.add(id);
        return 500;
      }
      failed.add(id);
      done.push(activity);
      return 200;
    });
    const { root, userId, organizationId } = await subscribed(url);
    const second = await secondRootUser({ root, userId, organizationId });
    deliver();
    for (let i = 0; i < 10; i++) {
      const started = await root
        .createUserTag({ userTagName: `t${i}`, userIds: [] })
        .catch((error) => error);
      await second.approveActivity({ fingerprint: started.activity.fingerprint });
    }
    await poll(() => done.length).toBe(22);
    const waiting = new Set<string>();
    for (const { id, status, type } of done) {
      if (type !== "ACTIVITY_TYPE_CREATE_USER_TAG") continue;
      if (status === "ACTIVITY_STATUS_CONSENSUS_NEEDED") waiting.add(id);
      else expect([...waiting]).toContain(id);
    }
    expect(waiting.size).toBe(10);
  });

  test("are each delivered once by several processes", async () => {
    const { url, received } = await receive();
    const { act, list } = await subscribed(url);
    for (let i = 0; i < 40; i++) await act(`t${i}`);
    for (let i = 0; i < 3; i++) deliver();
    await poll(() => received.length).toBe(40);
    await poll(async () => new Set((await list()).map(({ status }) => status))).toEqual(
      new Set(["WEBHOOK_DELIVERY_STATUS_DELIVERED"]),
    );
    const ids = received.map(({ headers }) => headers["x-turnkey-event-id"]);
    expect(new Set(ids).size).toBe(40);
    expect(ids).toHaveLength(40);
  });

  test("that a process had taken when it ended are delivered by the next one", async () => {
    const receiver = await receive(() => undefined);
    const { act, list } = await subscribed(receiver.url);
    await act();
    const first = deliver({ leaseMs: 4000 });
    await poll(() => receiver.received.length).toBe(1);
    receiver.state.answer = () => 200;
    await first.stop();
    deliver();
    await poll(async () => (await list())[0]?.status).toBe("WEBHOOK_DELIVERY_STATUS_DELIVERED");
    expect(receiver.received).toHaveLength(2);
  });

  /** Makes events of about this size. */
  async function signing({ root }: Pick<Awaited<ReturnType<typeof subscribed>>, "root">) {
    const { addresses } = await root.createWallet({ walletName: "wallet", accounts: [account] });
    let count = 0;
    return (length: number) =>
      root.signRawPayload({
        signWith: addresses[0] ?? "",
        payload: `${++count} `.padEnd(length, "x"),
        encoding: "PAYLOAD_ENCODING_TEXT_UTF8",
        hashFunction: "HASH_FUNCTION_SHA256",
      });
  }

  test("that are small are taken past large ones, and so many that their records are no more than one large one", async () => {
    const { root, endpointId, organizationId } = await subscribed("https://example.com/hooks");
    const { store } = server.host;
    const sign = await signing({ root });
    for (let i = 0; i < 3; i++) await sign(300_000);
    for (let i = 0; i < 6; i++) await sign(55_000);
    const nowMs = Date.now() + 1000;
    const claim = { after: null, nowMs, untilMs: nowMs + 60_000 };
    const claimed: number[] = [];
    for (let i = 0; i < 3; i++) {
      claimed.push((await claimDeliveries(store, { ...claim, endpointId, limit: 8 })).length);
    }
    expect(claimed).toEqual([5, 2, 0]);

    const causers = () => listCausers(store, { after: null, nowMs, limit: 1000 });
    expect(await causers()).toContain(organizationId);
    const bytes: number[] = [];
    for (;;) {
      const [due, ...others] = await listDueLarge(store, organizationId, nowMs);
      expect(others).toEqual([]);
      if (!due) break;
      const [event, second] = await claimEvent(store, due.event, {
        ...claim,
        endpointIds: [endpointId],
      });
      expect(second).toBe(undefined);
      bytes.push(Math.floor((event?.record?.length ?? 0) / 300_000));
    }
    expect(bytes).toEqual([1, 1, 1]);
    // They wait for their lease to end. Nobody looks at organizations of whose events none is due.
    expect(await causers()).not.toContain(organizationId);
  });

  test("that are large are read once for all endpoints, and their texts made once for some", async () => {
    const { url, received } = await receive();
    const { root, list } = await subscribed(url);
    for (let i = 1; i < 10; i++) await root.createWebhookEndpoint({ url, name: `receiver ${i}` });
    const sign = await signing({ root });
    const { stop } = deliver();
    await poll(async () => (await list()).map(({ status }) => status)).not.toContain(
      "WEBHOOK_DELIVERY_STATUS_WAITING",
    );
    await stop();
    received.splice(0);
    await sign(200_000);

    const { host } = server;
    const calls: string[] = [];
    const store = {
      ...host.store,
      run: (...[name, ...rest]: Parameters<typeof host.store.run>) => {
        calls.push(name);
        return host.store.run(name, ...rest);
      },
    };
    const askSigner: typeof host.askSigner = (request, ...rest) => {
      calls.push(request.call);
      return host.askSigner(request, ...rest);
    };
    const delivering = startDelivering({ ...host, store, askSigner }, { timing: fast });
    closers.unshift(() => delivering.stop());
    await poll(() => received.length).toBe(10);
    expect(calls.filter((call) => call === "read-event")).toHaveLength(1);
    expect(calls.filter((call) => call === "sign-webhooks").length).toBeLessThan(5);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    expect(new Set(received.map(({ headers }) => headers["x-turnkey-event-id"])).size).toBe(10);
    for (const each of received) expect(await verify(each)).toMatchObject({ ok: true });
  });

  test("that are large take turns with small ones at an endpoint that answers slowly", async () => {
    const { url, received } = await receive((_received, response) => {
      setTimeout(() => response.writeHead(200).end(), 100);
      return undefined;
    });
    const { root, act } = await subscribed(url);
    const sign = await signing({ root });
    for (let i = 0; i < 8; i++) await sign(70_000);
    for (let i = 0; i < 8; i++) await act(`tag ${i}`);
    deliver({}, { limits: { ...LIMITS, total: 12, family: 6, endpoint: 1, slow: 4 } });
    await poll(() => received.length).toBe(17);
    const isLarge = received.map(({ body }) => body.length > 70_000);
    expect(isLarge.slice(0, 8).filter(Boolean).length).toBeGreaterThan(2);
    expect(isLarge.slice(0, 8).filter(Boolean).length).toBeLessThan(6);
  });

  test("for an endpoint that was deleted, or is not active, are cancelled", async () => {
    const { url, received } = await receive(() => 500);
    for (const how of ["deleted", "inactive"]) {
      const { act, list, root, endpointId } = await subscribed(url);
      const { id } = await act();
      if (how === "deleted") await root.deleteWebhookEndpoint({ endpointId });
      else await root.updateWebhookEndpoint({ endpointId, isActive: false });
      const { stop } = startDelivering(server.host, { timing: fast });
      await poll(
        async () => (await list()).find(({ activityId }) => activityId === id)?.status,
      ).toBe("WEBHOOK_DELIVERY_STATUS_CANCELLED");
      await stop();
    }
    expect(received).toEqual([]);
  });

  test("that failed are cancelled with their endpoint, long before they would be tried again", async () => {
    const { url, received } = await receive(() => 500);
    const { act, list, root, endpointId } = await subscribed(url);
    for (let i = 0; i < 3; i++) await act(`t${i}`);
    deliver({ retryMs: 3_600_000, maxRetryMs: 3_600_000 });
    await poll(async () => (await list()).filter(({ attempts }) => attempts > 0).length).toBe(3);
    await root.deleteWebhookEndpoint({ endpointId });
    const statuses = async () => new Set((await list()).map(({ status }) => status));
    await poll(statuses).toEqual(new Set(["WEBHOOK_DELIVERY_STATUS_CANCELLED"]));
    expect(received).toHaveLength(3);
  });

  test("that wait go to the endpoint's new URL", async () => {
    const [old, next] = [await receive(() => 500), await receive()];
    const { act, root, endpointId } = await subscribed(old.url);
    await act();
    deliver({ maxAttempts: 50 });
    await poll(() => old.received.length).toBeGreaterThan(0);
    await root.updateWebhookEndpoint({ endpointId, url: next.url });
    await poll(() => next.received.length).toBeGreaterThan(0);
  });

  test("for receivers that do not answer do not hold up those of others", async () => {
    const silent = await receive(() => undefined);
    const alive = await receive();
    const dead = await subscribed(silent.url);
    for (let i = 0; i < 6; i++) {
      await dead.root.createWebhookEndpoint({ url: silent.url, name: `e${i}` });
    }
    for (let i = 0; i < 5; i++) await dead.act(`t${i}`);
    const other = await subscribed(alive.url);
    for (let i = 0; i < 5; i++) await other.act(`t${i}`);
    deliver({}, { limits: { ...LIMITS, total: 12, family: 6, endpoint: 4, slow: 4 } });
    await poll(() => alive.received.length).toBe(5);
    expect(silent.received.length).toBeLessThanOrEqual(6);
  });

  test("for many endpoints that fail at once leave most of the database's time to requests", async () => {
    const { url, close } = await receive();
    const { act, root } = await subscribed(url);
    for (let i = 0; i < 6; i++) await root.createWebhookEndpoint({ url, name: `e${i}` });
    await close();
    for (let i = 0; i < 5; i++) await act(`t${i}`);
    const { store } = server.host;
    let looks = 0;
    let busyMs = 0;
    const run: typeof store.run = async (name, ...rest) => {
      const startedAt = performance.now();
      const rows = await store.run(name, ...rest);
      if (/^(list-due-endpoints|claim-deliveries)$/.test(name)) {
        looks += 1;
        busyMs += performance.now() - startedAt;
      }
      return rows;
    };
    const timing = { ...fast, idleMs: 1, retryMs: 1, maxRetryMs: 1, maxAttempts: 100_000 };
    const startedAt = performance.now();
    const { stop } = startDelivering({ ...server.host, store: { ...store, run } }, { timing });
    closers.unshift(stop);
    await poll(() => looks).toBeGreaterThan(100);
    expect(busyMs / (performance.now() - startedAt)).toBeLessThan(0.5);
  });
});
