// Deliveries that the real service made, verified as a receiver does, and every way to spoil one.

import { newOrganization, startTestServer, type TestServer } from "@keyhearth/api/testing";
import { encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf, signEd25519 } from "@keyhearth/crypto/keys/keys";
import { sha256 } from "@keyhearth/crypto/primitives";
import { verifyWebhook, type WebhookOptions } from "@keyhearth/sdk/crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDelivering } from "../../apps/api/src/jobs/webhooks/deliver.ts";
import { type Received, startReceiver } from "../../apps/api/src/jobs/webhooks/receiver.testing.ts";

let server: TestServer;
let headers: Record<string, string>;
let body: string;
let jwks: { keys: { kid: string; x: string }[] };
let publicKey: string;
let activityId: string;
let organizationId: string;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  server = await startTestServer();
  closers.push(() => server.stop());
  const { promise: delivered, resolve } = Promise.withResolvers<Received>();
  const receiver = await startReceiver((received) => {
    resolve(received);
    return 200;
  });
  closers.unshift(() => receiver.close());
  server.host.webhookPrivateTargets = [{ target: "127.0.0.1", familyId: null }];
  const delivering = startDelivering(server.host, { timing: { idleMs: 10 } });
  closers.unshift(() => delivering.stop());
  const organization = await newOrganization(server);
  organizationId = organization.organizationId;
  const { root } = organization;
  await root.createWebhookEndpoint({ url: receiver.url, name: "receiver" });
  const made = await root.createUserTag({ userTagName: "finance — ✓", userIds: [] });
  activityId = made.activity.id;
  const delivery = await delivered;
  headers = { ...delivery.headers } as Record<string, string>;
  body = delivery.body;
  const answer = await server.fetch("http://keyhearth.test/public/v1/discovery/webhooks/jwks");
  jwks = await answer.json();
  const described = server.signer.handle({ call: "describe" });
  publicKey = (described as { webhookKey: { publicKey: string } }).webhookKey.publicKey;
});

afterAll(async () => {
  for (const close of closers) await close();
});

const refused = (header: string) =>
  expect.objectContaining({ name: "Unverified", code: "UNVERIFIED", field: `x-turnkey-${header}` });
const invalid = (field: string) => expect.objectContaining({ name: "InvalidField", field });

/** Verifies the delivery with some options changed. */
const verify = (
  changes: Partial<Record<keyof WebhookOptions | "jwks" | "publicKeys", unknown>> = {},
) => verifyWebhook({ headers, body, jwks, isOurs, ...changes } as WebhookOptions);
const isOurs = (id: string) => id === organizationId;

const withHeader = (name: string, value: unknown) => ({ ...headers, [`x-turnkey-${name}`]: value });

describe("a delivery of the service", () => {
  test("is verified with the key set, and with a pinned key", () => {
    const event = verify();
    expect(event).toEqual({
      eventId: headers["x-turnkey-event-id"],
      eventType: "ACTIVITY_UPDATES",
      organizationId,
      timestampMs: Number(headers["x-turnkey-timestamp"]),
      keyId: jwks.keys[0]?.kid,
      activity: JSON.parse(body),
    });
    expect(event.activity.id).toBe(activityId);
    expect(verify({ jwks: undefined, publicKeys: [publicKey] })).toEqual(event);
    expect(verify({ jwks: undefined, publicKeys: [publicKey.toUpperCase()] })).toEqual(event);
  });

  test("is verified however the framework gives headers and body", () => {
    const event = verify();
    const upper = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const lists = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value]]),
    );
    for (const given of [upper, lists, new Headers(headers)]) {
      expect(verify({ headers: given })).toEqual(event);
    }
    const bytes = new TextEncoder().encode(body);
    for (const given of [bytes, Buffer.from(bytes)]) expect(verify({ body: given })).toEqual(event);
  });

  test("is verified by any of several keys, and keys of other kinds are passed over", () => {
    const others = [newKey(), newKey()].map(({ publicKey: each }) => each);
    expect(verify({ jwks: undefined, publicKeys: [...others, publicKey] }).activity.id).toBe(
      activityId,
    );
    const rsa = { kty: "RSA", n: "AQAB", e: "AQAB", kid: "old" };
    const keys = [rsa, { kty: "OKP", crv: "X25519", x: "", kid: "" }, null, ...jwks.keys];
    expect(verify({ jwks: { keys } }).activity.id).toBe(activityId);
  });
});

