import { randomUUID } from "node:crypto";
import { LIMITS, startDelivering } from "@keyhearth/api/jobs/webhooks/deliver";
import { startReceiver } from "@keyhearth/api/jobs/webhooks/receiver.testing";
import { clientOf } from "@keyhearth/api/testing";
import { decodeHex } from "@keyhearth/crypto/encoding/bytes";
import type { Answer, Request, WebhookEvent } from "@keyhearth/engine/core/protocol";
import { Unfinished } from "@keyhearth/engine/core/unfinished";
import { readRecord } from "@keyhearth/engine/records/record";
import { verifyWebhook } from "@keyhearth/sdk/crypto";
import { verifyTurnkeyWebhookSignature } from "@turnkey/crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import {
  type Attacked,
  addUser,
  approve,
  ask,
  newChild,
  newVictim,
  newWallet,
  perform,
  quorum,
  sign as signing,
  signUp,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

let server: Attacked;
let victim: Victim;
beforeAll(async () => {
  server = await startAttackedServer();
});
afterAll(() => server.stop());

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const insideHosts = ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "0.0.0.0"];

const timing = { idleMs: 10, retryMs: 20, maxAttempts: 3 };

async function rootOf() {
  victim = await newVictim(server);
  const [{ key }] = victim.people;
  return clientOf(server, victim.organizationId, key);
}

/** The record of an activity, as the host has it. */
async function newRecord() {
  const root = await rootOf();
  const { activity } = await root.createUserTag({ userTagName: "a tag", userIds: [] });
  const users = activity.votes.map(({ user }) => user as WebhookEvent["users"][number]);
  return { record: await recordOf(activity.id), users, activity };
}

async function recordOf(activityId: string): Promise<Uint8Array> {
  const [row] = await server.store.run(
    "",
    "SELECT record FROM activities WHERE organization_id = $1 AND activity_id = $2",
    [victim.organizationId, activityId],
  );
  if (!(row?.record instanceof Uint8Array)) throw new Error("no record");
  return row.record;
}

/** The signer serves others after each slice, and while another thread works. */
async function inSlices(request: Request) {
  let goOn = () => server.signer.handle(request);
  let aside = 0;
  for (let slices = 1; ; slices += 1) {
    try {
      return { answer: goOn(), slices, aside };
    } catch (error) {
      if (!(error instanceof Unfinished)) throw error;
      goOn = error.goOn;
      if (error.after) aside += 1;
      await error.after;
    }
  }
}

type Signed = {
  keyId: string;
  timestampMs: number;
  eventId: string;
  signature: string | undefined;
};

function headersOf({ keyId, timestampMs, eventId, signature }: Signed) {
  return {
    "x-turnkey-timestamp": String(timestampMs),
    "x-turnkey-event-id": eventId,
    "x-turnkey-signature-key-id": keyId,
    "x-turnkey-signature-algorithm": "ed25519",
    "x-turnkey-signature-version": "v1",
    "x-turnkey-signature": signature,
  };
}

function check(
  key: { keyId: string; publicKey: string },
  headers: ReturnType<typeof headersOf>,
  body: Uint8Array = new Uint8Array(),
): boolean {
  const verificationKeys = [key];
  return verifyTurnkeyWebhookSignature({
    headers,
    body,
    verificationKeys,
    maxTimestampAgeMs: 60_000,
  }).ok;
}

function sign(record: Uint8Array, event: WebhookEvent): Answer {
  return server.signer.handle({ call: "sign-webhooks", events: [event], attachments: [record] });
}

function expectRefused(answer: Answer) {
  expect(answer).toMatchObject({ kind: "error", error: { reason: "RECORD_REFUSED" } });
  expect(server.events.some(({ event }) => event === "refused")).toBe(true);
}

