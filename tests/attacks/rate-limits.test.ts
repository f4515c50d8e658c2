import { DEFAULT_RATE_LIMITS } from "@keyhearth/api/config/rate-limits";
import { createLimits } from "@keyhearth/api/host/limits";
import { newKey } from "@keyhearth/api/testing";
import { decodeBase64Url, decodeHex, encodeHex } from "@keyhearth/crypto/encoding/bytes";
import { uncompressedPublicKey } from "@keyhearth/crypto/keys/keys";
import { newPasskey, passkeyOf } from "@keyhearth/engine/passkey.testing";
import type { StampHeader } from "@keyhearth/engine/people/authenticate";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  type Ask,
  type Attacked,
  addUser,
  apiKey,
  approve,
  ask,
  bytesOf,
  newChild,
  newVictim,
  type Person,
  perform,
  quorum,
  send,
  setFeature,
  stampOf,
  startAttackedServer,
  type Victim,
} from "./attacker.ts";

// Somebody tries to use up what others may send, or to send more than they may.

let server: Attacked;
let victim: Victim;

beforeAll(async () => {
  server = await startAttackedServer();
  victim = await newVictim(server);
});

afterAll(() => server?.stop());

const fiveRequests = { ...DEFAULT_RATE_LIMITS, address: null, credential: 5 };

/** The clock stands still, so nothing is refilled. */
beforeEach(() => {
  const nowMs = Date.now();
  server.host.now = () => nowMs;
  server.host.limits = createLimits(fiveRequests);
});

const whoami = "query/whoami";
const rename = "submit/update_user_name";
const paths = [whoami, rename];

async function post(path: string, body: string, { name, value }: StampHeader) {
  const { status, headers } = await server.fetch(`http://keyhearth.test/public/v1/${path}`, {
    method: "POST",
    body,
    headers: { [name]: value },
  });
  return { status, left: headers.get("ratelimit-remaining"), most: headers.get("ratelimit-limit") };
}

function bodyOf({ organizationId }: Victim, path: string): string {
  if (path === whoami) return JSON.stringify({ organizationId });
  return bytesOf(server, organizationId, {
    type: "ACTIVITY_TYPE_UPDATE_USER_NAME",
    parameters: { userId: victim.people[0].userId, userName: `user ${Math.random()}` },
  });
}

async function request(path: string, { key }: Person, of = victim) {
  const body = bodyOf(of, path);
  return post(path, body, stampOf(key, body));
}

describe("the allowance of a credential", () => {
  test.each(paths)("ends, for queries and submissions together", async (path) => {
    const [person] = victim.people;
    for (let i = 0; i < 5; i++) expect((await request(path, person)).status).toBe(200);
    expect(await request(path, person)).toEqual({ status: 429, left: "0", most: "5" });
    // Queries and submissions share it.
    expect((await request(path === whoami ? rename : whoami, person)).status).toBe(429);
  });

  test.each(paths)("is not used up by stamps that its key did not make", async (path) => {
    const [person] = victim.people;
    const body = bodyOf(victim, path);
    const { name, value } = stampOf(newKey(), body);
    const forged = JSON.parse(Buffer.from(value, "base64url").toString());
    forged.publicKey = person.key.publicKey;
    const bySomebody = { name, value: Buffer.from(JSON.stringify(forged)).toString("base64url") };
    for (let i = 0; i < 8; i++) {
      expect((await post(path, body, stampOf(person.key, "something else"))).status).toBe(401);
      expect((await post(path, body, bySomebody)).status).toBe(401);
    }
    for (let i = 0; i < 5; i++) expect((await request(path, person)).status).toBe(200);
  });

  test.each(paths)(
    "is not used up by a passkey of the same id in another organization",
    async (path) => {
      const [person] = victim.people;
      const passkey = newPasskey();
      const register = ({ userId }: Person, { params }: typeof passkey) => ({
        endpoint: "create_authenticators",
        type: "ACTIVITY_TYPE_CREATE_AUTHENTICATORS_V2",
        parameters: { userId, authenticators: [params] },
      });
      await perform(server, victim, register(person, passkey));
      const attacker = await newVictim(server);
      const { privateKey, publicKey } = newPasskey();
      const own = passkeyOf({ privateKey, publicKey, id: decodeBase64Url(passkey.credentialId) });
      await perform(server, attacker, register(attacker.people[0], own));
      const stamped = async (by: typeof passkey, of: Victim) => {
        const body = bodyOf(of, path);
        return (await post(path, body, { name: "X-Stamp-Webauthn", value: by.stamp(body) })).status;
      };
      for (let i = 0; i < 8; i++) {
        expect(await stamped(own, victim)).toBe(401);
        await stamped(own, attacker);
      }
      for (let i = 0; i < 5; i++) expect(await stamped(passkey, victim)).toBe(200);
      expect(await stamped(passkey, victim)).toBe(429);
    },
  );

  test("is no other user's: one who uses up their own stops nobody", async () => {
    server.host.limits = createLimits(null);
    const busy = await addUser(server, victim);
    server.host.limits = createLimits(fiveRequests);
    const statuses = [];
    for (let i = 0; i < 8; i++) statuses.push((await request(whoami, busy)).status);
    expect(statuses.slice(5)).toEqual([429, 429, 429]);
    expect((await request(whoami, victim.people[0])).status).toBe(200);
    expect((await request(rename, victim.people[0])).status).toBe(200);
  });

  test("is the same however many requests are sent at once", async () => {
    const [person] = victim.people;
    const asked = await Promise.all(Array.from({ length: 30 }, () => request(whoami, person)));
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(5);
    const body = bodyOf(victim, rename);
    const stamp = stampOf(person.key, body);
    const sent = await Promise.all(Array.from({ length: 30 }, () => post(rename, body, stamp)));
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([429]));
  });
});

