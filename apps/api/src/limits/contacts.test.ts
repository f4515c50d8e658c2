import { randomUUID } from "node:crypto";
import { activities } from "@keyhearth/engine/activities/index";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DEFAULT_RATE_LIMITS } from "../config/rate-limits.ts";
import { TryLater } from "../errors.ts";
import type { Host } from "../host.ts";
import { createTestDatabase } from "../store/database.testing.ts";
import { migrate } from "../store/migrate.ts";
import { takeCode } from "./contacts.ts";
import { createLimits } from "./limits.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let nowMs = 1_700_000_000_000;

beforeAll(async () => {
  database = await createTestDatabase();
  await migrate(database.store, Date.now());
});

afterAll(() => database?.drop());

type SentTo = Parameters<typeof takeCode>[1]["sentTo"];

/** Null if the code may be sent. */
async function refusalOf(
  organizationId: string,
  sentTo: SentTo,
  config: Partial<typeof DEFAULT_RATE_LIMITS> = {},
): Promise<TryLater | null> {
  const limits = createLimits({ ...DEFAULT_RATE_LIMITS, ...config });
  // The limits of codes use nothing else of the host.
  const host = { store: database.store, limits, now: () => nowMs } as unknown as Host;
  try {
    await takeCode(host, { organizationId, activityId: randomUUID(), sentTo });
    return null;
  } catch (error) {
    if (error instanceof TryLater) return error;
    throw error;
  }
}

test("a contact gets three codes in ten minutes, and ten in a day", async () => {
  const organizationId = randomUUID();
  const sentTo: SentTo = { type: "email", contact: "anna@example.com" };
  for (let i = 0; i < 3; i++) expect(await refusalOf(organizationId, sentTo)).toBeNull();
  nowMs += 60_000;
  const refused = await refusalOf(organizationId, sentTo);
  expect(refused).toMatchObject({
    code: "RESOURCE_EXHAUSTED",
    reason: "RATE_LIMITED",
    message:
      "Max number of OTPs have been initiated please wait and try again: at most 3 in 10 minutes and 10 in 1 day to one contact",
    retryAfterSeconds: 540,
  });
  for (let i = 0; i < 7; i++) {
    nowMs += 600_000;
    expect(await refusalOf(organizationId, sentTo)).toBeNull();
  }
  nowMs += 600_000;
  // The first three were sent 71 minutes ago.
  const untilTomorrow = 24 * 3600 - (60 + 8 * 600);
  expect(await refusalOf(organizationId, sentTo)).toMatchObject({
    retryAfterSeconds: untilTomorrow,
  });
  nowMs += 24 * 3600_000;
  expect(await refusalOf(organizationId, sentTo)).toBeNull();
});

test.each<[string, SentTo, SentTo]>([
  [
    "an email address in any case",
    { type: "email", contact: "Bob@Example.com" },
    { type: "email", contact: "bob@example.COM" },
  ],
  [
    "a phone number with or without spaces",
    { type: "phone", contact: "+49 151 0000" },
    { type: "phone", contact: "+491510000" },
  ],
])("%s is one contact", async (_, one, other) => {
  const organizationId = randomUUID();
  await refusalOf(organizationId, one);
  await refusalOf(organizationId, other);
  await refusalOf(organizationId, one);
  expect(await refusalOf(organizationId, other)).not.toBeNull();
  expect(await refusalOf(randomUUID(), other)).toBeNull();
});

test("a `userIdentifier` has a limit of its own, and what it stops counts for no contact", async () => {
  const organizationId = randomUUID();
  const to = (contact: string): SentTo => ({ type: "email", contact, userIdentifier: "somebody" });
  for (let i = 0; i < 3; i++)
    expect(await refusalOf(organizationId, to(`${i}@example.com`))).toBeNull();
  for (let i = 0; i < 5; i++) {
    const refused = await refusalOf(organizationId, to("victim@example.com"));
    expect(refused?.message).toMatch(
      /^Max number of OTPs .* 3 in 3 minutes for one `userIdentifier`$/,
    );
  }
  for (let i = 0; i < 3; i++) {
    const plain: SentTo = { type: "email", contact: "victim@example.com", userIdentifier: "" };
    expect(await refusalOf(organizationId, plain)).toBeNull();
  }
  nowMs += 180_000;
  expect(await refusalOf(organizationId, to("3@example.com"))).toBeNull();
});

test("limits that are off count nothing", async () => {
  const organizationId = randomUUID();
  const sentTo: SentTo = { type: "email", contact: "carl@example.com", userIdentifier: "x" };
  for (let i = 0; i < 20; i++) {
    expect(await refusalOf(organizationId, sentTo, { contact: [], identifier: [] })).toBeNull();
  }
});

test("every activity that sends a message of a client's style says whom it goes to", () => {
  const styled = activities.filter(({ versions, defaultType }) => {
    const shape = versions[defaultType]?.intent.shape ?? {};
    return "emailCustomization" in shape || "smsCustomization" in shape;
  });
  for (const { name, sendsTo } of styled) expect(sendsTo, name).toBeTypeOf("function");
  for (const { name, sendsTo, example } of activities) {
    if (sendsTo) expect(sendsTo(example).contact, name).toMatch(/@|^\+/);
  }
});
