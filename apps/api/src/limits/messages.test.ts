import { randomUUID } from "node:crypto";
import { initOtp } from "@keyhearth/engine/activities/init-otp";
import type { Message } from "@keyhearth/engine/messages/message";
import { receiverOf } from "@keyhearth/engine/messages/receivers";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import type { OrganizationDocument } from "@keyhearth/engine/records/organization";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_RATE_LIMITS } from "../config/rate-limits.ts";
import { createCache } from "../documents/cache.ts";
import { TryLater } from "../errors.ts";
import { createFamilies, type Families } from "../fairness/families.ts";
import type { Host } from "../host/host.ts";
import { createLimits, type Limits } from "../host/limits.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { limitMessages } from "./messages.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let families: Families;
let nowMs = 1_700_000_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
  families = createFamilies(database.store.db, createCache());
});

afterAll(() => database?.drop());

type Sent = {
  by?: string;
  parent?: string | null;
  isParents?: boolean;
  to?: string[];
  kind?: Message["kind"];
  userIdentifier?: string;
  limits?: Limits;
  activityId?: string;
};

const limitsWith = (config: Partial<typeof DEFAULT_RATE_LIMITS> = {}) =>
  createLimits({ ...DEFAULT_RATE_LIMITS, ...config });

/** Null if the messages may be sent. */
async function refusalOf({
  by = randomUUID(),
  parent = null,
  isParents = false,
  to = ["ada@example.com"],
  kind = "email-code",
  userIdentifier,
  limits = limitsWith(),
  activityId = randomUUID(),
}: Sent): Promise<TryLater | null> {
  const body = JSON.stringify({
    type: initOtp.defaultType,
    timestampMs: String(nowMs),
    organizationId: by,
    parameters: { ...initOtp.example, ...(userIdentifier !== undefined && { userIdentifier }) },
  });
  const votes = [{ message: body, isParents }];
  const activity = { activityId, votes } as unknown as ActivityRecord;
  const messages = to.map((recipient) => ({
    messageId: randomUUID(),
    kind,
    sealed: "",
    createdAtMs: nowMs,
    expiresAtMs: nowMs,
    receiver: receiverOf({ kind, recipient }),
  }));
  // The limits of messages use nothing else of the host.
  const log = { warn: () => {} };
  const now = () => nowMs;
  const host = { store: database.store, families, limits, log, now } as unknown as Host;
  const believed = { users: [], features: [] } as unknown as OrganizationDocument;
  const sending = {
    organizationId: by,
    parentOrganizationId: parent,
    activity,
    messages,
    believed,
  };
  try {
    await limitMessages(host, sending);
    return null;
  } catch (error) {
    if (error instanceof TryLater) return error;
    throw error;
  }
}

/** A family of strangers who signed up, by default from a network of their own. */
async function newSignup(place: { network?: string | null; site?: string } = {}): Promise<string> {
  const id = randomUUID();
  const { network = randomUUID(), site = null } = place;
  const text =
    "INSERT INTO signups (organization_id, network_hash, site_hash) VALUES ($1::uuid, $2::text, $3::text)";
  await database.store.run("new-signup", text, [id, network, site]);
  return id;
}

let nextNumber = 10_000_000;
const newAddress = () => `${randomUUID()}@example.com`;

test("a contact gets three messages in ten minutes, and ten in a day", async () => {
  const sent = { by: randomUUID(), to: [newAddress()] };
  for (let i = 0; i < 3; i++) expect(await refusalOf(sent)).toBeNull();
  nowMs += 60_000;
  expect(await refusalOf(sent)).toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMITED",
    message:
      "Max number of OTPs have been initiated please wait and try again: at most 3 in 10 minutes and 10 in 1 day to one contact",
    retryAfterSeconds: 540,
  });
  for (let i = 0; i < 7; i++) {
    nowMs += 600_000;
    expect(await refusalOf(sent)).toBeNull();
  }
  nowMs += 600_000;
  // The first three were sent 71 minutes ago.
  const untilTomorrow = 24 * 3600 - (60 + 8 * 600);
  expect(await refusalOf(sent)).toMatchObject({ retryAfterSeconds: untilTomorrow });
  nowMs += 24 * 3600_000;
  expect(await refusalOf(sent)).toBeNull();
});

test("all spellings of an address, and invitations to it, count together", async () => {
  const by = randomUUID();
  const name = randomUUID();
  expect(await refusalOf({ by, to: [`${name}@Example.com`] })).toBeNull();
  expect(await refusalOf({ by, to: [`${name}+1@example.com`] })).toBeNull();
  const kind = "invitation";
  expect(await refusalOf({ by, kind, to: [`${name}+2@example.com`] })).toBeNull();
  expect((await refusalOf({ by, kind, to: [`${name}+3@example.com`] }))?.message).toBe(
    "too many invitations are sent; wait and try again: at most 3 in 10 minutes and 10 in 1 day to one contact",
  );
  expect(await refusalOf({ by, to: [newAddress()] })).toBeNull();
});