describe("a delivery is refused", () => {
  test("if one bit of its body changed, or its body was written again", () => {
    const bytes = new TextEncoder().encode(body);
    for (const at of [0, 10, bytes.length >> 1, bytes.length - 1]) {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => verify({ body: changed })).toThrow(refused("signature"));
    }
    for (const changed of [
      "",
      `${body} `,
      body.slice(1),
      JSON.stringify(JSON.parse(body), null, 1),
    ]) {
      expect(() => verify({ body: changed })).toThrow(refused("signature"));
    }
  });

  test("if a signed header changed", () => {
    const timestamp = Number(headers["x-turnkey-timestamp"]);
    for (const [name, value] of [
      ["timestamp", String(timestamp + 1)],
      ["event-id", crypto.randomUUID()],
      ["signature", "00".repeat(64)],
    ] as const) {
      expect(() => verify({ headers: withHeader(name, value) })).toThrow(refused("signature"));
    }
  });

  test("if a header is missing, repeated, or of another form", () => {
    const forms: Record<string, unknown[]> = {
      "signature-version": ["v2", "V1", "v1, v1"],
      "signature-algorithm": ["none", "hmac", "ed25519, ed25519"],
      "signature-key-id": ["", "0", jwks.keys[0]?.kid.toUpperCase()],
      timestamp: ["", "0", "1e3", "-1", "0x10", " 1", "1.5", "99999999999999999"],
      "event-id": ["", "1", "1.2.3", `${crypto.randomUUID()}.`],
      signature: ["", "zz".repeat(64), "00".repeat(63), "00".repeat(65)],
      "event-type": ["BALANCE_CONFIRMED_UPDATES", ""],
      "organization-id": [crypto.randomUUID(), "", organizationId.toUpperCase()],
    };
    for (const [name, values] of Object.entries(forms)) {
      const own = headers[`x-turnkey-${name}`];
      for (const value of [undefined, [own, own], ...values]) {
        expect(() => verify({ headers: withHeader(name, value) }), name).toThrow(refused(name));
      }
      const twice = { ...headers, [`X-Turnkey-${name}`]: own };
      expect(() => verify({ headers: twice }), name).toThrow(refused(name));
      const appended = new Headers(headers);
      appended.append(`x-turnkey-${name}`, own ?? "");
      expect(() => verify({ headers: appended }), name).toThrow(refused(name));
    }
    expect(() => verify({ headers: {} })).toThrow(refused("signature-version"));
  });

  test("outside the tolerance, in both directions", () => {
    const at = Number(headers["x-turnkey-timestamp"]);
    for (const off of [-300_000, 0, 300_000]) verify({ nowMs: at + off });
    for (const off of [-300_001, 300_001, 10 ** 12]) {
      expect(() => verify({ nowMs: at + off })).toThrow(refused("timestamp"));
    }
    verify({ nowMs: at + 1_000, toleranceSeconds: 1 });
    const late = { nowMs: at + 1_001, toleranceSeconds: 1 };
    expect(() => verify(late)).toThrow(refused("timestamp"));
  });

  test("if its key is not among those given, even if the header names one of them", () => {
    const { publicKey: other, privateKey } = newKey();
    expect(() => verify({ jwks: undefined, publicKeys: [other] })).toThrow(
      refused("signature-key-id"),
    );
    const kid = encodeHex(sha256(Buffer.from(other, "hex")).slice(0, 16));
    const renamed = withHeader("signature-key-id", kid);
    const publicKeys = [other, publicKey];
    expect(() => verify({ headers: renamed, jwks: undefined, publicKeys })).toThrow(
      refused("signature"),
    );
    // Somebody who signs with a key of their own, and says that it is the known one.
    const timestamp = headers["x-turnkey-timestamp"];
    const signed = `v1.ed25519.${jwks.keys[0]?.kid}.${timestamp}.${headers["x-turnkey-event-id"]}.${body}`;
    const signature = encodeHex(signEd25519(new TextEncoder().encode(signed), privateKey));
    expect(() => verify({ headers: withHeader("signature", signature) })).toThrow(
      refused("signature"),
    );
  });

  test("if its activity is of an organization that is not one of the receiver's", () => {
    const other = crypto.randomUUID();
    const foreign = expect.objectContaining({
      name: "Unverified",
      code: "UNVERIFIED",
      field: "body",
      message: expect.stringContaining(organizationId),
    });
    for (const theirs of [() => false, (id: string) => id === other]) {
      expect(() => verify({ isOurs: theirs })).toThrow(foreign);
    }
    const asked: string[] = [];
    verify({ isOurs: (id: string) => asked.push(id) > 0 });
    expect(asked).toEqual([organizationId]);
    // What is not signed, or too old, is not asked about.
    expect(() => verify({ body: `${body} `, isOurs: (id: string) => asked.push(id) > 0 })).toThrow(
      refused("signature"),
    );
    expect(asked).toHaveLength(1);
  });

  test("if it is signed but no activity, with a word about the SDK", () => {
    const { publicKey: own, privateKey } = newKey();
    const kid = encodeHex(sha256(Buffer.from(own, "hex")).slice(0, 16));
    for (const text of ["[]", "null", "{", '{"id":"1"}', '{"id":1,"organizationId":"2"}']) {
      const timestamp = String(Date.now());
      const eventId = crypto.randomUUID();
      const signed = `v1.ed25519.${kid}.${timestamp}.${eventId}.${text}`;
      const made = {
        ...headers,
        "x-turnkey-signature-key-id": kid,
        "x-turnkey-timestamp": timestamp,
        "x-turnkey-event-id": eventId,
        "x-turnkey-signature": encodeHex(signEd25519(new TextEncoder().encode(signed), privateKey)),
      };
      const given = { headers: made, body: text, jwks: undefined, publicKeys: [own] };
      expect(() => verify(given)).toThrow(
        expect.objectContaining({ name: "Unverified", field: "body" }),
      );
    }
  });
});

