import { expect, test } from "vitest";
import { createSlots, type SlotOwner } from "./slots.ts";

const limits = { total: 16, family: 12, endpoint: 4, slow: 6 };
const ownerOf = (familyId: string, number: number, organizationId = familyId): SlotOwner => ({
  endpointId: `${organizationId} ${number}`,
  organizationId,
  familyId,
});

type Slots = ReturnType<typeof createSlots>;

/** All slots that the endpoints get, and how many of them. */
function takeAll(slots: Slots, owners: SlotOwner[]): number {
  let taken = 0;
  for (const owner of owners) {
    const free = slots.free(owner);
    slots.take(owner, free);
    taken += free;
  }
  return taken;
}

test("a family with many slow endpoints leaves places for the slow ones of others", () => {
  const slots = createSlots(limits);
  const own = Array.from({ length: 10 }, (_, number) => ownerOf("tenant", number));
  const other = ownerOf("other", 0);
  for (const owner of [...own, other]) {
    slots.take(owner, 1);
    slots.release(owner, 5000);
  }
  expect(takeAll(slots, own)).toBe(3);
  expect(slots.free(other)).toBe(1);
  // The place of one that answers is free for the others.
  const [first] = own;
  if (first) slots.release(first, 10);
  expect(own.map((owner) => slots.free(owner))).toEqual([1, 0, 0, 1, 1, 1, 1, 1, 1, 1]);
});

test("what a family took before it was slow counts as slow afterwards", () => {
  const slots = createSlots(limits);
  const owner = ownerOf("tenant", 0);
  slots.take(owner, 4);
  slots.release(owner, 5000);
  expect(slots.free(owner)).toBe(0);
  for (let i = 0; i < 3; i++) slots.release(owner, 5000);
  expect(slots.free(owner)).toBe(1);
  expect(slots.free(ownerOf("tenant", 1))).toBe(4);
});

test("a slow endpoint is still slow after a slot that was taken for nothing", () => {
  const slots = createSlots(limits);
  const owner = ownerOf("tenant", 0);
  slots.take(owner, 1);
  slots.release(owner, 5000);
  slots.take(owner, 1);
  slots.release(owner, null);
  expect(slots.free(owner)).toBe(1);
});

test("an endpoint that was slow earns its slots back one at a time", () => {
  const slots = createSlots(limits);
  const owner = ownerOf("tenant", 0);
  slots.take(owner, 1);
  slots.release(owner, 5000);
  const free: number[] = [];
  for (let answers = 0; answers < 13; answers++) {
    // No family has more than half of the slots for slow ones.
    free.push(slots.free(owner));
    slots.take(owner, 1);
    slots.release(owner, 10);
  }
  expect(free).toEqual([1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4]);
  slots.take(owner, 1);
  slots.release(owner, 5000);
  expect(slots.free(owner)).toBe(1);
});

test("families whose endpoints hang leave slots for a family that holds none", () => {
  const slots = createSlots(limits);
  const hanging = ["a", "b", "c"].flatMap((familyId) =>
    Array.from({ length: 10 }, (_, number) => ownerOf(familyId, number)),
  );
  expect(takeAll(slots, hanging)).toBe(13);
  expect(hanging.map((owner) => slots.free(owner)).every((free) => free === 0)).toBe(true);
  const other = ownerOf("other", 0);
  expect(slots.free(other)).toBe(1);
  slots.take(other, 1);
  expect(slots.free(other)).toBe(0);
  slots.release(other, 10);
  expect(slots.free(other)).toBe(1);
});

test("sub-organizations whose endpoints hang leave a slot for their application", () => {
  const slots = createSlots({ ...limits, total: 64 });
  const hanging = Array.from({ length: 10 }, (_, number) => ownerOf("app", number, "child"));
  expect(takeAll(slots, hanging)).toBe(9);
  const app = ownerOf("app", 0);
  expect(slots.free(app)).toBe(1);
  slots.take(app, 1);
  // Not for one that is known to hang.
  const late = ownerOf("app", 0, "late");
  expect(slots.free(late)).toBe(1);
  slots.take(late, 1);
  slots.release(late, 5000);
  expect(slots.free(late)).toBe(0);
});

test("sub-organizations of one family leave slots for a family that holds none", () => {
  const slots = createSlots({ ...limits, family: 16 });
  const children = Array.from({ length: 30 }, (_, number) => ownerOf("app", 0, `child ${number}`));
  expect(takeAll(slots, children)).toBe(14);
  expect(takeAll(slots, [ownerOf("other", 0), ownerOf("third", 0)])).toBe(2);
});

test("endpoints that hang and answer by turns leave slots for others at any time", () => {
  const real = { total: 64, family: 32, endpoint: 8, slow: 24 };
  for (const families of [1, 2, 5]) {
    const slots = createSlots(real);
    const hanging = Array.from({ length: families * 10 }, (_, number) =>
      ownerOf(`f${number % families}`, number, `child ${number % families}`),
    );
    const underWay: { owner: SlotOwner; endsAt: number; tookMs: number }[] = [];
    const answersUntil = new Map<string, number>();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 20) {
      for (const each of underWay.splice(0)) {
        if (each.endsAt > nowMs) underWay.push(each);
        else {
          slots.release(each.owner, each.tookMs);
          if (each.tookMs > 20) answersUntil.set(each.owner.endpointId, nowMs + 1000);
        }
      }
      for (const owner of hanging) {
        const isAnswering = (answersUntil.get(owner.endpointId) ?? 0) > nowMs;
        const tookMs = isAnswering ? 20 : 9500;
        const free = slots.free(owner);
        slots.take(owner, free);
        for (let i = 0; i < free; i++) underWay.push({ owner, endsAt: nowMs + tookMs, tookMs });
      }
      expect(slots.free(ownerOf("f0", 0, "f0"))).toBeGreaterThan(0);
      expect(slots.free(ownerOf("other", 0))).toBeGreaterThan(0);
    }
  }
});