describe("the codes and links of a contact", () => {
  const email = "ada@example.com";
  const most = 3;

  /** An organization that mails links, with a user who has the address. */
  async function newSender(): Promise<Victim> {
    server.host.limits = createLimits(null);
    const sender = await newVictim(server);
    for (const name of ["FEATURE_NAME_EMAIL_AUTH", "FEATURE_NAME_OTP_EMAIL_AUTH"]) {
      await perform(server, sender, setFeature(name));
    }
    await perform(server, sender, {
      endpoint: "create_users",
      type: "ACTIVITY_TYPE_CREATE_USERS_V3",
      parameters: {
        users: [
          {
            userName: "Ada",
            userEmail: email,
            apiKeys: [apiKey(newKey())],
            authenticators: [],
            oauthProviders: [],
            userTags: [],
          },
        ],
      },
    });
    return sender;
  }

  function limitCodes() {
    server.host.limits = createLimits({ ...DEFAULT_RATE_LIMITS, address: null, credential: null });
  }

  const mail = (to = email): Ask => ({
    endpoint: "email_auth",
    type: "ACTIVITY_TYPE_EMAIL_AUTH_V2",
    parameters: { email: to, targetPublicKey: newTarget() },
  });

  const code = (): Ask => ({
    endpoint: "init_otp",
    type: "ACTIVITY_TYPE_INIT_OTP_V3",
    parameters: { otpType: "OTP_TYPE_EMAIL", contact: email, appName: "Example" },
  });

  async function countMails({ organizationId }: Victim): Promise<number> {
    const text = "SELECT count(*) AS mails FROM outbox WHERE organization_id = $1::uuid";
    const [row] = await server.store.run("count-mails", text, [organizationId]);
    return Number(row?.mails);
  }

  test("end, for all its users, for all spellings and at once", async () => {
    const sender = await newSender();
    const spellings = [email, "ADA@example.com", "Ada@Example.COM"];
    limitCodes();
    const replies = await Promise.all(
      Array.from({ length: 9 }, (_, i) => ask(server, sender, mail(spellings[i % 3]))),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(9 - most);
    for (const reply of refused) {
      expect(reply).toMatchObject({
        status: 429,
        reason: "RATE_LIMITED",
        message: expect.stringMatching(/^Max number of OTPs have been initiated please wait/),
        activity: undefined,
      });
    }
    expect(await countMails(sender)).toBe(most);
  });

  test("are not used up by a user who may not send any", async () => {
    const sender = await newSender();
    const stranger = await addUser(server, sender);
    limitCodes();
    for (let i = 0; i < 5; i++) {
      const reply = await ask(server, sender, mail(), stranger.key);
      expect(reply).toMatchObject({ status: 403, activity: undefined });
    }
    for (let i = 0; i < most; i++) await perform(server, sender, mail());
  });

  test("are not used up by another organization", async () => {
    const [sender, other] = [await newSender(), await newSender()];
    limitCodes();
    for (let i = 0; i < most; i++) await perform(server, other, mail());
    expect(await ask(server, other, mail())).toMatchObject({ status: 429 });
    for (let i = 0; i < most; i++) await perform(server, sender, mail());
  });

  test("are not used up by the same bytes, or with a forged stamp", async () => {
    // The document remembers the first request. Of the second, nothing is left but its activity.
    for (const made of [mail, code]) {
      const sender = await newSender();
      limitCodes();
      const [{ key }] = sender.people;
      const { endpoint, ...asked } = made();
      const body = bytesOf(server, sender.organizationId, asked);
      for (let i = 0; i < 5; i++) {
        const forged = await send(server, endpoint, body, stampOf(key, `${body} `));
        expect(forged).toMatchObject({ status: 401 });
      }
      const ids = new Set<string | undefined>();
      for (let i = 0; i < 5; i++) {
        const reply = await send(server, endpoint, body, stampOf(key, body));
        expect(reply).toMatchObject({ status: 200 });
        ids.add(reply.activity?.id);
        // An activity that is proposed again has another time.
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      expect(ids.size).toBe(1);
      expect(await countMails(sender)).toBe(1);
      for (let i = 1; i < most; i++) await perform(server, sender, made());
      expect(await ask(server, sender, made())).toMatchObject({ status: 429 });
    }
  });
});

describe("a victim's mailbox and phone", () => {
  const invitation = ({ userId }: Person, receiverUserEmail: string): Ask => ({
    endpoint: "create_invitations",
    type: "ACTIVITY_TYPE_CREATE_INVITATIONS",
    parameters: {
      invitations: [
        {
          receiverUserName: `Ada ${Math.random()}`,
          receiverUserEmail,
          receiverUserTags: [],
          accessType: "ACCESS_TYPE_ALL",
          senderUserId: userId,
        },
      ],
    },
  });

  const code = (otpType: string, contact: string): Ask => ({
    endpoint: "init_otp",
    type: "ACTIVITY_TYPE_INIT_OTP_V2",
    parameters: { otpType, contact, appName: "Attack" },
  });

  /** A tenant whose family sends codes, with three sub-organizations. */
  async function newFamily() {
    server.host.limits = createLimits(null);
    const parent = await newVictim(server);
    for (const name of ["FEATURE_NAME_OTP_EMAIL_AUTH", "FEATURE_NAME_SMS_AUTH"]) {
      await perform(server, parent, setFeature(name));
    }
    const children = [
      await newChild(server, parent),
      await newChild(server, parent),
      await newChild(server, parent),
    ];
    server.host.limits = createLimits({ ...DEFAULT_RATE_LIMITS, address: null, credential: null });
    return { parent, children, family: [parent, ...children] };
  }

  async function countOf(family: Victim[]): Promise<number> {
    const text = "SELECT count(*) AS sent FROM outbox WHERE organization_id = ANY ($1::uuid[])";
    const ids = family.map(({ organizationId }) => organizationId);
    const [row] = await server.store.run("count-sent", text, [ids]);
    return Number(row?.sent);
  }

  test("get six messages at once from a family, however it spells the address and whatever it sends", async () => {
    const { parent, children, family } = await newFamily();
    for (const [i, sender] of [...family, ...family].entries()) {
      const spelling = `Victim+${i}@Example.com`;
      const [person] = sender.people;
      await ask(server, sender, invitation(person, spelling));
      await ask(server, sender, code("OTP_TYPE_EMAIL", spelling));
    }
    expect(await countOf(children)).toBe(3);
    expect(await countOf([parent])).toBe(3);
  });

  test("are not closed to the application by the users of sub-organizations", async () => {
    const { parent, children } = await newFamily();
    const refused = [];
    for (const child of [...children, ...children]) {
      const [person] = child.people;
      refused.push((await ask(server, child, invitation(person, "ada@example.net"))).status);
    }
    expect(refused).toEqual([200, 200, 200, 429, 429, 429]);
    await perform(server, parent, code("OTP_TYPE_EMAIL", "ada@example.net"));
  });

  test("and those of others together get as many SMS as a family may send, also at once", async () => {
    const { parent, family } = await newFamily();
    server.host.limits = createLimits({
      ...DEFAULT_RATE_LIMITS,
      address: null,
      credential: null,
      familySms: { most: 10, withinMs: 600_000 },
    });
    const replies = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        ask(server, parent, code("OTP_TYPE_SMS", `+4915100000${10 + i}`)),
      ),
    );
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(20);
    expect(refused[0]).toMatchObject({
      status: 429,
      reason: "RATE_LIMITED",
      message: expect.stringMatching(/^too many SMS of the application:/),
    });
    expect(await countOf(family)).toBe(10);
  });
});

