import { createLargeRequests, LARGE_LENGTH } from "@keyhearth/api/host/large-requests";
import { newKey } from "@keyhearth/api/testing";
import { decodeBase64Url } from "@keyhearth/crypto/encoding/bytes";
import { generatePrivateKey, publicKeyOf } from "@keyhearth/crypto/keys/keys";
import { newPasskey, passkeyOf } from "@keyhearth/engine/passkey.testing";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Attacked,
  addKey,
  bytesOf,
  newChild,
  newVictim,
  newWallet,
  perform,
  sign,
  signUp,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Somebody with a key sends large bodies that mean nothing, or from many organizations of their own.

let server: Attacked;
let attacker: Victim;
let victim: Victim;
let address: string;

/** One large request at once, and none after it for long. */
const pace = { perSecond: 1, atOnce: LARGE_LENGTH - 1 };
const limits = { organization: pace, subOrganizations: pace, signups: pace, waitMs: 0 };

beforeAll(async () => {
  server = await startAttackedServer();
});

beforeEach(async () => {
  server.host.largeRequests = createLargeRequests();
  attacker = await newVictim(server);
  victim = await newVictim(server);
  ({ address } = await newWallet(server, victim));
  server.host.largeRequests = createLargeRequests(limits);
});

afterAll(() => server?.stop());

type Answer = { status: number; reason: string | undefined; message: string };

async function post(
  path: string,
  body: string,
  stamp: { name: string; value: string },
): Promise<Answer> {
  const response = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    body,
    headers: { [stamp.name]: stamp.value, "content-length": `${Buffer.byteLength(body)}` },
  });
  const { message, details } = (await response.json()) as {
    message: string;
    details?: { code?: string }[];
  };
  return { status: response.status, reason: details?.[0]?.code, message };
}

const postAs = ({ people: [{ key }] }: Victim, path: string, body: string) =>
  post(path, body, stampOf(key, body));

/** Not JSON, but it names an organization. */
const malformed = ({ organizationId }: Victim, length = LARGE_LENGTH) =>
  `{"organizationId":"${organizationId}",${"x".repeat(length)}`;

/** Signs a text of the size. */
const signing = ({ organizationId }: Victim, length = LARGE_LENGTH) =>
  bytesOf(server, organizationId, sign(address, "x".repeat(length)));

const addPasskey = (userId: string, params: object) => ({
  endpoint: "create_authenticators",
  type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
  parameters: { userId, authenticators: [params] },
});

const SUBMIT = "submit/sign_raw_payload";
const SIMULATE = "query/simulate_activity";
const tooFast = { status: 429, reason: "RATE_LIMITED" };
const unreadable = { status: 400, reason: "BAD_REQUEST_BODY" };

/** Of as many different members as fit into a megabyte, or fewer. */
const unknown = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 0]));