describe("a host that wants the signer to sign an event for webhooks", () => {
  test("gets nothing signed but activities that the signer decided", async () => {
    const { record, users } = await newRecord();
    const eventId = randomUUID();
    const forged = record.slice();
    const at = Buffer.from(forged).indexOf("COMPLETED");
    forged.set(new TextEncoder().encode("REJECTED_"), at);
    expectRefused(sign(forged, { eventId, users }));

    const [document] = await server.store.run(
      "",
      "SELECT record FROM organization_documents WHERE organization_id = $1 LIMIT 1",
      [victim.organizationId],
    );
    expectRefused(sign(document?.record as Uint8Array, { eventId, users })); // A column of bytes.
    expectRefused(sign(new TextEncoder().encode('{"id":"1"}'), { eventId, users }));
  });

  test("does not choose the text, its time, or where its parts end", async () => {
    const { record, users, activity } = await newRecord();
    for (const eventId of ["", "a.b", `${randomUUID()}.{}`, "x".repeat(36)]) {
      expectRefused(sign(record, { eventId, users }));
    }
    const extra = { eventId: randomUUID(), users, body: "mine", timestampMs: 1, status: "FAILED" };
    const answer = sign(record, extra);
    if (answer.kind !== "webhooks") throw new Error("not signed");
    const [body = new Uint8Array()] = answer.attachments;
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({ ...activity, canApprove: false });
    expect(Math.abs(answer.timestampMs - Date.now())).toBeLessThan(5000);
  });

  test("does not give a vote to another user", async () => {
    const { record, users } = await newRecord();
    const eventId = randomUUID();
    const other = users.map((user) => ({ ...user, userId: randomUUID() }));
    expectRefused(sign(record, { eventId, users: other }));
    expectRefused(sign(record, { eventId, users: [] }));
  });

  test("has nothing signed as a user that is not of their form", async () => {
    const { record, users } = await newRecord();
    const eventId = randomUUID();
    const [user] = users;
    if (!user) throw new Error("no vote");
    expect(sign(record, { eventId, users: [user] })).toMatchObject({ kind: "webhooks" });
    const more = { apiKeys: [{ status: "ok" }], note: "paid", userName: { is: "Ada" } };
    for (const [name, value] of Object.entries(more)) {
      const other = { ...user, [name]: value };
      expectRefused(sign(record, { eventId, users: [other] }));
    }
    const { userId } = user;
    for (const other of [{ userId }, null, userId, [user]]) {
      expectRefused(sign(record, { eventId, users: [other as WebhookEvent["users"][number]] }));
    }
  });

  test("does not keep the signer busy with one activity for any number of events", async () => {
    const { record, users } = await newRecord();
    const events = Array.from({ length: 65 }, () => ({ eventId: randomUUID(), users }));
    const answer = (count: number) =>
      server.signer.handle({
        call: "sign-webhooks",
        events: events.slice(0, count),
        attachments: [record],
      });
    expectRefused(answer(65));
    expectRefused(answer(0));
    expect(answer(64)).toMatchObject({ kind: "webhooks", attachments: [expect.any(Uint8Array)] });
  });

  test("does not keep the signer from others while it signs a large event for many endpoints", async () => {
    const root = await rootOf();
    const { address } = await newWallet(server, victim);
    const { activity } = await root.signRawPayload({
      signWith: address,
      payload: "ab".repeat(400_000),
      encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
      hashFunction: "HASH_FUNCTION_SHA256",
    });
    const record = await recordOf(activity.id);
    const users = activity.votes.map(({ user }) => user as WebhookEvent["users"][number]);
    const events = Array.from({ length: 5 }, () => ({ eventId: randomUUID(), users }));
    // The text is made first, and another thread makes each signature.
    const asked: Request = { call: "sign-webhooks", events, attachments: [record] };
    const { answer, slices, aside } = await inSlices(asked);
    expect(slices).toBeGreaterThan(events.length);
    expect(aside).toBe(events.length);
    if (answer.kind !== "webhooks") throw new Error("not signed");
    const { keyId, timestampMs, signatures, attachments } = answer;
    expect(attachments).toHaveLength(1);
    const described = server.signer.handle({ call: "describe" });
    if (described.kind !== "description") throw new Error("no description");
    const { publicKey } = described.webhookKey;
    for (const [index, { eventId }] of events.entries()) {
      const headers = headersOf({ keyId, timestampMs, eventId, signature: signatures[index] });
      expect(check({ keyId, publicKey }, headers, attachments[0])).toBe(true);
    }
  });

  test("does not find the key in what the signer describes", async () => {
    const { record, users } = await newRecord();
    const described = server.signer.handle({ call: "describe" });
    if (described.kind !== "description") throw new Error("no description");
    const { keyId, publicKey } = described.webhookKey;
    const eventId = randomUUID();
    const answer = sign(record, { eventId, users });
    if (answer.kind !== "webhooks") throw new Error("not signed");
    const { timestampMs, signatures } = answer;
    const headers = headersOf({ keyId, timestampMs, eventId, signature: signatures[0] });
    const [body = new Uint8Array()] = answer.attachments;
    expect(check({ keyId, publicKey }, headers, body)).toBe(true);
    expect(check({ keyId, publicKey }, headers, body.with(0, 0x20))).toBe(false);
    expect(decodeHex(publicKey)).toHaveLength(32);
    expect(readRecord(record).header.type).toBe("activity");
  });
});

