import { randomUUID } from "node:crypto";
import { initOtp } from "@keyhearth/engine/activities/init-otp";
import type { Message } from "@keyhearth/engine/door/messages";
import { receiverOf } from "@keyhearth/engine/door/receivers";
import type { ActivityRecord } from "@keyhearth/engine/records/activity";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_RATE_LIMITS } from "../config/rate-limits.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { migrate } from "../store/migrate.ts";
import { createLimits, type Limits } from "./limits.ts";
import { limitMessages } from "./messages.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let nowMs = 1_700_000_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.store, Date.now());
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
  const host = { store: database.store, limits, log, now: () => nowMs } as unknown as Host;
  const sending = { organizationId: by, parentOrganizationId: parent, activity, messages };
  try {
    await limitMessages(host, sending);
    return null;
  } catch (error) {
    if (error instanceof TryLater) return error;
    throw error;
  }
}

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

test("many families together send a contact thirty messages in ten minutes", async () => {
  const to = [newAddress()];
  for (let i = 0; i < 30; i++) expect(await refusalOf({ to })).toBeNull();
  expect((await refusalOf({ to }))?.message).toMatch(
    /: at most 30 in 10 minutes and 100 in 1 day to one contact from all organizations$/,
  );
});

test("a family sends a hundred SMS in ten minutes, whoever gets them", async () => {
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
    "too many SMS of this organization, its parent and its sub-organizations: at most 100 in 10 minutes; try again later, or ask the operator for more",
  );
  expect(await refusalOf({ by: parent, to: [newAddress()], limits })).toBeNull();
  expect(await send(randomUUID(), null)).toBeNull();
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