describe("the signer's places of codes", () => {
  const feature = (name: string): Ask => ({
    endpoint: "set_organization_feature",
    type: "ACTIVITY_TYPE_SET_ORGANIZATION_FEATURE",
    parameters: { name },
  });

  const code = (contact: string, more: Record<string, string> = {}): Ask => ({
    endpoint: "init_otp",
    type: "ACTIVITY_TYPE_INIT_OTP_V2",
    parameters: { otpType: "OTP_TYPE_EMAIL", contact, appName: "Attack", ...more },
  });

  const login = (contact: string): Ask => ({
    endpoint: "init_otp_auth",
    type: "ACTIVITY_TYPE_INIT_OTP_AUTH_V2",
    parameters: { otpType: "OTP_TYPE_EMAIL", contact },
  });

  let number = 0;
  const newContact = () => `nobody${number++}@example.org`;

  /** The activities of whose messages the signer knows, whether they are sent or not. */
  const proposed = new Set<string>();
  beforeAll(() => {
    const { call } = server.host.signer;
    server.host.signer.call = async (...asked) => {
      const answer = await call(...asked);
      if (answer.kind === "proposal" && answer.messages) proposed.add(answer.activity.fingerprint);
      return answer;
    };
    return () => Object.assign(server.host.signer, { call });
  });

  function limitMessages(config: Partial<typeof DEFAULT_RATE_LIMITS> = {}) {
    proposed.clear();
    const limits = { ...DEFAULT_RATE_LIMITS, address: null, credential: null, ...config };
    server.host.limits = createLimits(limits);
  }

  async function newSender(users?: Parameters<typeof newVictim>[1]) {
    server.host.limits = createLimits(null);
    const sender = await newVictim(server, { rootUsers: users?.rootUsers ?? 1 });
    await perform(server, sender, feature("FEATURE_NAME_OTP_EMAIL_AUTH"));
    await perform(server, sender, {
      endpoint: "update_user",
      type: "ACTIVITY_TYPE_UPDATE_USER",
      parameters: { userId: sender.people[0].userId, userEmail: "ada@example.org" },
    });
    const ids = sender.people.map(({ userId }) => userId);
    if (users) await perform(server, sender, quorum(users.threshold ?? 1, ids));
    return sender;
  }

  async function countRows(): Promise<number> {
    const [row] = await server.store.run("count-rows", "SELECT count(*) AS n FROM code_sends", []);
    return Number(row?.n);
  }

  const statusesOf = (replies: { status: number }[]) => {
    const sent = replies.filter(({ status }) => status === 200).length;
    const refused = replies.filter(({ status }) => status === 429).length;
    return { sent, refused };
  };

  const repeated = [
    { made: () => code("ada@example.org"), what: "codes to one contact" },
    { made: () => login("ada@example.org"), what: "logins of one user" },
    { made: () => code(newContact(), { userIdentifier: "one visitor" }), what: "one visitor" },
    { made: () => code(newContact()), what: "the application's emails", most: 3 },
  ];

  test.each(repeated)(
    "are not taken by codes that may not be sent: $what",
    async ({ made, most }) => {
      const sender = await newSender();
      for (const isAtOnce of [false, true]) {
        limitMessages(most ? { familyEmail: { most, withinMs: 600_000 } } : {});
        const replies = [];
        if (isAtOnce) {
          // Each request twice, so that one hides behind the other.
          const many = Array.from({ length: 12 }, () => {
            const { endpoint, ...asked } = made();
            const body = bytesOf(server, sender.organizationId, asked);
            const once = () => send(server, endpoint, body, stampOf(sender.people[0].key, body));
            return [once(), once()];
          });
          replies.push(...(await Promise.all(many.flat())));
        } else {
          for (let i = 0; i < 8; i++) replies.push(await ask(server, sender, made()));
        }
        expect(new Set(replies.map(({ status }) => status))).toContain(429);
        // The receivers of the others have got enough by now.
        const atMost = isAtOnce && most === undefined ? 0 : 3;
        expect(proposed.size).toBeLessThanOrEqual(atMost);
      }
    },
  );

  test("are not taken by votes for codes that may not be sent", async () => {
    const sender = await newSender({ rootUsers: 2, threshold: 2 });
    const [, second] = sender.people;
    limitMessages({ familyEmail: { most: 3, withinMs: 600_000 } });
    const waiting = [];
    for (let i = 0; i < 6; i++) {
      const { activity } = await perform(server, sender, code(newContact()));
      waiting.push(String(activity?.fingerprint));
    }
    const votes = waiting.map((each) => ask(server, sender, approve(each), second?.key));
    expect(statusesOf(await Promise.all(votes))).toEqual({ sent: 3, refused: 3 });
    expect(proposed.size).toBe(3);
  });

  test("are held by no request that its sender may not make", async () => {
    const sender = await newSender();
    const stranger = await addUser(server, sender);
    limitMessages({ familyEmail: { most: 3, withinMs: 600_000 } });
    const [{ key }] = sender.people;
    const { endpoint, ...asked } = code(newContact());
    const forge = () => {
      const body = bytesOf(server, sender.organizationId, asked);
      return send(server, endpoint, body, stampOf(key, `${body} `));
    };
    const others = Array.from({ length: 12 }, (_, i) =>
      i % 2 === 0 ? forge() : ask(server, sender, code(newContact()), stranger.key),
    );
    for (const { status } of await Promise.all(others)) expect(status).not.toBe(200);
    const own = Array.from({ length: 3 }, () => ask(server, sender, code(newContact())));
    expect(statusesOf(await Promise.all(own))).toEqual({ sent: 3, refused: 0 });
    const forged = await Promise.all(Array.from({ length: 3 }, forge));
    for (const { status } of forged) expect(status).toBe(401);
  });

  test("and what was sent is still told to whoever sends its bytes again", async () => {
    const sender = await newSender();
    limitMessages({ familyEmail: { most: 1, withinMs: 600_000 } });
    const [{ key }] = sender.people;
    const { endpoint, ...asked } = code(newContact());
    const body = bytesOf(server, sender.organizationId, asked);
    const again = () => send(server, endpoint, body, stampOf(key, body));
    const { activity } = await again();
    expect(activity?.status).toBe("ACTIVITY_STATUS_COMPLETED");
    for (let i = 0; i < 3; i++) expect((await again()).activity?.id).toBe(activity?.id);
    expect(await ask(server, sender, code(newContact()))).toMatchObject({ status: 429 });
  });

  test("nor rows of the database by what is not sent", async () => {
    const sender = await newSender();
    limitMessages({ familyEmail: { most: 3, withinMs: 600_000 } });
    const made = () => code(newContact(), { userIdentifier: `visitor ${number++}` });
    for (let i = 0; i < 3; i++) await perform(server, sender, made());
    const before = await countRows();
    const many = Array.from({ length: 8 }, () => ask(server, sender, made()));
    expect(statusesOf(await Promise.all(many))).toEqual({ sent: 0, refused: 8 });
    expect(await countRows()).toBe(before);
  });
});

function newTarget(): string {
  const { publicKey } = newKey();
  return encodeHex(uncompressedPublicKey("CURVE_P256", decodeHex(publicKey)));
}
