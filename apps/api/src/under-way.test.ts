import { expect, test } from "vitest";
import type { Owner } from "./families.ts";
import { createUnderWay } from "./under-way.ts";

const limits = { organization: 40, family: 60, total: 100, mostWaiting: 2, waitMs: 50 };

const owner = (familyId: string, organizationId = familyId): Owner => ({
  organizationId,
  familyId,
});
const refused = { code: "RESOURCE_EXHAUSTED", reason: "RATE_LIMITED" };

test("an organization that holds its share waits until some of it is given back", async () => {
  const underWay = createUnderWay({ ...limits, waitMs: 5000 });
  const first = await underWay.take(owner("ada"), 30);
  let isAdmitted = false;
  const second = underWay.take(owner("ada"), 20).then((held) => {
    isAdmitted = true;
    return held;
  });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(isAdmitted).toBe(false);
  first.resize(15);
  (await second).release();
  first.release();
  expect(underWay.total).toBe(0);
});

test("a request that waits for too long is refused, and so is one too many that would wait", async () => {
  const underWay = createUnderWay(limits);
  const held = await underWay.take(owner("ada"), 40);
  const waiting = [1, 2].map(() => underWay.take(owner("ada"), 10));
  await expect(underWay.take(owner("ada"), 10)).rejects.toMatchObject(refused);
  for (const each of waiting) await expect(each).rejects.toMatchObject(refused);
  held.release();
  expect(underWay.total).toBe(0);
});

test("sub-organizations share what their family may hold", async () => {
  const underWay = createUnderWay(limits);
  await underWay.take(owner("ada", "one"), 30);
  await underWay.take(owner("ada", "two"), 30);
  await expect(underWay.take(owner("ada", "three"), 1)).rejects.toMatchObject(refused);
  await underWay.take(owner("grace", "four"), 40);
  expect(underWay.total).toBe(100);
});

test("families that fill the room keep out no family that holds nothing", async () => {
  const underWay = createUnderWay(limits);
  for (const family of ["ada", "grace", "alan"]) await underWay.take(owner(family), 40);
  await expect(underWay.take(owner("ada", "another"), 10)).rejects.toMatchObject(refused);
  await underWay.take(owner("edsger"), 80);
  await expect(underWay.take(owner("barbara"), 10)).rejects.toMatchObject(refused);
});

test("one request fits, however large it is", async () => {
  const underWay = createUnderWay(limits);
  const held = await underWay.take(owner("ada"), 1000);
  expect(underWay.heldBy("ada")).toBe(1000);
  held.release();
  held.release();
  held.resize(10);
  expect(underWay.heldBy("ada")).toBe(0);
});
