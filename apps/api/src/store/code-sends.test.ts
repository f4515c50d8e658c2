import { randomUUID } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Window } from "../config/rate-limits.ts";
import {
  countSends,
  deleteOldCodeSends,
  EVERYBODY,
  findCodeSends,
  hasRoomFor,
  type Send,
} from "./code-sends.ts";
import { createTestDatabase } from "./database.testing.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database?.drop());

const start = 1_700_000_000_000;
const minuteMs = 60_000;
const windows: Window[] = [
  { most: 3, withinMs: 10 * minuteMs },
  { most: 5, withinMs: 60 * minuteMs },
];

function newRecipient() {
  const count = "own" as const;
  return { organizationId: randomUUID(), recipientHash: "a".repeat(64), count };
}

function count(
  recipient: ReturnType<typeof newRecipient>,
  nowMs: number,
  { activityId = randomUUID(), limits = windows } = {},
): Promise<boolean> {
  const sends = [{ ...recipient, id: activityId, count: "own" as const }];
  return countSends(database.store, { sends, nowMs }, { own: limits });
}

test("every window must have room", async () => {
  const recipient = newRecipient();
  const minutes = [0, 1, 2, 3, 9, 10, 11, 12, 20, 59, 60, 61];
  const counted = [];
  for (const minute of minutes) {
    if (await count(recipient, start + minute * minuteMs)) counted.push(minute);
  }
  expect(counted).toEqual([0, 1, 2, 10, 11, 60, 61]);
});

test("the same activity counts once, even when there is no room", async () => {
  const recipient = newRecipient();
  const activityId = randomUUID();
  for (let i = 0; i < 5; i++) expect(await count(recipient, start, { activityId })).toBe(true);
  expect(await count(recipient, start)).toBe(true);
  expect(await count(recipient, start)).toBe(true);
  expect(await count(recipient, start)).toBe(false);
  expect(await count(recipient, start, { activityId })).toBe(true);
  expect(await findCodeSends(database.store, recipient)).toEqual([start, start, start]);
});

test("organizations and recipients do not share a count", async () => {
  const recipient = newRecipient();
  for (let i = 0; i < 3; i++) await count(recipient, start);
  expect(await count(recipient, start)).toBe(false);
  expect(await count({ ...recipient, organizationId: randomUUID() }, start)).toBe(true);
  expect(await count({ ...recipient, recipientHash: "b".repeat(64) }, start)).toBe(true);
});

test("of many at once, as many are counted as there is room for", async () => {
  const recipient = newRecipient();
  const counted = await Promise.all(Array.from({ length: 20 }, () => count(recipient, start)));
  expect(counted.filter(Boolean)).toHaveLength(3);
});

test("no schedule gets more than a window allows, and a row stays small", async () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 4 * minuteMs }), { minLength: 1, maxLength: 15 });
  await fc.assert(
    fc.asyncProperty(gaps, async (gapsMs) => {
      const recipient = newRecipient();
      const counted: number[] = [];
      let nowMs = start;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const hasRoom = windows.every(
          ({ most, withinMs }) => counted.filter((at) => at > nowMs - withinMs).length < most,
        );
        expect(await count(recipient, nowMs)).toBe(hasRoom);
        if (hasRoom) counted.push(nowMs);
      }
      const kept = await findCodeSends(database.store, recipient);
      expect(kept).toEqual(counted.toReversed().slice(0, 5));
    }),
    { numRuns: 15 },
  );
});