test("each message of a request counts, and a request that is refused counts nothing", async () => {
  const by = randomUUID();
  const [one, other] = [newAddress(), newAddress()];
  const kind = "invitation";
  expect(await refusalOf({ by, kind, to: [one, one, one, one] })).not.toBeNull();
  expect(await refusalOf({ by, kind, to: [other, one, one, one] })).toBeNull();
  for (let i = 0; i < 5; i++) {
    expect(await refusalOf({ by, kind, to: [other, one] })).not.toBeNull();
  }
  expect(await refusalOf({ by, to: [other] })).toBeNull();
  expect(await refusalOf({ by, to: [other] })).toBeNull();
  expect(await refusalOf({ by, to: [other] })).not.toBeNull();
});

test("a family counts together, and what its sub-organizations' users send counts apart", async () => {
  const parent = randomUUID();
  const to = [newAddress()];
  const byMember = () => refusalOf({ by: randomUUID(), parent, to });
  for (let i = 0; i < 3; i++) expect(await byMember()).toBeNull();
  expect(await byMember()).not.toBeNull();
  // They cannot use up the codes with which the application logs the person in.
  expect(await refusalOf({ by: randomUUID(), parent, to, isParents: true })).toBeNull();
  expect(await refusalOf({ by: randomUUID(), parent, to, isParents: true })).toBeNull();
  expect(await refusalOf({ by: parent, to })).toBeNull();
  expect(await refusalOf({ by: parent, to })).not.toBeNull();
  expect(await refusalOf({ by: randomUUID(), parent, to, isParents: true })).not.toBeNull();
  expect(await refusalOf({ by: randomUUID(), to })).toBeNull();
});

test("many families together send a contact thirty messages in ten minutes, and the first of each family", async () => {
  const to = [newAddress()];
  for (let i = 0; i < 30; i++) expect(await refusalOf({ to })).toBeNull();
  const by = randomUUID();
  expect(await refusalOf({ by, to })).toBeNull();
  nowMs += 60_000;
  expect(await refusalOf({ by, to })).toMatchObject({
    message: expect.stringMatching(
      /: at most 30 in 10 minutes and 100 in 1 day to one contact from all of the operator's organizations$/,
    ),
    retryAfterSeconds: 540,
  });
  // Two at once are not one first.
  const kind = "invitation";
  expect(await refusalOf({ to: [...to, ...to], kind })).not.toBeNull();
  nowMs += 539_000;
  expect(await refusalOf({ by, to })).not.toBeNull();
  nowMs += 1000;
  expect(await refusalOf({ by, to })).toBeNull();
});

test("the day of a contact is not over for the first message of a family in ten minutes", async () => {
  const to = [newAddress()];
  for (let i = 0; i < 100; i++) {
    if (i % 30 === 0) nowMs += 600_000;
    expect(await refusalOf({ to })).toBeNull();
  }
  const by = randomUUID();
  for (let i = 0; i < 10; i++) {
    nowMs += 600_000;
    expect(await refusalOf({ by, to })).toBeNull();
    expect(await refusalOf({ by, to })).not.toBeNull();
  }
  // Its own day still has an end, and that is what it reads.
  nowMs += 600_000;
  expect((await refusalOf({ by, to }))?.message).toMatch(/10 in 1 day to one contact$/);
});