describe("a tenant who points a webhook at the service's own network", () => {
  /** The tenant's endpoint, with a URL that a check of texts would not have refused. */
  async function pointAt(url: string) {
    const root = await rootOf();
    await root.createWebhookEndpoint({ url: "https://receiver.example.com/", name: "probe" });
    await server.store.run("", "UPDATE webhook_targets SET url = $2 WHERE organization_id = $1", [
      victim.organizationId,
      url,
    ]);
    await root.createUserTag({ userTagName: "a tag", userIds: [] });
    const delivering = startDelivering(server.host, { timing });
    closers.push(() => delivering.stop());
    return async () => (await root.listWebhookDeliveries()).deliveries[0];
  }

  test.each(insideHosts)("%s is not reached, and nothing but that is learned", async (host) => {
    const inside = await startReceiver();
    closers.push(inside.close);
    const { port } = new URL(inside.url);
    const read = await pointAt(`https://${host}:${port}/admin`);
    await expect.poll(async () => (await read())?.status).toBe("WEBHOOK_DELIVERY_STATUS_FAILED");
    const delivery = await read();
    expect(delivery).not.toHaveProperty("lastStatusCode");
    expect(delivery?.lastError).toMatch(/^the URL was refused: /);
    expect(inside.received).toEqual([]);
  });

  test("is not led there by a redirect of an allowed receiver", async () => {
    const inside = await startReceiver();
    const outside = await startReceiver((_received, response) => {
      response.writeHead(307, { location: inside.url }).end();
      return undefined;
    });
    closers.push(inside.close, outside.close);
    const { port } = new URL(outside.url);
    server.host.webhookPrivateTargets = [{ target: `127.0.0.1:${port}`, familyId: null }];
    closers.push(() => {
      server.host.webhookPrivateTargets = [];
    });
    const read = await pointAt(outside.url);
    await expect
      .poll(async () => await read())
      .toMatchObject({ status: "WEBHOOK_DELIVERY_STATUS_FAILED", lastStatusCode: 307 });
    expect(outside.received).toHaveLength(1);
    expect(inside.received).toEqual([]);
  });

  test("does not reach another port of an allowed machine, or plain http elsewhere", async () => {
    const inside = await startReceiver();
    closers.push(inside.close);
    server.host.webhookPrivateTargets = [{ target: "127.0.0.1:1", familyId: null }];
    closers.push(() => {
      server.host.webhookPrivateTargets = [];
    });
    const read = await pointAt(inside.url);
    await expect.poll(async () => (await read())?.status).toBe("WEBHOOK_DELIVERY_STATUS_FAILED");
    expect(inside.received).toEqual([]);
  });
});