describe("a large body", () => {
  const paths = [SUBMIT, SIMULATE];

  test.each(paths)("%s is charged once its stamp is verified, whatever it is", async (path) => {
    expect(await postAs(attacker, path, malformed(attacker))).toMatchObject(unreadable);
    expect(await postAs(attacker, path, malformed(attacker))).toMatchObject(tooFast);
    expect(await postAs(attacker, path, malformed(attacker, 100))).toMatchObject(unreadable);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
  });

  test("that is not quite large is charged too, because to refuse it takes as long", async () => {
    const half = (by: Victim) => malformed(by, LARGE_LENGTH / 2);
    for (const expected of [unreadable, unreadable, tooFast]) {
      expect(await postAs(attacker, SUBMIT, half(attacker))).toMatchObject(expected);
    }
    expect(await postAs(victim, SUBMIT, half(victim))).toMatchObject(unreadable);
  });

  test("that the key did not stamp is charged to nobody", async () => {
    const body = signing(victim);
    const forged = stampOf(victim.people[0].key, "anything");
    expect(await post(SUBMIT, body, forged)).toMatchObject({ status: 401 });
    expect(await postAs(victim, SUBMIT, body)).toMatchObject({ status: 200 });
  });

  test("with 75,000 unknown members is refused before it is parsed, and named", async () => {
    const { organizationId } = victim;
    const body = bytesOf(server, organizationId, {
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      parameters: unknown(75_000),
    });
    expect(body.length).toBeLessThanOrEqual(1024 * 1024);
    const answer = await postAs(victim, SUBMIT, body);
    expect(answer).toMatchObject({ status: 400, reason: "FIELD_UNKNOWN" });
    expect(answer.message).toContain("more than 100 unknown fields, the first of them `x0`, `x1`");

    const query = JSON.stringify({ organizationId, ...unknown(19_000) });
    const large = { status: 413, reason: "BODY_TOO_LARGE" };
    expect(await postAs(victim, "query/whoami", query)).toMatchObject(large);
    server.host.largeRequests = createLargeRequests();
    const smaller = JSON.stringify({ organizationId, ...unknown(5000) });
    const refused = { status: 400, reason: "FIELD_UNKNOWN" };
    expect(await postAs(victim, "query/whoami", smaller)).toMatchObject(refused);
    const few = JSON.stringify({ organizationId, x: "x".repeat(30_000), ...unknown(90) });
    expect(await postAs(victim, "query/whoami", few)).toMatchObject({ status: 200 });
  });

  test("of 20,000 values is refused before it is parsed, and a long text with as many commas is not", async () => {
    server.host.largeRequests = createLargeRequests();
    const { organizationId } = victim;
    const values = (count: number) =>
      bytesOf(server, organizationId, {
        type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
        parameters: { payload: Array.from({ length: count }, () => "") },
      });
    const refused = await postAs(victim, SUBMIT, values(300_000));
    expect(refused).toMatchObject(unreadable);
    expect(refused.message).toContain("more than 20000 values");
    const fewer = await postAs(victim, SUBMIT, values(19_000));
    expect(fewer).toMatchObject({ status: 400, reason: "FIELD_INVALID" });
    const text = bytesOf(server, organizationId, sign(address, '\\",'.repeat(30_000)));
    expect(await postAs(victim, SUBMIT, text)).toMatchObject({ status: 200 });
  });

  test("of somebody who has no room is refused before it is read", async () => {
    const body = malformed(attacker);
    const stamp = stampOf(attacker.people[0].key, body);
    /** Answers with what was read of a body that begins and never ends. */
    const begin = async (length: number) => {
      let read = 0;
      const stream = new ReadableStream(
        {
          pull(controller) {
            read += 1;
            controller.enqueue(Buffer.from(body.slice(0, 10)));
            return read > 1 ? new Promise(() => {}) : undefined;
          },
        },
        { highWaterMark: 0 },
      );
      const init: RequestInit & { duplex: "half" } = {
        method: "POST",
        body: stream,
        duplex: "half",
        headers: { [stamp.name]: stamp.value, "content-length": `${length}` },
      };
      const response = await server.fetch(`http://keyhearth.test/public/v1/${SUBMIT}`, init);
      return { status: response.status, read };
    };
    expect(await postAs(attacker, SUBMIT, body)).toMatchObject(unreadable);
    expect(await begin(body.length)).toEqual({ status: 429, read: 0 });
    // With room again, it is read.
    server.host.largeRequests = createLargeRequests(limits);
    expect(await postAs(attacker, SUBMIT, body)).toMatchObject(unreadable);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
  });

  test("of a key that others registered too is charged to the organization that it names", async () => {
    const { key } = victim.people[0];
    // Of strangers, of the victim's own end user, and of somebody who has sent much already.
    const holders = [await newChild(server, victim)];
    for (let i = 0; i < 5; i++) holders.push(await newChild(server, attacker));
    for (const holder of holders) {
      await perform(server, holder, addKey(holder.people[0], key));
      expect(await postAs(holder, SUBMIT, malformed(holder))).toMatchObject({ status: 400 });
      server.host.largeRequests = createLargeRequests(limits);
    }
    for (const holder of holders.slice(0, 2)) {
      await postAs(holder, SUBMIT, malformed(holder));
    }
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject(tooFast);
    // What the victim sends for a sub-organization is the application's.
    const [child] = holders as [Victim];
    expect(await postAs(victim, SUBMIT, malformed(child))).toMatchObject(tooFast);
    const last = holders.at(-1) as Victim;
    server.host.largeRequests = createLargeRequests(limits);
    await postAs(victim, SUBMIT, malformed(victim));
    expect(await postAs(last, SUBMIT, malformed(last))).toMatchObject(unreadable);
  });

  test("is charged to whose key it is, if it names the organization of somebody else", async () => {
    const body = malformed(victim);
    expect(await postAs(attacker, SUBMIT, body)).toMatchObject(unreadable);
    expect(await postAs(attacker, SUBMIT, body)).toMatchObject(tooFast);
    expect(await postAs(attacker, SUBMIT, malformed(attacker))).toMatchObject(tooFast);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
  });

  test("of a key that has expired is not charged to the organization that had it", async () => {
    const former = newKey();
    await perform(server, victim, addKey(victim.people[0], former, "60"));
    server.clock.offsetMs += 61_000;
    const { organizationId } = victim;
    const theirs: Victim = { organizationId, people: [{ userId: "", key: former }] };
    const post = () => postAs(theirs, SUBMIT, malformed(victim));
    expect(await post()).toMatchObject(unreadable);
    expect(await post()).toMatchObject(tooFast);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
  });

  test("of a passkey is charged to the organization whose passkey made the stamp", async () => {
    const passkey = newPasskey();
    const [{ userId }] = victim.people;
    await perform(server, victim, addPasskey(userId, passkey.params));
    const body = malformed(victim);
    const stamp = () => ({ name: "X-Stamp-Webauthn", value: passkey.stamp(body) });
    expect(await post(SUBMIT, body, stamp())).toMatchObject(unreadable);
    expect(await post(SUBMIT, body, stamp())).toMatchObject(tooFast);
    expect(await postAs(attacker, SUBMIT, malformed(attacker))).toMatchObject(unreadable);
  });

  test("of a passkey is not refused for another one with its id, which a stranger registered", async () => {
    const passkey = newPasskey();
    const privateKey = generatePrivateKey("CURVE_P256");
    const publicKey = publicKeyOf("CURVE_P256", privateKey);
    const theirs = passkeyOf({ privateKey, publicKey, id: decodeBase64Url(passkey.credentialId) });
    for (const [owner, { params }] of [
      [victim, passkey],
      [attacker, theirs],
    ] as const) {
      await perform(server, owner, addPasskey(owner.people[0].userId, params));
    }
    const send = (by: { stamp(body: string): string }, body: string) =>
      post(SUBMIT, body, { name: "X-Stamp-Webauthn", value: by.stamp(body) });
    expect(await send(theirs, malformed(attacker))).toMatchObject(unreadable);
    expect(await send(theirs, malformed(attacker))).toMatchObject(tooFast);
    expect(await send(passkey, signing(victim))).toMatchObject({ status: 200 });
  });

  test("that waits holds no place of its address, and nothing but itself", async () => {
    const body = malformed(attacker);
    const { wait } = server.host.largeRequests;
    let waiting = 0;
    let goOn = () => {};
    const allAreHere = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    // The pace is slow, so that requests wait for it together.
    server.host.largeRequests = {
      ...server.host.largeRequests,
      async wait(...args) {
        waiting += 1;
        await allAreHere;
        return wait(...args);
      },
    };
    const asked: Promise<Answer>[] = [];
    // More than an address may have in flight.
    for (let round = 1; round <= 3; round++) {
      for (let i = 0; i < 200; i++) asked.push(postAs(attacker, SUBMIT, body));
      while (waiting < 200 * round) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(server.host.underWay.total).toBe(0);
    expect(await postAs(victim, SUBMIT, signing(victim, 10))).toMatchObject({ status: 200 });
    goOn();
    const statuses = new Set((await Promise.all(asked)).map(({ status }) => status));
    expect([...statuses].filter((status) => status !== 429)).toEqual([400]);
  }, 30_000);
});

describe("large bodies of families that signed up", () => {
  test("from one address share a pace, which takes nothing from others", async () => {
    const signups = { perSecond: 1, atOnce: 10 * LARGE_LENGTH };
    server.host.largeRequests = createLargeRequests({ ...limits, signups });
    const families = [];
    for (let i = 0; i < 3; i++) families.push(await signUp(server, "203.0.113.7"));
    // One that used little passes what others filled, up to twice as much.
    const answers = [];
    for (const family of families) answers.push(await postAs(family, SUBMIT, malformed(family)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
    const elsewhere = await signUp(server, "203.0.113.8");
    expect(await postAs(elsewhere, SUBMIT, malformed(elsewhere))).toMatchObject(unreadable);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
  });

  test("share a pace wherever they are from, which takes nothing from the operator's own", async () => {
    const families = [];
    for (let i = 0; i < 3; i++) families.push(await signUp(server, `198.51.100.${i}`));
    const answers = [];
    for (const family of families) answers.push(await postAs(family, SUBMIT, malformed(family)));
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 429]);
    expect(await postAs(victim, SUBMIT, signing(victim))).toMatchObject({ status: 200 });
    expect(await postAs(attacker, SUBMIT, malformed(attacker))).toMatchObject(unreadable);
  });
});