test("several are counted together or not at all, and everybody's windows are their own", async () => {
  const [full, free] = [newRecipient(), newRecipient()];
  const all = {
    organizationId: EVERYBODY,
    recipientHash: randomUUID(),
    count: "everybody" as const,
  };
  for (let i = 0; i < 3; i++) await count(full, start);
  const send = (...recipients: Omit<Send, "id">[]) => {
    const sends = recipients.map((each) => ({ ...each, id: randomUUID() }));
    const everybody = [{ most: 2, withinMs: minuteMs }];
    return countSends(database.store, { sends, nowMs: start }, { own: windows, everybody });
  };
  const left = async () =>
    Promise.all(
      [free, all].map(async (each) => (await findCodeSends(database.store, each)).length),
    );
  expect(await send(free, all, full)).toBe(false);
  expect(await left()).toEqual([0, 0]);
  expect(await send(free, free, all)).toBe(true);
  expect(await left()).toEqual([2, 1]);
  expect(await send(free, free)).toBe(false);
  expect(await send(free, all, all)).toBe(false);
  expect(await left()).toEqual([2, 1]);
  expect(await send(free, all)).toBe(true);
  expect(await send(newRecipient(), all)).toBe(false);
});

test("whether there is room is what counting would say, with what is under way, and writes nothing", async () => {
  const counts = ["own", "everybody", "identifier"] as const;
  const windowsOfAll = {
    own: windows,
    everybody: [{ most: 2, withinMs: 10 * minuteMs }],
    identifier: [{ most: 1, withinMs: minuteMs }],
  };
  const one = fc.record({
    kinds: fc.uniqueArray(fc.constantFrom(...counts), { minLength: 1 }),
    underWay: fc.integer({ min: 0, max: 2 }),
    gapMs: fc.integer({ min: 0, max: 5 * minuteMs }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 6 }), async (asked) => {
      const [recipientHash, organizationId] = [randomUUID(), randomUUID()];
      let nowMs = start;
      const sendsOf = (kinds: readonly Send["count"][], more: Partial<Send> = {}) =>
        kinds.map((count) => {
          const of = count === "everybody" ? EVERYBODY : organizationId;
          const hash = `${count} ${recipientHash}`;
          return { organizationId: of, recipientHash: hash, id: randomUUID(), count, ...more };
        });
      const room = (sends: Send[]) => hasRoomFor(database.store, { sends, nowMs }, windowsOfAll);
      for (const { kinds, underWay, gapMs } of asked) {
        nowMs += gapMs;
        const sends = sendsOf(kinds);
        const isFree = await room(sends);
        expect(await room(sends)).toBe(isFree);
        const isFreeBeside = await room(sendsOf(kinds, { underWay }));
        if (!isFree) expect(isFreeBeside).toBe(false);
        if (underWay === 0) expect(isFreeBeside).toBe(isFree);
        expect(await countSends(database.store, { sends, nowMs }, windowsOfAll)).toBe(isFree);
        if (kinds.includes("own")) {
          expect(await room(sendsOf(["own"], { underWay: 3 }))).toBe(false);
        }
      }
    }),
    { numRuns: 15 },
  );
});

test("of many at once with the same recipients in other orders, as many are counted as fit", async () => {
  const [one, other] = [newRecipient(), newRecipient()];
  const counted = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const sends = (i % 2 ? [one, other] : [other, one]).map((each) => ({
        ...each,
        id: randomUUID(),
      }));
      return countSends(database.store, { sends, nowMs: start }, { own: windows });
    }),
  );
  expect(counted.filter(Boolean)).toHaveLength(3);
});

test("a clock that was set back gives nothing", async () => {
  const recipient = newRecipient();
  for (let i = 0; i < 3; i++) await count(recipient, start);
  expect(await count(recipient, start - 60 * minuteMs)).toBe(false);
});

test("what limits no longer count is deleted, some at a time", async () => {
  const [old, older, recent] = [newRecipient(), newRecipient(), newRecipient()];
  await count(older, 1000);
  await count(old, 2000);
  await count(recent, start);
  await deleteOldCodeSends(database.store, 3000, 1);
  const left = async () =>
    Promise.all(
      [older, old, recent].map(async (each) => (await findCodeSends(database.store, each)).length),
    );
  expect(await left()).toEqual([0, 1, 1]);
  await deleteOldCodeSends(database.store, 3000, 10);
  expect(await left()).toEqual([0, 0, 1]);
});