test("a private target that the operator opened to one organization is closed to all others", async () => {
  const inside = await startReceiver();
  closers.push(inside.close);
  const owner = await rootOf();
  const ownerId = victim.organizationId;
  const child = await newChild(server, victim);
  const { host } = new URL(inside.url);
  server.host.webhookPrivateTargets = [{ target: host, familyId: ownerId }];
  closers.push(() => {
    server.host.webhookPrivateTargets = [];
  });
  const endpoint = { url: inside.url, name: "inside" };
  const stranger = await rootOf();
  await expect(stranger.createWebhookEndpoint(endpoint)).rejects.toThrow(
    "unless the operator of this service lists",
  );

  // What is in the database already is looked at again when it is sent.
  await stranger.createWebhookEndpoint({ ...endpoint, url: "https://receiver.example.com/" });
  await server.store.run("", "UPDATE webhook_targets SET url = $2 WHERE organization_id = $1", [
    ...[victim.organizationId, inside.url],
  ]);
  await stranger.createUserTag({ userTagName: "a tag", userIds: [] });
  const delivering = startDelivering(server.host, { timing });
  closers.push(() => delivering.stop());
  const first = async () => (await stranger.listWebhookDeliveries()).deliveries[0];
  await expect.poll(async () => (await first())?.status).toBe("WEBHOOK_DELIVERY_STATUS_FAILED");
  expect(inside.received).toEqual([]);

  await owner.createWebhookEndpoint(endpoint);
  const member = clientOf(server, child.organizationId, child.people[0].key);
  await member.createWebhookEndpoint(endpoint);
  for (const each of [owner, member]) {
    await each.createUserTag({ userTagName: "b", userIds: [] });
    const last = async () => (await each.listWebhookDeliveries()).deliveries[0];
    await expect.poll(async () => (await last())?.status).toBe("WEBHOOK_DELIVERY_STATUS_DELIVERED");
  }
});

describe("a tenant who wants what others sent", () => {
  test("neither lists nor resends the deliveries of another organization or of the parent", async () => {
    const parent = await rootOf();
    const created = await parent.createWebhookEndpoint({
      url: "https://receiver.example.com/",
      name: "own",
    });
    await parent.createUserTag({ userTagName: "a tag", userIds: [] });
    const [delivery] = (await parent.listWebhookDeliveries()).deliveries;
    const deliveryId = delivery?.deliveryId ?? "";
    await server.store.run(
      "",
      "UPDATE webhook_deliveries SET state = 'failed' WHERE delivery_id = $1",
      [deliveryId],
    );
    const stranger = await rootOf();
    const { endpointId } = created;
    expect((await stranger.listWebhookDeliveries({ endpointId })).deliveries).toEqual([]);
    await expect(stranger.resendWebhookDelivery({ deliveryId })).rejects.toMatchObject({
      httpStatus: 404,
    });
    const [row] = await server.store.run(
      "",
      "SELECT state FROM webhook_deliveries WHERE delivery_id = $1",
      [deliveryId],
    );
    expect(row?.state).toBe("failed");
  });
});