test("options that would let everything pass, or nothing, are refused", () => {
  for (const toleranceSeconds of [Number.NaN, Number.POSITIVE_INFINITY, 0, -1, "300", null]) {
    expect(() => verify({ toleranceSeconds })).toThrow(invalid("toleranceSeconds"));
  }
  for (const wrong of [undefined, null, organizationId, [organizationId], true]) {
    expect(() => verify({ isOurs: wrong })).toThrow(invalid("isOurs"));
  }
  for (const answer of [undefined, null, 1, "yes", {}, Promise.resolve(false)]) {
    expect(() => verify({ isOurs: () => answer })).toThrow(invalid("isOurs"));
  }
  for (const nowMs of [Number.NaN, null, "now"]) {
    expect(() => verify({ nowMs })).toThrow(invalid("nowMs"));
  }
  for (const given of [
    undefined,
    null,
    {},
    { keys: [] },
    { keys: {} },
    { keys: [{ kty: "RSA" }] },
  ]) {
    expect(() => verify({ jwks: given })).toThrow(invalid("jwks"));
  }
  const [key] = jwks.keys;
  for (const change of [{ kid: "00" }, { x: "AA" }, { x: `${key?.x}=` }, { x: 7 }]) {
    const given = { keys: [{ ...key, ...change }] };
    expect(() => verify({ jwks: given })).toThrow(invalid("jwks.keys[0]"));
  }
  for (const given of ["", publicKey]) {
    expect(() => verify({ jwks: undefined, publicKeys: given })).toThrow(invalid("publicKeys"));
  }
  expect(() => verify({ jwks: undefined, publicKeys: [] })).toThrow(invalid("publicKeys"));
  for (const wrong of ["zz", publicKey.slice(2), `0x${publicKey}`, "ff".repeat(32), 7]) {
    const given = { jwks: undefined, publicKeys: [publicKey, wrong] };
    expect(() => verify(given)).toThrow(invalid("publicKeys[1]"));
  }
  for (const given of [undefined, null, JSON.parse(body), "\ud800"]) {
    expect(() => verify({ body: given })).toThrow(invalid("body"));
  }
});

function newKey() {
  const privateKey = generatePrivateKey("CURVE_ED25519");
  return { privateKey, publicKey: encodeHex(publicKeyOf("CURVE_ED25519", privateKey)) };
}