test("a family's first message needs no limit of its own to be its first", async () => {
  const limits = limitsWith({ contact: [], receiver: [{ most: 2, withinMs: 600_000 }] });
  const to = [newAddress()];
  for (let i = 0; i < 2; i++) expect(await refusalOf({ to, limits })).toBeNull();
  const by = randomUUID();
  expect(await refusalOf({ by, to, limits })).toBeNull();
  expect((await refusalOf({ by, to, limits }))?.message).toMatch(/operator's organizations$/);
});

test("families that signed up send a contact half as many together, and take none from the operator's", async () => {
  const to = [newAddress()];
  for (let i = 0; i < 15; i++) expect(await refusalOf({ by: await newSignup(), to })).toBeNull();
  expect((await refusalOf({ by: await newSignup(), to }))?.message).toMatch(
    /: at most 15 in 10 minutes and 50 in 1 day to one contact from all organizations that signed up$/,
  );
  for (let i = 0; i < 30; i++) expect(await refusalOf({ to })).toBeNull();
});

test("families from one address or IPv6 site send a contact half of what all that signed up may", async () => {
  const to = [newAddress()];
  const site = randomUUID();
  for (const place of [{ network: randomUUID() }, { site }]) {
    const send = async () => refusalOf({ by: await newSignup(place), to });
    for (let i = 0; i < 7; i++) expect(await send()).toBeNull();
    expect((await send())?.message).toMatch(
      /: at most 7 in 10 minutes and 25 in 1 day to one contact from organizations that signed up from one address or IPv6 site$/,
    );
  }
  // What their applications send takes nothing from their members, and the other way round.
  const parent = await newSignup({ site });
  expect(await refusalOf({ by: randomUUID(), parent, to })).toBeNull();
});

test("the sub-organizations of a family send a hundred SMS in ten minutes, whoever gets them", async () => {
  const limits = limitsWith();
  const parent = randomUUID();
  let number = 0;
  const send = (by = randomUUID(), of: string | null = parent) => {
    number += 1;
    const to = [`+49151${String(nowMs + number).slice(-8)}`];
    return refusalOf({ by, parent: of, to, kind: "sms-code", limits });
  };
  for (let i = 0; i < 100; i++) expect(await send()).toBeNull();
  const refused = await send();
  expect(refused).toMatchObject({ reason: "RATE_LIMITED", retryAfterSeconds: 6 });
  expect(refused?.message).toBe(
    "too many SMS of the users of all sub-organizations: at most 100 in 10 minutes; try again later, or ask the operator for more",
  );
  expect(await refusalOf({ by: parent, to: [newAddress()], limits })).toBeNull();
  expect(await send(randomUUID(), null)).toBeNull();
});

test.each([
  { kind: "email-code", noun: "emails", own: 50, most: 500 },
  { kind: "sms-code", noun: "SMS", own: 10, most: 100 },
] as const)(
  "one sub-organization's users send a tenth of a family's $noun, and the application all of its own",
  async ({ kind, noun, own, most }) => {
    const limits = limitsWith();
    const [parent, one] = [randomUUID(), randomUUID()];
    const others = Array.from({ length: 20 }, () => randomUUID());
    let number = 0;
    const send = (sent: Sent) => {
      number += 1;
      const to = kind === "email-code" ? newAddress() : `+49152${String(1_000_000 + number)}`;
      return refusalOf({ ...sent, kind, to: [to], limits });
    };
    for (let i = 0; i < own; i++) expect(await send({ by: one, parent })).toBeNull();
    for (let i = 0; i < most; i++) {
      expect((await send({ by: one, parent }))?.message).toBe(
        `too many ${noun} of the users of this sub-organization: at most ${own} in 10 minutes; try again later, or ask the operator for more`,
      );
    }
    // What was refused took nothing from the others.
    for (let i = own; i < most; i++) {
      expect(await send({ by: others[i % 20], parent })).toBeNull();
    }
    expect((await send({ parent }))?.message).toMatch(
      `too many ${noun} of the users of all sub-organizations: at most ${most} in`,
    );
    // Nor does all of theirs take anything from the application, whose own requests count together.
    for (let i = 0; i < most; i++) {
      const sent = i % 2 === 0 ? { by: parent } : { by: one, parent, isParents: true };
      expect(await send(sent)).toBeNull();
    }
    for (const sent of [{ by: parent }, { by: one, parent, isParents: true }]) {
      expect((await send(sent))?.message).toMatch(
        `too many ${noun} of the application: at most ${most} in`,
      );
    }
  },
);

test("a sub-organization's users may send ten emails and five SMS of a small allowance, if it has as many", async () => {
  const sentOf = async (kind: "email-code" | "sms-code", most: number) => {
    const window = { most, withinMs: 600_000 };
    const limits = limitsWith({ familyEmail: window, familySms: window });
    const [by, parent] = [randomUUID(), randomUUID()];
    for (let sent = 0; ; sent++) {
      const to = [kind === "email-code" ? newAddress() : `+49153${1_000_000 + most * 1000 + sent}`];
      if ((await refusalOf({ by, parent, kind, to, limits })) !== null) return sent;
    }
  };
  const sent = [];
  for (const most of [3, 8, 60, 119]) {
    sent.push([most, await sentOf("email-code", most), await sentOf("sms-code", most)]);
  }
  expect(sent).toEqual([
    [3, 3, 3],
    [8, 8, 5],
    [60, 10, 6],
    [119, 11, 11],
  ]);
});

test("all families together have a limit, and messages to a receiver who may get none do not use it up", async () => {
  const limits = limitsWith({ totalEmail: { most: 5, withinMs: 600_000 } });
  const by = randomUUID();
  const to = [newAddress()];
  for (let i = 0; i < 3; i++) expect(await refusalOf({ by, to, limits })).toBeNull();
  for (let i = 0; i < 5; i++) expect(await refusalOf({ by, to, limits })).not.toBeNull();
  expect(await refusalOf({ to: [newAddress(), newAddress()], limits })).toBeNull();
  expect((await refusalOf({ to: [newAddress()], limits }))?.message).toBe(
    "too many emails of all organizations: at most 5 in 10 minutes; try again later, or ask the operator for more",
  );
});

test.each([
  { kind: "email-code", noun: "emails", network: 12, site: 30, signups: 60, most: 120 },
  { kind: "sms-code", noun: "SMS", network: 10, site: 25, signups: 50, most: 100 },
] as const)(
  "families that signed up send half of all $noun together, and the operator's have the other half",
  async ({ kind, noun, network, site, signups, most }) => {
    const all = { most, withinMs: 600_000 };
    const limits = limitsWith({ totalEmail: all, totalSms: all });
    const to = () => [kind === "email-code" ? newAddress() : `+4915${nextNumber++}`];
    /** How many new families of this place send, one each, and what the next one reads. */
    const sentFrom = async (place: Parameters<typeof newSignup>[0], isByMembers = false) => {
      for (let sent = 0; ; sent++) {
        const family = await newSignup(place);
        const by = isByMembers ? { by: randomUUID(), parent: family } : { by: family };
        const refused = await refusalOf({ ...by, kind, to: to(), limits });
        if (refused) return { sent, message: refused.message };
      }
    };
    const ofOne = { network: randomUUID(), site: randomUUID() };
    expect(await sentFrom(ofOne)).toEqual({
      sent: network,
      message: `too many ${noun} of organizations that signed up from one network: at most ${network} in 10 minutes; try again later, or ask the operator for more`,
    });
    expect(await sentFrom(ofOne, true)).toMatchObject({ sent: network });
    expect(await sentFrom({ site: ofOne.site })).toEqual({
      sent: site - 2 * network,
      message: `too many ${noun} of organizations that signed up from one IPv6 site: at most ${site} in 10 minutes; try again later, or ask the operator for more`,
    });
    expect(await sentFrom({ network: null })).toEqual({
      sent: signups - site,
      message: `too many ${noun} of all organizations that signed up: at most ${signups} in 10 minutes; try again later, or ask the operator for more`,
    });
    for (let i = signups; i < most; i++) {
      expect(await refusalOf({ kind, to: to(), limits })).toBeNull();
    }
    expect((await refusalOf({ kind, to: to(), limits }))?.message).toMatch(
      `too many ${noun} of all organizations: at most ${most} in`,
    );
  },
);

test("a small total leaves something to every part, and no part is more than its whole", () => {
  const partsOf = (most: number) => {
    const all = { most, withinMs: 600_000 };
    const { messages } = limitsWith({ totalEmail: all, totalSms: all });
    const { network, site, signups } = messages;
    return [network, site, signups].map(({ email, sms }) => [email?.window.most, sms?.window.most]);
  };
  expect(partsOf(1)).toEqual([
    [1, 1],
    [1, 1],
    [1, 1],
  ]);
  expect(partsOf(12)).toEqual([
    [6, 5],
    [6, 5],
    [6, 6],
  ]);
  expect(partsOf(5000)).toEqual([
    [500, 500],
    [1250, 1250],
    [2500, 2500],
  ]);
});

test("a `userIdentifier` has a limit of its own, and what it stops counts for no contact", async () => {
  const by = randomUUID();
  const victim = [newAddress()];
  const asked = { by, userIdentifier: "somebody" };
  for (let i = 0; i < 3; i++) {
    expect(await refusalOf({ ...asked, to: [newAddress()] })).toBeNull();
  }
  for (let i = 0; i < 5; i++) {
    expect((await refusalOf({ ...asked, to: victim }))?.message).toMatch(
      /^Max number of OTPs .* 3 in 3 minutes for one `userIdentifier`$/,
    );
  }
  for (let i = 0; i < 3; i++) {
    expect(await refusalOf({ by, to: victim })).toBeNull();
  }
  nowMs += 180_000;
  expect(await refusalOf({ ...asked, to: [newAddress()] })).toBeNull();
});

test("limits that are off count nothing", async () => {
  const off = { familyEmail: null, familySms: null, totalEmail: null, totalSms: null };
  const limits = limitsWith({ ...off, contact: [], receiver: [], identifier: [] });
  const sent = { by: randomUUID(), to: [newAddress()], userIdentifier: "x", limits };
  for (let i = 0; i < 40; i++) expect(await refusalOf(sent)).toBeNull();
});