describe("somebody who has their own events sent to the receiver of an application", () => {
  /** A receiver as the page shows it. It acts on what `isOurs` lets pass, once for each activity and status. */
  async function newReceiver(isOurs: (organizationId: string) => boolean) {
    const answer = await server.fetch("http://keyhearth.test/public/v1/discovery/webhooks/jwks");
    const jwks = await answer.json();
    const handled = new Set<string>();
    const acted: string[] = [];
    const eventIds = new Set<string>();
    const refused: unknown[] = [];
    const receiver = await startReceiver(({ headers, body }) => {
      try {
        const { activity, eventId } = verifyWebhook({ headers, body, jwks, isOurs });
        eventIds.add(eventId);
        const event = `${activity.id} ${activity.status}`;
        if (!handled.has(event)) acted.push(activity.type);
        handled.add(event);
        return 204;
      } catch (error) {
        refused.push(error);
        return 401;
      }
    });
    closers.push(receiver.close);
    server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
    closers.push(() => {
      server.host.webhookPrivateTargets = [];
    });
    const delivering = startDelivering(server.host, { timing });
    closers.unshift(() => delivering.stop());
    return { url: receiver.url, acted, eventIds, refused };
  }

  const endpoint = (url: string, name = "receiver") => ({
    endpoint: "create_webhook_endpoint",
    type: "ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT",
    parameters: { url, name },
  });

  test("is refused there as a stranger, although the signer signed what is sent", async () => {
    const application = await newVictim(server);
    const { url, acted, refused } = await newReceiver((id) => id === application.organizationId);
    const stranger = await newVictim(server);
    await perform(server, stranger, endpoint(url));
    const { address } = await newWallet(server, stranger);
    await perform(server, stranger, signing(address));
    // The wallet and the signature.
    await expect.poll(() => refused.length).toBe(2);
    for (const error of refused) {
      expect(error).toMatchObject({
        code: "UNVERIFIED",
        field: "body",
        message: expect.stringContaining(stranger.organizationId),
      });
    }
    expect(acted).toEqual([]);
  });

  test("is believed once as an end user, through whatever number of endpoints", async () => {
    const application = await newVictim(server);
    const child = await newChild(server, application);
    const { address } = await newWallet(server, child);
    const ours = new Set([application.organizationId, child.organizationId]);
    const { url, acted, eventIds, refused } = await newReceiver((id) => ours.has(id));
    await perform(server, application, endpoint(url));
    for (const name of ["one", "two", "three"]) await perform(server, child, endpoint(url, name));
    await perform(server, child, signing(address));
    // Each endpoint gets what comes after it: three endpoints or fewer, and the signature.
    const events = 3 + 2 + 1 + 0 + 4;
    await expect.poll(() => eventIds.size).toBe(events);
    expect(acted.filter((type) => type === "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")).toHaveLength(1);
    expect(acted).toHaveLength(4);
    expect(refused).toEqual([]);
  });
});

const PAYLOAD = "x".repeat(100_000);

describe("end users who cause large events, or very many", () => {
  // The first large event is followed by a rest that is longer than the test.
  const limits = { ...LIMITS, large: { perSecond: 1000, atOnce: 1000 } };

  /** An application with an endpoint that is on this machine. */
  async function newApplication() {
    const receiver = await startReceiver();
    closers.push(receiver.close);
    server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
    closers.push(() => {
      server.host.webhookPrivateTargets = [];
    });
    const root = await rootOf();
    await root.createWebhookEndpoint({ url: receiver.url, name: "own" });
    const application = victim;
    const countOf = (organizationId: string, isLarge: boolean) =>
      receiver.received.filter(
        ({ activity, body }) =>
          activity.organizationId === organizationId && body.length > 100_000 === isLarge,
      ).length;
    return { application, countOf, received: receiver.received };
  }

  test("by small votes hold up nothing of their application, and no small events of each other", async () => {
    const { application, countOf } = await newApplication();
    const [child, sibling] = [
      await newChild(server, application),
      await newChild(server, application),
    ];
    const { address } = await newWallet(server, child);
    for (let i = 0; i < 3; i++) child.people.push(await addUser(server, child));
    const userIds = child.people.map(({ userId }) => userId);
    await perform(server, child, quorum(userIds.length, userIds));
    const { activity } = await ask(server, child, signing(address, PAYLOAD));
    for (const { key } of child.people.slice(1)) {
      await perform(server, child, approve(activity?.fingerprint ?? ""), key);
    }
    const own = await newWallet(server, application);
    await perform(server, application, signing(own.address, PAYLOAD));
    await newWallet(server, sibling);

    const delivering = startDelivering(server.host, { timing, limits });
    closers.unshift(() => delivering.stop());
    const { organizationId } = application;
    await expect.poll(() => countOf(organizationId, true)).toBe(1);
    await expect.poll(() => countOf(sibling.organizationId, false)).toBe(1);
    await expect.poll(() => countOf(child.organizationId, true)).toBe(1);
    for (let i = 0; i < 3; i++) await newWallet(server, application, `wallet ${i}`);
    // The two sub-organizations, the first wallet and these.
    await expect.poll(() => countOf(organizationId, false)).toBe(6);
    expect(countOf(child.organizationId, true)).toBe(1);
  });

  test("and by very many small ones hold up no event of their application or of another end user", async () => {
    const { application, received } = await newApplication();
    const [child, sibling] = [
      await newChild(server, application),
      await newChild(server, application),
    ];
    const [{ address }, { address: other }] = [
      await newWallet(server, child),
      await newWallet(server, sibling),
    ];
    for (let i = 0; i < 60; i++) await perform(server, child, signing(address));
    await perform(server, sibling, signing(other));
    const { address: own } = await newWallet(server, application);
    await perform(server, application, signing(own));

    const delivering = startDelivering(server.host, { timing });
    closers.unshift(() => delivering.stop());
    const signatures = () =>
      received
        .filter(({ activity }) => activity.type === "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2")
        .map(({ activity }) => activity.organizationId);
    await expect.poll(() => signatures().length).toBe(62);
    // Eight are sent at once. The application has a turn for each of the three organizations that it made, and for this.
    for (const { organizationId } of [application, sibling]) {
      expect(signatures().indexOf(organizationId)).toBeLessThan(24);
    }
  });

  test("take turns with other end users, whichever of them has caused more", async () => {
    const { application, countOf } = await newApplication();
    const children: Victim[] = [];
    for (let i = 0; i < 4; i++) {
      const child = await newChild(server, application);
      const { address } = await newWallet(server, child);
      children.push(child);
      for (let j = 0; j < (i === 3 ? 1 : 5); j++) {
        await perform(server, child, signing(address, PAYLOAD));
      }
    }
    const pace = { perSecond: 500_000, atOnce: 1000 };
    const delivering = startDelivering(server.host, { timing, limits: { ...limits, large: pace } });
    closers.unshift(() => delivering.stop());
    const counts = () => children.map(({ organizationId }) => countOf(organizationId, true));
    await expect.poll(() => counts()[3]).toBe(1);
    // Each of the others was served once before, or twice by the time that this was seen.
    expect(Math.max(...counts())).toBeLessThan(4);
  });
});

