import { expect, test } from "vitest";
import { createSlots, type SlotOwner } from "./slots.ts";

const limits = { total: 16, family: 12, endpoint: 4, slow: 6 };
const ownerOf = (familyId: string, number: number): SlotOwner => ({
  endpointId: `${familyId} ${number}`,
  organizationId: familyId,
  familyId,
});

test("a family with many slow endpoints leaves places for the slow ones of others", () => {
  const slots = createSlots(limits);
  const own = Array.from({ length: 10 }, (_, number) => ownerOf("tenant", number));
  const other = ownerOf("other", 0);
  for (const owner of [...own, other]) {
    slots.take(owner, 1);
    slots.release(owner, 5000);
  }
  let taken = 0;
  for (const owner of own) {
    const free = slots.free(owner);
    slots.take(owner, free);
    taken += free;
  }
  expect(taken).toBe(3);
  expect(slots.free(other)).toBe(1);
  // One that answers quickly again is slow no more, and its place is free.
  const [first] = own;
  if (first) slots.release(first, 10);
  expect(first && slots.free(first)).toBe(4);
  expect(own.slice(3).map((owner) => slots.free(owner))).toEqual([1, 1, 1, 1, 1, 1, 1]);
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