describe("a stranger who signs up with several organizations that cause large events", () => {
  const one = { perSecond: 1, atOnce: 60_000 };
  const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4"];
  // Those that used little pass a pace once more that others filled.
  const shared = [
    { of: "one address", from: addresses.map(() => "192.0.2.5"), limits: { large: one } },
    { of: "many addresses", from: addresses, limits: { largeOfSignups: one } },
  ];

  test.each(shared)("gets what one may cause, from $of", async ({ from, limits }) => {
    // What was held up for others would use the pace first.
    const server = await startAttackedServer();
    closers.push(() => server.stop());
    const receiver = await startReceiver();
    closers.push(receiver.close);
    server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
    const strangers: Victim[] = [];
    for (const address of from) strangers.push(await signUp(server, address));
    const operators = await newVictim(server);
    for (const each of [...strangers, operators]) {
      const [{ key }] = each.people;
      const root = clientOf(server, each.organizationId, key);
      await root.createWebhookEndpoint({ url: receiver.url, name: "own" });
      const { address } = await newWallet(server, each);
      await perform(server, each, signing(address, PAYLOAD));
    }
    const delivering = startDelivering(server.host, { timing, limits: { ...LIMITS, ...limits } });
    closers.unshift(() => delivering.stop());
    const countOf = (organizations: Victim[], isLarge: boolean) => {
      const ids = organizations.map(({ organizationId }) => organizationId);
      return receiver.received.filter(
        ({ activity, body }) =>
          ids.includes(activity.organizationId) && body.length > 100_000 === isLarge,
      ).length;
    };
    await expect.poll(() => countOf([operators], true)).toBe(1);
    await expect.poll(() => countOf(strangers, false)).toBe(strangers.length);
    await expect.poll(() => countOf(strangers, true)).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    // Whether a second one passes depends on who was looked at first. Without the shared pace, all four do.
    expect(countOf(strangers, true)).toBeLessThanOrEqual(2);
  });
});
